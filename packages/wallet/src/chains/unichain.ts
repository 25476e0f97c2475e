import { type Chain, type ChainToken, canonical } from '../chain.ts'

/** How v4 names the native currency. */
const native = '0x0000000000000000000000000000000000000000'

const usdc: ChainToken = {
  symbol: 'USDC',
  name: 'USD Coin',
  address: '0x078D782b760474a361dDA0AF3839290b0EF57AD6',
  decimals: 6,
  usdPegged: true,
  priceSources: {
    feed: {
      address: '0xD15862FC3D5407A03B696548b6902D6464A69b8c',
      heartbeatSeconds: 10_800,
      deviationBps: 50,
      decimals: 8,
    },
  },
}

const usdt0: ChainToken = {
  symbol: 'USDT0',
  name: 'USDT0',
  address: '0x9151434b16b9763660705744891fA906F660EcC5',
  decimals: 6,
  usdPegged: true,
  priceSources: {
    feed: {
      address: '0x58fa68A373956285dDfb340EDf755246f8DfCA16',
      heartbeatSeconds: 10_800,
      deviationBps: 50,
      decimals: 8,
    },
  },
}

const wrappedNative: ChainToken = {
  symbol: 'WETH',
  name: 'Wrapped Ether',
  address: '0x4200000000000000000000000000000000000006',
  decimals: 18,
  priceSources: {
    feed: {
      address: '0xe8D9FbC10e00ecc9f0694617075fDAF657a76FB2',
      heartbeatSeconds: 21_600,
      deviationBps: 50,
      decimals: 8,
    },
    pools: [
      { version: 'v3', id: '0x65081CB48d74A32e9CCfED75164b8c09972DBcF1', quote: usdc.address, fee: 500 },
      {
        version: 'v4',
        id: '0x3258f413c7a88cda2fa8709a589d221a80f6574f63df5a5b6774485d8acc39d9',
        quote: usdc.address,
        fee: 500,
        tickSpacing: 10,
        native: true,
      },
      {
        version: 'v4',
        id: '0x04b7dd024db64cfbe325191c818266e4776918cd9eaf021c26949a859e654b16',
        quote: usdt0.address,
        fee: 500,
        tickSpacing: 10,
        native: true,
      },
    ],
  },
}

export const unichain: Chain = {
  id: 130,
  name: 'unichain',
  aliases: ['uni'],
  testnet: false,
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  publicRpcUrls: ['https://mainnet.unichain.org', 'https://unichain-rpc.publicnode.com'],
  explorerUrl: 'https://uniscan.xyz',
  confirmations: 1,
  blockTimeSeconds: 1,
  maxHeadAgeSeconds: 60,
  logRangeBlocks: 2_000,
  l1DataFee: true,
  multicall3: canonical.multicall3,
  permit2: canonical.permit2,
  wrappedNative,
  amm: {
    v2: {
      factory: '0x1F98400000000000000000000000000000000002',
      router: '0x284F11109359a7e1306C3e447ef14D38400063FF',
      pairInitCodeHash: canonical.pairInitCodeHash,
    },
    v3: {
      factory: '0x1F98400000000000000000000000000000000003',
      positionManager: '0x943e6e07a7E8E791dAFC44083e54041D743C46E9',
      swapRouter02: '0x73855d06DE49d0fe4A9c42636Ba96c62da12FF9C',
      quoterV2: '0x385A5cf5F83e99f7BB2852b6A19C3538b9FA7658',
      tickLens: '0xD5D76fa166AB8d8AD4C9f61AaA81457b66cBE443',
      poolInitCodeHash: canonical.poolInitCodeHash,
    },
    v4: {
      poolManager: '0x1F98400000000000000000000000000000000004',
      positionManager: '0x4529A01c7A0410167c5740C487A8DE60232617bf',
      stateView: '0x86e8631A016F9068C3f085fAF484Ee3F5fDee8f2',
      quoter: '0x333E3C607B141b18fF6de9f258db6e77fE7491E0',
    },
    universalRouter: { address: '0xEf740bf23aCaE26f6492B10de645D6B98dC8Eaf3', version: '2.0' },
  },
  tokens: [
    wrappedNative,
    usdc,
    {
      symbol: 'USDT',
      name: 'Tether USD',
      address: '0x588CE4F028D8e7B53B687865d6A67b3A54C75518',
      decimals: 6,
      usdPegged: true,
      priceSources: {
        feed: {
          address: '0x58fa68A373956285dDfb340EDf755246f8DfCA16',
          heartbeatSeconds: 10_800,
          deviationBps: 50,
          decimals: 8,
        },
      },
    },
    usdt0,
    {
      symbol: 'DAI',
      name: 'Dai Stablecoin',
      address: '0x20CAb320A855b39F724131C69424240519573f81',
      decimals: 18,
      usdPegged: true,
      priceSources: {
        feed: {
          address: '0xE94c9f9A1893f23be38A5C0394E46Ac05e8a5f8C',
          heartbeatSeconds: 10_800,
          deviationBps: 50,
          decimals: 8,
        },
      },
    },
    {
      symbol: 'WBTC',
      name: 'Wrapped BTC',
      address: '0x927B51f251480a681271180DA4de28D44EC4AfB8',
      decimals: 8,
      priceSources: {
        feed: {
          address: '0xc44be6D00307c3565FDf753e852Fc003036cBc13',
          heartbeatSeconds: 21_600,
          deviationBps: 50,
          decimals: 8,
        },
        pools: [
          {
            version: 'v4',
            id: '0x764afe9ab22a5c80882918bb4e59b954912b17a22c3524c68a8cf08f7386e08f',
            quote: native,
            fee: 500,
            tickSpacing: 10,
          },
        ],
      },
    },
  ],
}
