import { type Chain, type ChainToken, canonical } from '../chain.ts'

const usdt: ChainToken = {
  symbol: 'USDT',
  name: 'Tether USD (Binance-Peg)',
  address: '0x55d398326f99059fF775485246999027B3197955',
  decimals: 18,
  usdPegged: true,
  priceSources: {
    feed: {
      address: '0xB97Ad0E74fa7d920791E90258A6E2085088b4320',
      heartbeatSeconds: 900,
      deviationBps: 25,
      decimals: 8,
    },
  },
}

const wrappedNative: ChainToken = {
  symbol: 'WBNB',
  name: 'Wrapped BNB',
  address: '0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c',
  decimals: 18,
  priceSources: {
    feed: {
      address: '0x0567F2323251f0Aab15c8dFb1967E4e8A7D42aeE',
      // Published are 27 seconds; who is late by minutes does not stand still.
      heartbeatSeconds: 300,
      deviationBps: 50,
      decimals: 8,
    },
    pools: [
      { version: 'v3', id: '0x47a90A2d92A8367A91EfA1906bFc8c1E05bf10c4', quote: usdt.address, fee: 100 },
      { version: 'v3', id: '0x7862D9B4bE2156B15d54F41ee4EDE2d5b0b455e4', quote: usdt.address, fee: 3000 },
      {
        version: 'v4',
        id: '0xa77d89e40ddd6a57b72ad4a8c55554b2fd6171026c903462a9f9c7be133811a6',
        quote: usdt.address,
        fee: 500,
        tickSpacing: 10,
        native: true,
      },
    ],
  },
}

export const bnb: Chain = {
  id: 56,
  name: 'bnb',
  aliases: ['bsc', 'bnb-chain', 'binance'],
  testnet: false,
  nativeCurrency: { name: 'BNB', symbol: 'BNB', decimals: 18 },
  publicRpcUrls: ['https://bsc-dataseed.bnbchain.org', 'https://bsc-rpc.publicnode.com'],
  explorerUrl: 'https://bscscan.com',
  confirmations: 5,
  blockTimeSeconds: 0.75,
  maxHeadAgeSeconds: 60,
  // 0.01 BNB: 1.2 million gas at 8 gwei, base fee and tip.
  maxGasFeeGwei: 10_000_000,
  logRangeBlocks: 1_000,
  multicall3: canonical.multicall3,
  permit2: canonical.permit2,
  rewardDistributor: canonical.rewardDistributor,
  wrappedNative,
  amm: {
    v2: {
      factory: '0x8909Dc15e40173Ff4699343b6eB8132c65e18eC6',
      router: '0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24',
      pairInitCodeHash: canonical.pairInitCodeHash,
    },
    v3: {
      factory: '0xdB1d10011AD0Ff90774D0C6Bb92e5C5c8b4461F7',
      positionManager: '0x7b8A01B39D58278b5DE7e48c8449c9f4F5170613',
      swapRouter02: '0xB971eF87ede563556b2ED4b1C0b0019111Dd85d2',
      quoterV2: '0x78D78E420Da98ad378D7799bE8f4AF69033EB077',
      tickLens: '0xD9270014D396281579760619CCf4c3af0501A47C',
      poolInitCodeHash: canonical.poolInitCodeHash,
    },
    v4: {
      poolManager: '0x28e2Ea090877bF75740558f6BFB36A5ffeE9e9dF',
      positionManager: '0x7A4a5c919aE2541AeD11041A1AEeE68f1287f95b',
      stateView: '0xd13Dd3D6E93f276FAfc9Db9E6BB47C1180aeE0c4',
      quoter: '0x9F75dD27D6664c475B90e105573E550ff69437B0',
    },
    universalRouter: { address: '0x1906c1d672b88cD1B9aC7593301cA990F94Eae07', version: '2.0' },
  },
  subgraphs: {
    v4: 'EAq1nJKgjnuKH6Gj4RFjCW7LcL7E2uipbncdwV7TTWkX',
  },
  tokens: [
    wrappedNative,
    {
      symbol: 'USDC',
      name: 'USD Coin (Binance-Peg)',
      address: '0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d',
      decimals: 18,
      usdPegged: true,
      priceSources: {
        feed: {
          address: '0x51597f405303C4377E36123cBc172b13269EA163',
          heartbeatSeconds: 900,
          deviationBps: 25,
          decimals: 8,
        },
        pools: [{ version: 'v3', id: '0x2C3c320D49019D4f9A92352e947c7e5AcFE47D68', quote: usdt.address, fee: 100 }],
      },
    },
    usdt,
    {
      symbol: 'DAI',
      name: 'Dai Stablecoin (Binance-Peg)',
      address: '0x1AF3F329e8BE154074D8769D1FFa4eE058B1DBc3',
      decimals: 18,
      usdPegged: true,
      priceSources: {
        feed: {
          address: '0x132d3C0B1D2cEa0BC552588063bdBb210FDeecfA',
          heartbeatSeconds: 900,
          deviationBps: 25,
          decimals: 8,
        },
      },
    },
    {
      symbol: 'BTCB',
      name: 'Bitcoin (Binance-Peg)',
      address: '0x7130d2A12B9BCbFAe4f2634d864A1Ee1Ce3Ead9c',
      decimals: 18,
      priceSources: {
        feed: {
          address: '0x264990fbd0A4796A3E3d8E37C4d5F87a3aCa5Ebf',
          heartbeatSeconds: 300,
          deviationBps: 50,
          decimals: 8,
        },
        pools: [
          { version: 'v3', id: '0x28dF0835942396B7a1b7aE1cd068728E6ddBbAfD', quote: wrappedNative.address, fee: 500 },
          { version: 'v3', id: '0x813c0decbB1097fFF46d0Ed6a39fB5f6a83043f4', quote: usdt.address, fee: 500 },
        ],
      },
    },
  ],
}
