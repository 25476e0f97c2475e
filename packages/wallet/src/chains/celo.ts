import { type Chain, type ChainToken, canonical } from '../chain.ts'

const usdc: ChainToken = {
  symbol: 'USDC',
  name: 'USD Coin',
  address: '0xcebA9300f2b948710d2653dD7B07f33A8B32118C',
  decimals: 6,
  usdPegged: true,
  priceSources: {
    feed: {
      address: '0xc7A353BaE210aed958a1A2928b654938EC59DaB2',
      heartbeatSeconds: 86_400,
      deviationBps: 25,
      decimals: 8,
    },
  },
}

const usdt: ChainToken = {
  symbol: 'USDT',
  name: 'Tether USD',
  address: '0x48065fbBE25f71C9282ddf5e1cD6D6A887483D5e',
  decimals: 6,
  usdPegged: true,
  priceSources: {
    feed: {
      address: '0x5e37AF40A7A344ec9b03CCD34a250F3dA9a20B02',
      heartbeatSeconds: 86_400,
      deviationBps: 25,
      decimals: 8,
    },
    pools: [{ version: 'v3', id: '0x1a810e0B6c2dd5629AFa2f0c898b9512C6F78846', quote: usdc.address, fee: 100 }],
  },
}

const wrappedNative: ChainToken = {
  symbol: 'CELO',
  name: 'Celo native asset',
  address: '0x471EcE3750Da237f93B8E339c536989b8978a438',
  decimals: 18,
  priceSources: {
    feed: {
      address: '0x0568fD19986748cEfF3301e55c0eb1E729E0Ab7e',
      heartbeatSeconds: 86_400,
      deviationBps: 50,
      decimals: 8,
    },
    pools: [{ version: 'v3', id: '0x6cde5f5a192fBf3fD84df983aa6DC30dbd9f8Fac', quote: usdt.address, fee: 100 }],
  },
}

/**
 * CELO is its own ERC-20: it is never wrapped, and the native balance is the token balance. No v2 router is published
 * for the v2 factory here, so v2 is left out.
 */
export const celo: Chain = {
  id: 42220,
  name: 'celo',
  aliases: ['celo-mainnet'],
  testnet: false,
  nativeCurrency: { name: 'CELO', symbol: 'CELO', decimals: 18 },
  publicRpcUrls: ['https://forno.celo.org', 'https://celo-rpc.publicnode.com'],
  explorerUrl: 'https://celoscan.io',
  confirmations: 1,
  blockTimeSeconds: 1,
  maxHeadAgeSeconds: 60,
  // 1 CELO: 1.2 million gas at twice a base fee of 400 gwei, for CELO is cheap and gas is counted in it.
  maxGasFeeGwei: 1_000_000_000,
  logRangeBlocks: 2_000,
  multicall3: canonical.multicall3,
  permit2: canonical.permit2,
  wrappedNative,
  sequencerUptimeFeed: { address: '0x4CD491Dc27C8B0BbD10D516A502856B786939d18', graceSeconds: 3600 },
  amm: {
    v3: {
      factory: '0xAfE208a311B21f13EF87E33A90049fC17A7acDEc',
      positionManager: '0x3d79EdAaBC0EaB6F08ED885C05Fc0B014290D95A',
      swapRouter02: '0x5615CDAb10dc425a742d643d949a7F474C01abc4',
      quoterV2: '0x82825d0554fA07f7FC52Ab63c961F330fdEFa8E8',
      tickLens: '0x5f115D9113F88e0a0Db1b5033D90D4a9690AcD3D',
      poolInitCodeHash: canonical.poolInitCodeHash,
    },
    v4: {
      poolManager: '0x288dc841A52FCA2707c6947B3A777c5E56cd87BC',
      positionManager: '0xf7965f3981e4D5BC383BfBCb61501763e9068CA9',
      stateView: '0xbc21f8720BABf4b20d195eE5C6e99c52b76F2bfb',
      quoter: '0x28566da1093609182dFf2cB2A91CFD72e61d66cd',
    },
    universalRouter: { address: '0xcb695bc5D3Aa22cAD1E6DF07801b061a05A0233A', version: '2.0' },
  },
  subgraphs: {
    v3: 'ESdrTJ3twMwWVoQ1hUE2u7PugEHX3QkenudD6aXCkDQ4',
  },
  tokens: [
    wrappedNative,
    usdc,
    usdt,
    {
      symbol: 'WETH',
      name: 'Wrapped Ether (bridged from Ethereum)',
      address: '0x2DEf4285787d58a2f811AF24755A8150622f4361',
      decimals: 18,
      // The feed is of ether: no pool here is deep enough to say what the bridge is worth.
      priceSources: {
        feed: {
          address: '0x1FcD30A73D67639c1cD89ff5746E7585731c083B',
          heartbeatSeconds: 86_400,
          deviationBps: 50,
          decimals: 8,
        },
      },
    },
  ],
}
