import { type Chain, type ChainToken, canonical } from '../chain.ts'

const usdc: ChainToken = {
  symbol: 'USDC',
  name: 'USD Coin',
  address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  decimals: 6,
  usdPegged: true,
  priceSources: {
    feed: {
      address: '0x7e860098F58bBFC8648a4311b374B1D669a2bc6B',
      heartbeatSeconds: 86_400,
      deviationBps: 30,
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
      address: '0x71041dddad3595F9CEd3DcCFBe3D1F4b0a16Bb70',
      heartbeatSeconds: 1200,
      deviationBps: 15,
      decimals: 8,
    },
    pools: [
      { version: 'v3', id: '0xd0b53D9277642d899DF5C87A3966A349A798F224', quote: usdc.address, fee: 500 },
      { version: 'v3', id: '0x6c561B446416E1A00E8E93E221854d6eA4171372', quote: usdc.address, fee: 3000 },
      {
        version: 'v4',
        id: '0x96d4b53a38337a5733179751781178a2613306063c511b78cd02684739288c0a',
        quote: usdc.address,
        fee: 500,
        tickSpacing: 10,
        native: true,
      },
    ],
  },
}

export const base: Chain = {
  id: 8453,
  name: 'base',
  aliases: ['base-mainnet'],
  testnet: false,
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  publicRpcUrls: ['https://mainnet.base.org', 'https://base-rpc.publicnode.com'],
  explorerUrl: 'https://basescan.org',
  confirmations: 1,
  blockTimeSeconds: 2,
  maxHeadAgeSeconds: 60,
  logRangeBlocks: 2_000,
  l1DataFee: true,
  sponsored: true,
  multicall3: canonical.multicall3,
  permit2: canonical.permit2,
  rewardDistributor: canonical.rewardDistributor,
  wrappedNative,
  sequencerUptimeFeed: { address: '0xBCF85224fc0756B9Fa45aA7892530B47e10b6433', graceSeconds: 3600 },
  amm: {
    v2: {
      factory: '0x8909Dc15e40173Ff4699343b6eB8132c65e18eC6',
      router: '0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24',
      pairInitCodeHash: canonical.pairInitCodeHash,
    },
    v3: {
      factory: '0x33128a8fC17869897dcE68Ed026d694621f6FDfD',
      positionManager: '0x03a520b32C04BF3bEEf7BEb72E919cf822Ed34f1',
      swapRouter02: '0x2626664c2603336E57B271c5C0b26F421741e481',
      quoterV2: '0x3d4e44Eb1374240CE5F1B871ab261CD16335B76a',
      tickLens: '0x0CdeE061c75D43c82520eD998C23ac2991c9ac6d',
      poolInitCodeHash: canonical.poolInitCodeHash,
    },
    v4: {
      poolManager: '0x498581fF718922c3f8e6A244956aF099B2652b2b',
      positionManager: '0x7C5f5A4bBd8fD63184577525326123B519429bDc',
      stateView: '0xA3c0c9b65baD0b08107Aa264b0f3dB444b867A71',
      quoter: '0x0d5e0F971ED27FBfF6c2837bf31316121532048D',
    },
    universalRouter: { address: '0x6fF5693b99212Da76ad316178A184AB56D299b43', version: '2.0' },
  },
  subgraphs: {
    v3: '43Hwfi3dJSoGpyas9VwNoDAv55yjgGrPpNSmbQZArzMG',
    v4: 'Gqm2b5J85n1bhCyDMpGbtbVn4935EvvdyHdHrx3dibyj',
  },
  tokens: [
    wrappedNative,
    usdc,
    {
      symbol: 'USDbC',
      name: 'USD Base Coin (bridged from Ethereum)',
      address: '0xd9aAEc86B65D86f6A7B5B1b0c42FFA531710b6CA',
      decimals: 6,
      usdPegged: true,
      priceSources: {
        pools: [{ version: 'v3', id: '0x06959273E9A65433De71F5A452D529544E07dDD0', quote: usdc.address, fee: 100 }],
      },
    },
    {
      symbol: 'USDT',
      name: 'Tether USD (bridged from Ethereum)',
      address: '0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2',
      decimals: 6,
      usdPegged: true,
      priceSources: {
        feed: {
          address: '0xf19d560eB8d2ADf07BD6D13ed03e1D11215721F9',
          heartbeatSeconds: 86_400,
          deviationBps: 30,
          decimals: 8,
        },
        pools: [{ version: 'v3', id: '0xD56da2B74bA826f19015E6B7Dd9Dae1903E85DA1', quote: usdc.address, fee: 100 }],
      },
    },
    {
      symbol: 'DAI',
      name: 'Dai Stablecoin',
      address: '0x50c5725949A6F0c72E6C4a641F24049A917DB0Cb',
      decimals: 18,
      usdPegged: true,
      priceSources: {
        feed: {
          address: '0x591e79239a7d679378eC8c847e5038150364C78F',
          heartbeatSeconds: 86_400,
          deviationBps: 30,
          decimals: 8,
        },
      },
    },
    {
      symbol: 'WBTC',
      name: 'Wrapped BTC',
      address: '0x0555E30da8f98308EdB960aa94C0Db47230d2B9c',
      decimals: 8,
      priceSources: {
        feed: {
          address: '0xCCADC697c55bbB68dc5bCdf8d3CBe83CdD4E071E',
          heartbeatSeconds: 1200,
          deviationBps: 50,
          decimals: 8,
        },
      },
    },
    {
      symbol: 'cbBTC',
      name: 'Coinbase Wrapped BTC',
      address: '0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf',
      decimals: 8,
      priceSources: {
        feed: {
          address: '0x07DA0E54543a844a80ABE69c8A12F22B3aA59f9D',
          heartbeatSeconds: 1200,
          deviationBps: 50,
          decimals: 8,
        },
        pools: [
          { version: 'v3', id: '0xfBB6Eed8e7aa03B138556eeDaF5D271A5E1e43ef', quote: usdc.address, fee: 500 },
          { version: 'v3', id: '0x8c7080564B5A792A33Ef2FD473fbA6364d5495e5', quote: wrappedNative.address, fee: 3000 },
        ],
      },
    },
  ],
}
