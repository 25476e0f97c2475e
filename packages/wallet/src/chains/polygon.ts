import { type Chain, type ChainToken, canonical } from '../chain.ts'

const usdc: ChainToken = {
  symbol: 'USDC',
  name: 'USD Coin',
  address: '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359',
  decimals: 6,
  usdPegged: true,
  priceSources: {
    feed: {
      address: '0xfE4A8cc5b5B2366C1B58Bea3858e81843581b2F7',
      heartbeatSeconds: 86_400,
      deviationBps: 25,
      decimals: 8,
    },
  },
}

const usdcBridged: ChainToken = {
  symbol: 'USDC.e',
  name: 'USD Coin (bridged from Ethereum)',
  address: '0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174',
  decimals: 6,
  usdPegged: true,
  priceSources: {
    pools: [{ version: 'v3', id: '0xD36ec33c8bed5a9F7B6630855f1533455b98a418', quote: usdc.address, fee: 100 }],
  },
}

const weth: ChainToken = {
  symbol: 'WETH',
  name: 'Wrapped Ether',
  address: '0x7ceB23fD6bC0adD59E62ac25578270cFf1b9f619',
  decimals: 18,
  priceSources: {
    feed: {
      address: '0xF9680D99D6C9589e2a93a78A04A279e509205945',
      heartbeatSeconds: 3600,
      deviationBps: 50,
      decimals: 8,
    },
    pools: [
      { version: 'v3', id: '0xA4D8c89f0c20efbe54cBa9e7e7a7E509056228D9', quote: usdc.address, fee: 500 },
      { version: 'v3', id: '0x45dDa9cb7c25131DF268515131f647d726f50608', quote: usdcBridged.address, fee: 500 },
    ],
  },
}

const wrappedNative: ChainToken = {
  symbol: 'WPOL',
  name: 'Wrapped POL',
  address: '0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270',
  decimals: 18,
  priceSources: {
    feed: {
      // It still bears the name of MATIC.
      address: '0xAB594600376Ec9fD91F8e885dADF0CE036862dE0',
      // Published are 27 seconds; who is late by minutes does not stand still.
      heartbeatSeconds: 300,
      deviationBps: 50,
      decimals: 8,
    },
    pools: [
      { version: 'v3', id: '0xB6e57ed85c4c9dbfEF2a68711e9d6f36c56e0FcB', quote: usdc.address, fee: 500 },
      { version: 'v3', id: '0xA374094527e1673A86dE625aa59517c5dE346d32', quote: usdcBridged.address, fee: 500 },
      { version: 'v3', id: '0x167384319B41F7094e62f7506409Eb38079AbfF8', quote: weth.address, fee: 3000 },
    ],
  },
}

export const polygon: Chain = {
  id: 137,
  name: 'polygon',
  aliases: ['matic', 'polygon-pos'],
  testnet: false,
  nativeCurrency: { name: 'POL', symbol: 'POL', decimals: 18 },
  publicRpcUrls: ['https://polygon-bor-rpc.publicnode.com', 'https://polygon.drpc.org'],
  explorerUrl: 'https://polygonscan.com',
  confirmations: 8,
  blockTimeSeconds: 2,
  maxHeadAgeSeconds: 60,
  // Validators take none below 25 gwei.
  ordinaryTipGwei: 100,
  // 2 POL: 1.2 million gas at twice a base fee of 800 gwei, for POL is cheap and gas is counted in it.
  maxGasFeeGwei: 2_000_000_000,
  logRangeBlocks: 2_000,
  multicall3: canonical.multicall3,
  permit2: canonical.permit2,
  rewardDistributor: canonical.rewardDistributor,
  wrappedNative,
  amm: {
    v2: {
      factory: '0x9e5A52f57b3038F1B8EeE45F28b3C1967e22799C',
      router: '0xedf6066a2b290C185783862C7F4776A2C8077AD1',
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
      poolManager: '0x67366782805870060151383F4BbFF9daB53e5cD6',
      positionManager: '0x1Ec2eBf4F37E7363FDfe3551602425af0B3ceef9',
      stateView: '0x5eA1bD7974c8A611cBAB0bDCAFcB1D9CC9b3BA5a',
      quoter: '0xb3d5c3Dfc3a7aEbFF71895A7191796BFFc2c81b9',
    },
    universalRouter: { address: '0x1095692A6237d83C6a72F3F5eFEdb9A670C49223', version: '2.0' },
  },
  subgraphs: {
    v3: '3hCPRGf4z88VC5rsBKU5AA9FBBq5nF3jbKJG7VZCbhjm',
    v4: 'CwpebM66AH5uqS5sreKij8yEkkPcHvmyEs7EwFtdM5ND',
  },
  tokens: [
    wrappedNative,
    weth,
    usdc,
    usdcBridged,
    {
      symbol: 'USDT',
      name: 'Tether USD',
      address: '0xc2132D05D31c914a87C6611C10748AEb04B58e8F',
      decimals: 6,
      usdPegged: true,
      priceSources: {
        feed: {
          address: '0x0A6513e40db6EB1b165753AD52E80663aeA50545',
          heartbeatSeconds: 86_400,
          deviationBps: 25,
          decimals: 8,
        },
        pools: [{ version: 'v3', id: '0x31083a78E11B18e450fd139F9ABEa98CD53181B7', quote: usdc.address, fee: 100 }],
      },
    },
    {
      symbol: 'DAI',
      name: 'Dai Stablecoin',
      address: '0x8f3Cf7ad23Cd3CaDbD9735AFf958023239c6A063',
      decimals: 18,
      usdPegged: true,
      priceSources: {
        feed: {
          address: '0x4746DeC9e833A82EC7C2C1356372CcF2cfcD2F3D',
          heartbeatSeconds: 86_400,
          deviationBps: 25,
          decimals: 8,
        },
      },
    },
    {
      symbol: 'WBTC',
      name: 'Wrapped BTC',
      address: '0x1BFD67037B42Cf73acF2047067bd4F2C47D9BfD6',
      decimals: 8,
      priceSources: {
        feed: {
          address: '0xDE31F8bFBD8c84b5360CFACCa3539B938dd78ae6',
          heartbeatSeconds: 86_400,
          deviationBps: 50,
          decimals: 8,
        },
        pools: [
          { version: 'v3', id: '0x50eaEDB835021E4A108B7290636d62E9765cc6d7', quote: weth.address, fee: 500 },
          { version: 'v3', id: '0xfe343675878100b344802A6763fd373fDeed07A4', quote: weth.address, fee: 3000 },
        ],
      },
    },
  ],
}
