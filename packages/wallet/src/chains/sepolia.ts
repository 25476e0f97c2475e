import { type Chain, type ChainToken, canonical } from '../chain.ts'

const usdc: ChainToken = {
  symbol: 'USDC',
  name: 'USD Coin (test)',
  address: '0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238',
  decimals: 6,
  usdPegged: true,
  priceSources: {
    feed: {
      address: '0xA2F78ab2355fe2f984D808B5CeE7FD0A93D5270E',
      heartbeatSeconds: 86_400,
      deviationBps: 25,
      decimals: 8,
    },
  },
}

const wrappedNative: ChainToken = {
  symbol: 'WETH',
  name: 'Wrapped Ether',
  address: '0xfFf9976782d46CC05630D1f6eBAb18b2324d6B14',
  decimals: 18,
  // The pool alone: it is the market here, whatever ether is worth elsewhere.
  priceSources: {
    pools: [{ version: 'v3', id: '0x6Ce0896eAE6D4BD668fDe41BB784548fb8F59b50', quote: usdc.address, fee: 3000 }],
  },
}

export const sepolia: Chain = {
  id: 11155111,
  name: 'sepolia',
  aliases: ['ethereum-sepolia', 'eth-sepolia'],
  testnet: true,
  nativeCurrency: { name: 'Sepolia Ether', symbol: 'ETH', decimals: 18 },
  publicRpcUrls: ['https://ethereum-sepolia-rpc.publicnode.com', 'https://sepolia.drpc.org'],
  explorerUrl: 'https://sepolia.etherscan.io',
  confirmations: 2,
  blockTimeSeconds: 12,
  maxHeadAgeSeconds: 180,
  // 0.1 ETH, which is worth nothing here, while fees rise without measure.
  maxGasFeeGwei: 100_000_000,
  logRangeBlocks: 2_000,
  faucet: true,
  multicall3: canonical.multicall3,
  permit2: canonical.permit2,
  orderReactor: '0x0e22B6638161A89533940Db590E67A52474bEBcd',
  wrappedNative,
  amm: {
    v2: {
      factory: '0xF62c03E08ada871A0bEb309762E260a7a6a880E6',
      router: '0xeE567Fe1712Faf6149d80dA1E6934E354124CfE3',
      pairInitCodeHash: canonical.pairInitCodeHash,
    },
    v3: {
      factory: '0x0227628f3F023bb0B980b67D528571c95c6DaC1c',
      positionManager: '0x1238536071E1c677A632429e3655c799b22cDA52',
      swapRouter02: '0x3bFA4769FB09eefC5a80d6E87c3B9C650f7Ae48E',
      quoterV2: '0xEd1f6473345F45b75F8179591dd5bA1888cf2FB3',
      tickLens: '0x0b343475d44EC2b4b8243EBF81dc888BF0A14b36',
      poolInitCodeHash: canonical.poolInitCodeHash,
    },
    v4: {
      poolManager: '0xE03A1074c86CFeDd5C142C4F04F1a1536e203543',
      positionManager: '0x429ba70129df741B2Ca2a85BC3A2a3328e5c09b4',
      stateView: '0xE1Dd9c3fA50EDB962E442f60DfBc432e24537E4C',
      quoter: '0x61B3f2011A92d183C7dbaDBdA940a7555Ccf9227',
    },
    universalRouter: { address: '0x3A9D48AB9751398BbFa63ad67599Bb04e4BdF98b', version: '2.0' },
  },
  tokens: [wrappedNative, usdc],
}
