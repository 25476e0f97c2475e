import type { Chain, ChainToken } from '../chain.ts'
import { canonical } from './canonical.ts'

const wrappedNative: ChainToken = {
  symbol: 'WETH',
  name: 'Wrapped Ether',
  address: '0x4200000000000000000000000000000000000006',
  decimals: 18,
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
  wrappedNative,
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
    {
      symbol: 'USDC',
      name: 'USD Coin',
      address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
      decimals: 6,
      usdPegged: true,
    },
    {
      symbol: 'USDbC',
      name: 'USD Base Coin (bridged from Ethereum)',
      address: '0xd9aAEc86B65D86f6A7B5B1b0c42FFA531710b6CA',
      decimals: 6,
      usdPegged: true,
    },
    {
      symbol: 'USDT',
      name: 'Tether USD (bridged from Ethereum)',
      address: '0xfde4C96c8593536E31F229EA8f37b2ADa2699bb2',
      decimals: 6,
      usdPegged: true,
    },
    {
      symbol: 'DAI',
      name: 'Dai Stablecoin',
      address: '0x50c5725949A6F0c72E6C4a641F24049A917DB0Cb',
      decimals: 18,
      usdPegged: true,
    },
    { symbol: 'WBTC', name: 'Wrapped BTC', address: '0x0555E30da8f98308EdB960aa94C0Db47230d2B9c', decimals: 8 },
    {
      symbol: 'cbBTC',
      name: 'Coinbase Wrapped BTC',
      address: '0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf',
      decimals: 8,
    },
  ],
}
