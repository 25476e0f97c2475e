import { type Chain, type ChainToken, canonical } from '../chain.ts'

const usdc: ChainToken = {
  symbol: 'USDC',
  name: 'USD Coin',
  address: '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85',
  decimals: 6,
  usdPegged: true,
  priceSources: {
    feed: {
      address: '0x16a9FA2FDa030272Ce99B29CF780dFA30361E0f3',
      heartbeatSeconds: 86_400,
      deviationBps: 25,
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
      address: '0x13e3Ee699D1909E989722E753853AE30b17e08c5',
      heartbeatSeconds: 1200,
      deviationBps: 15,
      decimals: 8,
    },
    pools: [
      { version: 'v3', id: '0x1fb3cf6e48F1E7B10213E7b6d87D4c073C7Fdb7b', quote: usdc.address, fee: 500 },
      { version: 'v3', id: '0xc1738D90E2E26C35784A0d3E3d8A9f795074bcA4', quote: usdc.address, fee: 3000 },
      {
        version: 'v4',
        id: '0x51bf4cc5b8d9f7f759e41f572fe2a25bc2aeb42432bf12544a350595e5c8bb43',
        quote: usdc.address,
        fee: 500,
        tickSpacing: 10,
        native: true,
      },
    ],
  },
}

export const optimism: Chain = {
  id: 10,
  name: 'optimism',
  aliases: ['op', 'op-mainnet'],
  testnet: false,
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  publicRpcUrls: ['https://mainnet.optimism.io', 'https://optimism-rpc.publicnode.com'],
  explorerUrl: 'https://optimistic.etherscan.io',
  confirmations: 1,
  blockTimeSeconds: 2,
  maxHeadAgeSeconds: 60,
  logRangeBlocks: 2_000,
  l1DataFee: true,
  multicall3: canonical.multicall3,
  permit2: canonical.permit2,
  rewardDistributor: canonical.rewardDistributor,
  wrappedNative,
  sequencerUptimeFeed: { address: '0x371EAD81c9102C9BF4874A9075FFFf170F2Ee389', graceSeconds: 3600 },
  amm: {
    v2: {
      factory: '0x0c3c1c532F1e39EdF36BE9Fe0bE1410313E074Bf',
      router: '0x4A7b5Da61326A6379179b40d00F57E5bbDC962c2',
      pairInitCodeHash: canonical.pairInitCodeHash,
    },
    v3: {
      factory: '0x1F98431c8aD98523631AE4a59f267346ea31F984',
      positionManager: '0xC36442b4a4522E871399CD717aBDD847Ab11FE88',
      swapRouter02: '0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45',
      quoterV2: '0x61fFE014bA17989E743c5F6cB21bF9697530B21e',
      tickLens: '0xbfd8137f7d1516D3ea5cA83523914859ec47F573',
      poolInitCodeHash: canonical.poolInitCodeHash,
    },
    v4: {
      poolManager: '0x9a13F98Cb987694C9F086b1F5eB990EeA8264Ec3',
      positionManager: '0x3C3Ea4B57a46241e54610e5f022E5c45859A1017',
      stateView: '0xc18a3169788F4F75A170290584ECA6395C75Ecdb',
      quoter: '0x1f3131A13296FB91C90870043742C3CDBFF1A8d7',
    },
    universalRouter: { address: '0x851116D9223fabED8E56C0E6b8Ad0c31d98B3507', version: '2.0' },
  },
  subgraphs: {
    v3: 'Cghf4LfVqPiFw6fp6Y5X5Ubc8UpmUhSfJL82zwiBFLaj',
  },
  tokens: [
    wrappedNative,
    usdc,
    {
      symbol: 'USDC.e',
      name: 'USD Coin (bridged from Ethereum)',
      address: '0x7F5c764cBc14f9669B88837ca1490cCa17c31607',
      decimals: 6,
      usdPegged: true,
      priceSources: {
        pools: [{ version: 'v3', id: '0x2aB22ac86b25BD448A4D9dC041Bd2384655299c4', quote: usdc.address, fee: 100 }],
      },
    },
    {
      symbol: 'USDT',
      name: 'Tether USD',
      address: '0x94b008aA00579c1307B0EF2c499aD98a8ce58e58',
      decimals: 6,
      usdPegged: true,
      priceSources: {
        feed: {
          address: '0xECef79E109e997bCA29c1c0897ec9d7b03647F5E',
          heartbeatSeconds: 86_400,
          deviationBps: 25,
          decimals: 8,
        },
      },
    },
    {
      symbol: 'USDT0',
      name: 'USDT0',
      address: '0x01bFF41798a0BcF287b996046Ca68b395DbC1071',
      decimals: 6,
      usdPegged: true,
      priceSources: {
        feed: {
          address: '0xECef79E109e997bCA29c1c0897ec9d7b03647F5E',
          heartbeatSeconds: 86_400,
          deviationBps: 25,
          decimals: 8,
        },
      },
    },
    {
      symbol: 'DAI',
      name: 'Dai Stablecoin',
      address: '0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1',
      decimals: 18,
      usdPegged: true,
      priceSources: {
        feed: {
          address: '0x8dBa75e83DA73cc766A7e5a0ee71F656BAb470d6',
          heartbeatSeconds: 86_400,
          deviationBps: 25,
          decimals: 8,
        },
      },
    },
    {
      symbol: 'WBTC',
      name: 'Wrapped BTC',
      address: '0x68f180fcCe6836688e9084f035309E29Bf0A2095',
      decimals: 8,
      priceSources: {
        feed: {
          address: '0x718A5788b89454aAE3A028AE9c111A29Be6c2a6F',
          heartbeatSeconds: 1200,
          deviationBps: 50,
          decimals: 8,
        },
        pools: [
          { version: 'v3', id: '0x85C31FFA3706d1cce9d525a00f1C7D4A2911754c', quote: wrappedNative.address, fee: 500 },
          { version: 'v3', id: '0x73B14a78a0D396C521f954532d43fd5fFe385216', quote: wrappedNative.address, fee: 3000 },
        ],
      },
    },
  ],
}
