import { type Chain, type ChainToken, canonical } from '../chain.ts'

const usdc: ChainToken = {
  symbol: 'USDC',
  name: 'USD Coin',
  address: '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E',
  decimals: 6,
  usdPegged: true,
  priceSources: {
    feed: {
      address: '0xF096872672F44d6EBA71458D74fe67F9a77a23B9',
      heartbeatSeconds: 86_400,
      deviationBps: 25,
      decimals: 8,
    },
  },
}

const wrappedNative: ChainToken = {
  symbol: 'WAVAX',
  name: 'Wrapped AVAX',
  address: '0xB31f66AA3C1e785363F0875A1B74E27b85FD66c7',
  decimals: 18,
  priceSources: {
    feed: {
      address: '0x0A77230d17318075983913bC2145DB16C7366156',
      // Published are 120 seconds; who is late by minutes does not stand still.
      heartbeatSeconds: 300,
      deviationBps: 50,
      decimals: 8,
    },
    pools: [{ version: 'v3', id: '0xfAe3f424a0a47706811521E3ee268f00cFb5c45E', quote: usdc.address, fee: 500 }],
  },
}

export const avalanche: Chain = {
  id: 43114,
  name: 'avalanche',
  aliases: ['avax', 'avalanche-c'],
  testnet: false,
  nativeCurrency: { name: 'Avalanche', symbol: 'AVAX', decimals: 18 },
  publicRpcUrls: ['https://api.avax.network/ext/bc/C/rpc', 'https://avalanche-c-chain-rpc.publicnode.com'],
  explorerUrl: 'https://snowtrace.io',
  confirmations: 1,
  blockTimeSeconds: 1.7,
  maxHeadAgeSeconds: 60,
  // 0.2 AVAX: 1.2 million gas at twice a base fee of 80 gwei.
  maxGasFeeGwei: 200_000_000,
  logRangeBlocks: 2_000,
  multicall3: canonical.multicall3,
  permit2: canonical.permit2,
  rewardDistributor: canonical.rewardDistributor,
  wrappedNative,
  amm: {
    v2: {
      factory: '0x9e5A52f57b3038F1B8EeE45F28b3C1967e22799C',
      router: '0x4752ba5DBc23f44D87826276BF6Fd6b1C372aD24',
      pairInitCodeHash: canonical.pairInitCodeHash,
    },
    v3: {
      factory: '0x740b1c1de25031C31FF4fC9A62f554A55cdC1baD',
      positionManager: '0x655C406EBFa14EE2006250925e54ec43AD184f8B',
      swapRouter02: '0xbb00FF08d01D300023C629E8fFfFcb65A5a578cE',
      quoterV2: '0xbe0F5544EC67e9B3b2D979aaA43f18Fd87E6257F',
      tickLens: '0xEB9fFC8bf81b4fFd11fb6A63a6B0f098c6e21950',
      poolInitCodeHash: canonical.poolInitCodeHash,
    },
    v4: {
      poolManager: '0x06380C0e0912312B5150364B9DC4542BA0DbBc85',
      positionManager: '0xB74b1F14d2754AcfcbBe1a221023a5cf50Ab8ACD',
      stateView: '0xc3c9e198C735a4b97e3e683f391cCBDD60B69286',
      quoter: '0xbE40675BB704506a3c2Ccfb762DCFd1e979845C2',
    },
    universalRouter: { address: '0x94b75331AE8d42C1b61065089B7d48FE14aA73b7', version: '2.0' },
  },
  tokens: [
    wrappedNative,
    usdc,
    {
      symbol: 'USDC.e',
      name: 'USD Coin (bridged from Ethereum)',
      address: '0xA7D7079b0FEaD91F3e65f86E8915Cb59c1a4C664',
      decimals: 6,
      usdPegged: true,
      // The feed of what it stands for, as with DAI.e and WETH.e: no pool here is deep enough to say what the bridge is worth.
      priceSources: {
        feed: {
          address: '0xF096872672F44d6EBA71458D74fe67F9a77a23B9',
          heartbeatSeconds: 86_400,
          deviationBps: 25,
          decimals: 8,
        },
      },
    },
    {
      symbol: 'USDT',
      name: 'Tether USD',
      address: '0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7',
      decimals: 6,
      usdPegged: true,
      priceSources: {
        feed: {
          address: '0xEBE676ee90Fe1112671f19b6B7459bC678B67e8a',
          heartbeatSeconds: 86_400,
          deviationBps: 25,
          decimals: 8,
        },
        pools: [{ version: 'v3', id: '0x804226cA4EDb38e7eF56D16d16E92dc3223347A0', quote: usdc.address, fee: 100 }],
      },
    },
    {
      symbol: 'DAI.e',
      name: 'Dai Stablecoin (bridged from Ethereum)',
      address: '0xd586E7F844cEa2F87f50152665BCbc2C279D8d70',
      decimals: 18,
      usdPegged: true,
      priceSources: {
        feed: {
          address: '0x51D7180edA2260cc4F6e4EebB82FEF5c3c2B8300',
          heartbeatSeconds: 86_400,
          deviationBps: 25,
          decimals: 8,
        },
      },
    },
    {
      symbol: 'WBTC.e',
      name: 'Wrapped BTC (bridged from Ethereum)',
      address: '0x50b7545627a5162F82A992c33b87aDc75187B218',
      decimals: 8,
      priceSources: {
        feed: {
          address: '0x86442E3a98558357d46E6182F4b262f76c4fa26F',
          heartbeatSeconds: 86_400,
          deviationBps: 50,
          decimals: 8,
        },
      },
    },
    {
      symbol: 'WETH.e',
      name: 'Wrapped Ether (bridged from Ethereum)',
      address: '0x49D5c2BdFfac6CE2BFdB6640F4F80f226bc10bAB',
      decimals: 18,
      priceSources: {
        feed: {
          address: '0x976B3D034E162d8bD72D6b9C989d545b839003b0',
          heartbeatSeconds: 86_400,
          deviationBps: 50,
          decimals: 8,
        },
      },
    },
  ],
}
