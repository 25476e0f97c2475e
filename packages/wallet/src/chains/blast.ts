import { type Chain, type ChainToken, canonical } from '../chain.ts'

/** Its peg is all there is: nobody keeps an aggregator here any more, and no other dollar token is listed. */
const usdb: ChainToken = {
  symbol: 'USDB',
  name: 'USDB',
  address: '0x4300000000000000000000000000000000000003',
  decimals: 18,
  usdPegged: true,
}

const wrappedNative: ChainToken = {
  symbol: 'WETH',
  name: 'Wrapped Ether',
  address: '0x4300000000000000000000000000000000000004',
  decimals: 18,
  priceSources: {
    pools: [
      { version: 'v3', id: '0xf5A23bDD36a56EDe75D503F6f643d5eaF25B1a8F', quote: usdb.address, fee: 500 },
      { version: 'v3', id: '0xf52B4b69123CbcF07798AE8265642793b2E8990C', quote: usdb.address, fee: 3000 },
    ],
  },
}

export const blast: Chain = {
  id: 81457,
  name: 'blast',
  aliases: ['blast-mainnet'],
  testnet: false,
  nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
  publicRpcUrls: ['https://rpc.blast.io', 'https://blast-rpc.publicnode.com'],
  explorerUrl: 'https://blastscan.io',
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
      factory: '0x5C346464d33F90bABaf70dB6388507CC889C1070',
      router: '0xBB66Eb1c5e875933D44DAe661dbD80e5D9B03035',
      pairInitCodeHash: canonical.pairInitCodeHash,
    },
    v3: {
      factory: '0x792edAdE80af5fC680d96a2eD80A44247D2Cf6Fd',
      positionManager: '0xB218e4f7cF0533d4696fDfC419A0023D33345F28',
      swapRouter02: '0x549FEB8c9bd4c12Ad2AB27022dA12492aC452B66',
      quoterV2: '0x6Cdcd65e03c1CEc3730AeeCd45bc140D57A25C77',
      tickLens: '0x2E95185bCdD928a3e984B7e2D6560Ab1b17d7274',
      poolInitCodeHash: canonical.poolInitCodeHash,
    },
    v4: {
      poolManager: '0x1631559198A9e474033433b2958daBC135ab6446',
      positionManager: '0x4AD2F4CcA2682cBB5B950d660dD458a1D3f1bAaD',
      stateView: '0x12a88AE16F46DCe4e8B15368008Ab3380885df30',
      quoter: '0x6F71Cdcb0d119fF72C6eb501ABCEb576fBF62BCF',
    },
    universalRouter: { address: '0xeAbBcB3E8E415306207ef514f660A3F820025BE3', version: '2.0' },
  },
  tokens: [
    wrappedNative,
    usdb,
    {
      symbol: 'WBTC',
      name: 'Wrapped BTC',
      address: '0xF7bc58b8D8f97ADC129cfC4c9f45Ce3C0E1D2692',
      decimals: 8,
      priceSources: {
        pools: [
          { version: 'v3', id: '0xf52df2cDE73228cc058aBfE88F3801dcdDF885eb', quote: wrappedNative.address, fee: 500 },
        ],
      },
    },
  ],
}
