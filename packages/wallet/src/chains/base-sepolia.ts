import { type Chain, type ChainToken, canonical } from '../chain.ts'

const usdc: ChainToken = {
  symbol: 'USDC',
  name: 'USD Coin (test)',
  address: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
  decimals: 6,
  usdPegged: true,
  priceSources: {
    feed: {
      address: '0xd30e2101a97dcbAeBCBC04F14C3f624E67A35165',
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
  // The pool alone: it is the market here, whatever ether is worth elsewhere.
  priceSources: {
    pools: [{ version: 'v3', id: '0x46880b404CD35c165EDdefF7421019F8dD25F4Ad', quote: usdc.address, fee: 3000 }],
  },
}

export const baseSepolia: Chain = {
  id: 84532,
  name: 'base-sepolia',
  aliases: ['basesepolia'],
  testnet: true,
  nativeCurrency: { name: 'Sepolia Ether', symbol: 'ETH', decimals: 18 },
  publicRpcUrls: ['https://sepolia.base.org', 'https://base-sepolia-rpc.publicnode.com'],
  explorerUrl: 'https://sepolia.basescan.org',
  confirmations: 1,
  blockTimeSeconds: 2,
  maxHeadAgeSeconds: 60,
  logRangeBlocks: 2_000,
  l1DataFee: true,
  faucet: true,
  multicall3: canonical.multicall3,
  permit2: canonical.permit2,
  wrappedNative,
  amm: {
    v2: {
      factory: '0x7Ae58f10f7849cA6F5fB71b7f45CB416c9204b1e',
      router: '0x1689E7B1F10000AE47eBfE339a4f69dECd19F602',
      pairInitCodeHash: canonical.pairInitCodeHash,
    },
    v3: {
      factory: '0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24',
      positionManager: '0x27F971cb582BF9E50F397e4d29a5C7A34f11faA2',
      swapRouter02: '0x94cC0AaC535CCDB3C01d6787D6413C739ae12bc4',
      quoterV2: '0xC5290058841028F1614F3A6F0F5816cAd0df5E27',
      tickLens: '0xedf6066a2b290C185783862C7F4776A2C8077AD1',
      poolInitCodeHash: canonical.poolInitCodeHash,
    },
    v4: {
      poolManager: '0x05E73354cFDd6745C338b50BcFDfA3Aa6fA03408',
      positionManager: '0x4B2C77d209D3405F41a037Ec6c77F7F5b8e2ca80',
      stateView: '0x571291b572ed32ce6751a2Cb2486EbEe8DEfB9B4',
      quoter: '0x4A6513c898fe1B2d0E78d3b0e0A4a151589B1cBa',
    },
    universalRouter: { address: '0x492E6456D9528771018DeB9E87ef7750EF184104', version: '2.0' },
  },
  tokens: [wrappedNative, usdc],
}
