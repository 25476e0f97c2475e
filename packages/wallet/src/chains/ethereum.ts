import type { Chain, ChainToken } from '../chain.ts'
import { canonical } from './canonical.ts'

const wrappedNative: ChainToken = {
  symbol: 'WETH',
  name: 'Wrapped Ether',
  address: '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2',
  decimals: 18,
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
    {
      symbol: 'USDC',
      name: 'USD Coin',
      address: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
      decimals: 6,
      usdPegged: true,
    },
    {
      symbol: 'USDT',
      name: 'Tether USD',
      address: '0xdAC17F958D2ee523a2206206994597C13D831ec7',
      decimals: 6,
      usdPegged: true,
    },
    {
      symbol: 'DAI',
      name: 'Dai Stablecoin',
      address: '0x6B175474E89094C44Da98b954EedeAC495271d0F',
      decimals: 18,
      usdPegged: true,
    },
    { symbol: 'WBTC', name: 'Wrapped BTC', address: '0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599', decimals: 8 },
  ],
}
