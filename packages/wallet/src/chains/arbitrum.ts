import { type Chain, type ChainToken, canonical } from '../chain.ts'

const usdc: ChainToken = {
  symbol: 'USDC',
  name: 'USD Coin',
  address: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
  decimals: 6,
  usdPegged: true,
  priceSources: {
    feed: {
      address: '0x50834F3163758fcC1Df9973b6e91f0F0F0434aD3',
      heartbeatSeconds: 86_400,
      deviationBps: 10,
      decimals: 8,
    },
  },
}

const usdt: ChainToken = {
  symbol: 'USDT',
  name: 'USDT0',
  address: '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9',
  decimals: 6,
  usdPegged: true,
  priceSources: {
    feed: {
      address: '0x3f3f5dF88dC9F13eac63DF89EC16ef6e7E25DdE7',
      heartbeatSeconds: 86_400,
      deviationBps: 10,
      decimals: 8,
    },
    pools: [{ version: 'v3', id: '0xbE3aD6a5669Dc0B8b12FeBC03608860C31E2eef6', quote: usdc.address, fee: 100 }],
  },
}

const wrappedNative: ChainToken = {
  symbol: 'WETH',
  name: 'Wrapped Ether',
  address: '0x82aF49447D8a07e3bd95BD0d56f35241523fBab1',
  decimals: 18,
  priceSources: {
    feed: {
      address: '0x639Fe6ab55C921f74e7fac1ee960C0B6293ba612',
      heartbeatSeconds: 1755,
      deviationBps: 5,
      decimals: 8,
    },
    pools: [
      { version: 'v3', id: '0xC6962004f452bE9203591991D15f6b388e09E8D0', quote: usdc.address, fee: 500 },
      { version: 'v3', id: '0x641C00A822e8b671738d32a431a4Fb6074E5c79d', quote: usdt.address, fee: 500 },
      {
        version: 'v4',
        id: '0x864abca0a6202dba5b8868772308da953ff125b0f95015adbf89aaf579e903a8',
        quote: usdc.address,
        fee: 500,
        tickSpacing: 10,
        native: true,
      },
    ],
  },
}

export const arbitrum: Chain = {
  id: 42161,
  name: 'arbitrum',
  aliases: ['arb', 'arbitrum-one'],
  testnet: false,
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  publicRpcUrls: ['https://arb1.arbitrum.io/rpc', 'https://arbitrum-one-rpc.publicnode.com'],
  explorerUrl: 'https://arbiscan.io',
  confirmations: 1,
  blockTimeSeconds: 0.25,
  maxHeadAgeSeconds: 60,
  logRangeBlocks: 10_000,
  multicall3: canonical.multicall3,
  permit2: canonical.permit2,
  rewardDistributor: canonical.rewardDistributor,
  orderReactor: '0x1bd1aAdc9E230626C44a139d7E70d842749351eb',
  wrappedNative,
  sequencerUptimeFeed: { address: '0xFdB631F5EE196F0ed6FAa767959853A9F217697D', graceSeconds: 3600 },
  amm: {
    v2: {
      factory: '0xf1D7CC64Fb4452F05c498126312eBE29f30Fbcf9',
      router: '0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24',
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
      poolManager: '0x360E68faCcca8cA495c1B759Fd9EEe466db9FB32',
      positionManager: '0xd88F38F930b7952f2DB2432Cb002E7abbF3dD869',
      stateView: '0x76Fd297e2D437cd7f76d50F01AfE6160f86e9990',
      quoter: '0x3972C00f7ed4885e145823eb7C655375d275A1C5',
    },
    universalRouter: { address: '0xA51afAFe0263b40EdaEf0Df8781eA9aa03E381a3', version: '2.0' },
  },
  subgraphs: {
    v3: 'FbCGRftH4a3yZugY7TnbYgPJVEv2LvMT6oF1fxPe9aJM',
    v4: 'G5TsTKNi8yhPSV7kycaE23oWbqv9zzNqR49FoEQjzq1r',
  },
  tokens: [
    wrappedNative,
    usdc,
    {
      symbol: 'USDC.e',
      name: 'USD Coin (bridged from Ethereum)',
      address: '0xFF970A61A04b1cA14834A43f5dE4533eBDDB5CC8',
      decimals: 6,
      usdPegged: true,
      priceSources: {
        pools: [{ version: 'v3', id: '0x8e295789c9465487074a65b1ae9Ce0351172393f', quote: usdc.address, fee: 100 }],
      },
    },
    usdt,
    {
      symbol: 'DAI',
      name: 'Dai Stablecoin',
      address: '0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1',
      decimals: 18,
      usdPegged: true,
      priceSources: {
        feed: {
          address: '0xc5C8E77B397E531B8EC06BFb0048328B30E9eCfB',
          heartbeatSeconds: 86_400,
          deviationBps: 25,
          decimals: 8,
        },
        pools: [{ version: 'v3', id: '0x7CF803e8d82A50504180f417B8bC7a493C0a0503', quote: usdc.address, fee: 100 }],
      },
    },
    {
      symbol: 'WBTC',
      name: 'Wrapped BTC',
      address: '0x2f2a2543B76A4166549F7aaB2e75Bef0aefC5B0f',
      decimals: 8,
      priceSources: {
        feed: {
          address: '0xd0C7101eACbB49F3deCcCc166d238410D6D46d57',
          heartbeatSeconds: 86_400,
          deviationBps: 5,
          decimals: 8,
        },
        pools: [
          { version: 'v3', id: '0x2f5e87C9312fa29aed5c179E456625D79015299c', quote: wrappedNative.address, fee: 500 },
          { version: 'v3', id: '0x0E4831319A50228B9e450861297aB92dee15B44F', quote: usdc.address, fee: 500 },
        ],
      },
    },
  ],
}
