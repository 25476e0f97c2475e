import type { Chain, ChainToken } from '../chain.ts'
import { canonical } from './canonical.ts'

const wrappedNative: ChainToken = {
  symbol: 'WETH',
  name: 'Wrapped Ether',
  address: '0x4200000000000000000000000000000000000006',
  decimals: 18,
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
    {
      symbol: 'USDC',
      name: 'USD Coin',
      address: '0x078D782b760474a361dDA0AF3839290b0EF57AD6',
      decimals: 6,
      usdPegged: true,
    },
    {
      symbol: 'USDT',
      name: 'Tether USD',
      address: '0x588CE4F028D8e7B53B687865d6A67b3A54C75518',
      decimals: 6,
      usdPegged: true,
    },
    {
      symbol: 'USDT0',
      name: 'USDT0',
      address: '0x9151434b16b9763660705744891fA906F660EcC5',
      decimals: 6,
      usdPegged: true,
    },
    {
      symbol: 'DAI',
      name: 'Dai Stablecoin',
      address: '0x20CAb320A855b39F724131C69424240519573f81',
      decimals: 18,
      usdPegged: true,
    },
    { symbol: 'WBTC', name: 'Wrapped BTC', address: '0x927B51f251480a681271180DA4de28D44EC4AfB8', decimals: 8 },
  ],
}
