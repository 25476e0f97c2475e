import { type Chain, type ChainToken, canonical } from '../chain.ts'

const usdc: ChainToken = {
  symbol: 'USDC',
  name: 'USD Coin',
  address: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
  decimals: 6,
  usdPegged: true,
  priceSources: {
    feed: {
      address: '0x8fFfFfd4AfB6115b954Bd326cbe7B4BA576818f6',
      heartbeatSeconds: 86_400,
      deviationBps: 25,
      decimals: 8,
    },
  },
}

const wrappedNative: ChainToken = {
  symbol: 'WETH',
  name: 'Wrapped Ether',
  address: '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2',
  decimals: 18,
  priceSources: {
    feed: {
      address: '0x5f4eC3Df9cbd43714FE2740f5E3616155c5b8419',
      heartbeatSeconds: 3600,
      deviationBps: 50,
      decimals: 8,
    },
    pools: [
      { version: 'v3', id: '0x88e6A0c2dDD26FEEb64F039a2c41296FcB3f5640', quote: usdc.address, fee: 500 },
      { version: 'v3', id: '0x8ad599c3A0ff1De082011EFDDc58f1908eb6e6D8', quote: usdc.address, fee: 3000 },
      { version: 'v2', id: '0xB4e16d0168e52d35CaCD2c6185b44281Ec28C9Dc', quote: usdc.address, fee: 3000 },
      {
        version: 'v4',
        id: '0x21c67e77068de97969ba93d4aab21826d33ca12bb9f565d8496e8fda8a82ca27',
        quote: usdc.address,
        fee: 500,
        tickSpacing: 10,
        native: true,
      },
    ],
  },
}

export const ethereum: Chain = {
  id: 1,
  name: 'ethereum',
  aliases: ['eth', 'mainnet', 'ethereum-mainnet'],
  testnet: false,
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  publicRpcUrls: ['https://ethereum-rpc.publicnode.com', 'https://eth.drpc.org'],
  explorerUrl: 'https://etherscan.io',
  confirmations: 3,
  blockTimeSeconds: 12,
  maxHeadAgeSeconds: 180,
  // 0.02 ETH: 1.2 million gas at twice a base fee of 8 gwei.
  maxGasFeeGwei: 20_000_000,
  logRangeBlocks: 2_000,
  multicall3: canonical.multicall3,
  permit2: canonical.permit2,
  rewardDistributor: canonical.rewardDistributor,
  orderReactor: '0x00000011F84B9aa48e5f8aA8B9897600006289Be',
  wrappedNative,
  amm: {
    v2: {
      factory: '0x5C69bEe701ef814a2B6a3EDD4B1652CB9cc5aA6f',
      router: '0x7a250d5630B4cF539739dF2C5dAcb4c659F2488D',
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
      poolManager: '0x000000000004444c5dc75cB358380D2e3dE08A90',
      positionManager: '0xbD216513d74C8cf14cf4747E6AaA6420FF64ee9e',
      stateView: '0x7fFE42C4a5DEeA5b0feC41C94C136Cf115597227',
      quoter: '0x52F0E24D1c21C8A0cB1e5a5dD6198556BD9E1203',
    },
    universalRouter: { address: '0x66a9893cC07D91D95644AEDD05D03f95e1dBA8Af', version: '2.0' },
  },
  subgraphs: {
    v2: 'A3Np3RQbaBA6oKJgiwDJeo5T3zrYfGHPWFYayMwtNDum',
    v3: '5zvR82QoaXYFyDEKLZ9t6v9adgnptxYpKpSbxtgVENFV',
    v4: 'DiYPVdygkfjDWhbxGSqAQxwBKmfKnkWQojqeM2rkLb3G',
  },
  tokens: [
    wrappedNative,
    usdc,
    {
      symbol: 'USDT',
      name: 'Tether USD',
      address: '0xdAC17F958D2ee523a2206206994597C13D831ec7',
      decimals: 6,
      usdPegged: true,
      priceSources: {
        feed: {
          address: '0x3E7d1eAB13ad0104d2750B8863b489D65364e32D',
          heartbeatSeconds: 86_400,
          deviationBps: 25,
          decimals: 8,
        },
        pools: [{ version: 'v3', id: '0x3416cF6C708Da44DB2624D63ea0AAef7113527C6', quote: usdc.address, fee: 100 }],
      },
    },
    {
      symbol: 'DAI',
      name: 'Dai Stablecoin',
      address: '0x6B175474E89094C44Da98b954EedeAC495271d0F',
      decimals: 18,
      usdPegged: true,
      priceSources: {
        feed: {
          address: '0xAed0c38402a5d19df6E4c03F4E2DceD6e29c1ee9',
          heartbeatSeconds: 3600,
          deviationBps: 25,
          decimals: 8,
        },
        pools: [{ version: 'v3', id: '0x5777d92f208679DB4b9778590Fa3CAB3aC9e2168', quote: usdc.address, fee: 100 }],
      },
    },
    {
      symbol: 'WBTC',
      name: 'Wrapped BTC',
      address: '0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599',
      decimals: 8,
      priceSources: {
        feed: {
          address: '0xF4030086522a5bEEa4988F8cA5B36dbC97BeE88c',
          heartbeatSeconds: 3600,
          deviationBps: 50,
          decimals: 8,
        },
        pools: [
          { version: 'v3', id: '0x4585FE77225b41b697C938B018E2Ac67Ac5a20c0', quote: wrappedNative.address, fee: 500 },
          { version: 'v3', id: '0xCBCdF9626bC03E24f779434178A73a0B4bad62eD', quote: wrappedNative.address, fee: 3000 },
          { version: 'v3', id: '0x99ac8cA7087fA4A2A1FB6357269965A2014ABc35', quote: usdc.address, fee: 3000 },
        ],
      },
    },
  ],
}
