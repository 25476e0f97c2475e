import type { Chain, ChainToken } from '../chain.ts'
import { canonical } from './canonical.ts'

const wrappedNative: ChainToken = {
  symbol: 'WETH',
  name: 'Wrapped Ether',
  address: '0x4200000000000000000000000000000000000006',
  decimals: 18,
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
  wrappedNative,
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
    {
      symbol: 'USDC',
      name: 'USD Coin',
      address: '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85',
      decimals: 6,
      usdPegged: true,
    },
    {
      symbol: 'USDC.e',
      name: 'USD Coin (bridged from Ethereum)',
      address: '0x7F5c764cBc14f9669B88837ca1490cCa17c31607',
      decimals: 6,
      usdPegged: true,
    },
    {
      symbol: 'USDT',
      name: 'Tether USD',
      address: '0x94b008aA00579c1307B0EF2c499aD98a8ce58e58',
      decimals: 6,
      usdPegged: true,
    },
    {
      symbol: 'USDT0',
      name: 'USDT0',
      address: '0x01bFF41798a0BcF287b996046Ca68b395DbC1071',
      decimals: 6,
      usdPegged: true,
    },
    {
      symbol: 'DAI',
      name: 'Dai Stablecoin',
      address: '0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1',
      decimals: 18,
      usdPegged: true,
    },
    { symbol: 'WBTC', name: 'Wrapped BTC', address: '0x68f180fcCe6836688e9084f035309E29Bf0A2095', decimals: 8 },
  ],
}
