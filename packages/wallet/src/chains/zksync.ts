import type { Chain, ChainToken } from '../chain.ts'

const usdc: ChainToken = {
  symbol: 'USDC',
  name: 'USD Coin',
  address: '0x1d17CBcF0D6D143135aE902365D2E5e2A16538D4',
  decimals: 6,
  usdPegged: true,
  priceSources: {
    feed: {
      address: '0x1824D297C6d6D311A204495277B63e943C2D376E',
      heartbeatSeconds: 86_400,
      deviationBps: 25,
      decimals: 8,
    },
  },
}

const usdcBridged: ChainToken = {
  symbol: 'USDC.e',
  name: 'USD Coin (bridged from Ethereum)',
  address: '0x3355df6D4c9C3035724Fd0e3914dE96A5a83aaf4',
  decimals: 6,
  usdPegged: true,
  priceSources: {
    pools: [{ version: 'v3', id: '0x23C77A553AAc0ad009441C856c05D117c1131e3d', quote: usdc.address, fee: 100 }],
  },
}

const wrappedNative: ChainToken = {
  symbol: 'WETH',
  name: 'Wrapped Ether',
  address: '0x5AEa5775959fBC2557Cc8789bC1bf90A239D9a91',
  decimals: 18,
  priceSources: {
    feed: {
      address: '0x6D41d1dc818112880b40e26BD6FD347E41008eDA',
      heartbeatSeconds: 86_400,
      deviationBps: 50,
      decimals: 8,
    },
    pools: [{ version: 'v3', id: '0x3e3dD517fEC2E70EDdba2a626422a4BA286e8c38', quote: usdcBridged.address, fee: 500 }],
  },
}

/**
 * The virtual machine here derives CREATE2 addresses by a formula of its own: ask the factory for a pool. The router
 * deployed as universal router is older than version 2.0, and v2 and v4 are not deployed: all three are left out.
 */
export const zksync: Chain = {
  id: 324,
  name: 'zksync',
  aliases: ['zksync-era', 'era'],
  testnet: false,
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  publicRpcUrls: ['https://mainnet.era.zksync.io', 'https://zksync.drpc.org'],
  explorerUrl: 'https://explorer.zksync.io',
  confirmations: 1,
  blockTimeSeconds: 1,
  maxHeadAgeSeconds: 60,
  logRangeBlocks: 2_000,
  multicall3: '0xF9cda624FBC7e059355ce98a31693d299FACd963',
  permit2: '0x0000000000225e31D15943971F47aD3022F714Fa',
  wrappedNative,
  sequencerUptimeFeed: { address: '0x0E6AC8B967393dcD3D36677c126976157F993940', graceSeconds: 3600 },
  amm: {
    v3: {
      factory: '0x8FdA5a7a8dCA67BBcDd10F02Fa0649A937215422',
      positionManager: '0x0616e5762c1E7Dc3723c50663dF10a162D690a86',
      swapRouter02: '0x99c56385daBCE3E81d8499d0b8d0257aBC07E8A3',
      quoterV2: '0x8Cb537fc92E26d8EBBb760E632c95484b6Ea3e28',
      tickLens: '0xe10FF11b809f8EE07b056B452c3B2caa7FE24f89',
      poolInitCodeHash: '0x010013f177ea1fcbc4520f9a3ca7cd2d1d77959e05aa66484027cb38e712aeed',
    },
  },
  tokens: [
    wrappedNative,
    usdc,
    usdcBridged,
    {
      symbol: 'USDT',
      name: 'Tether USD',
      address: '0x493257fD37EDB34451f62EDf8D2a0C418852bA4C',
      decimals: 6,
      usdPegged: true,
      priceSources: {
        feed: {
          address: '0xB615075979AE1836B476F651f1eB79f0Cd3956a9',
          heartbeatSeconds: 86_400,
          deviationBps: 25,
          decimals: 8,
        },
      },
    },
    {
      symbol: 'DAI',
      name: 'Dai Stablecoin',
      address: '0x4B9eb6c0b6ea15176BBF62841C6B2A8a398cb656',
      decimals: 18,
      usdPegged: true,
      priceSources: {
        feed: {
          address: '0x5d336664b5D7A332Cd256Bf68CbF2270C6202fc6',
          heartbeatSeconds: 86_400,
          deviationBps: 25,
          decimals: 8,
        },
      },
    },
    {
      symbol: 'WBTC',
      name: 'Wrapped BTC',
      address: '0xBBeB516fb02a01611cBBE0453Fe3c580D7281011',
      decimals: 8,
      priceSources: {
        feed: {
          address: '0x4Cba285c15e3B540C474A114a7b135193e4f1EA6',
          heartbeatSeconds: 86_400,
          deviationBps: 50,
          decimals: 8,
        },
      },
    },
  ],
}
