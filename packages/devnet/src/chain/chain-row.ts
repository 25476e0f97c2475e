import { chains, findChain, type Chain, type ChainToken } from '@svc/wallet/core'
import { sequencerGraceSeconds } from '../feeds/feed-specs.ts'
import { priceSourcesOf } from '../feeds/price-sources.ts'
import { type Layout, multicall3Address, pairInitCodeHash, permit2Address, poolInitCodeHash } from '../seed/layout.ts'
import { type TokenSpec, tokenSpecs } from '../seed/token-specs.ts'

/** The row of the local chain for a chain table. The odd tokens are not on its list, as they would be on none. */
export function chainRow(layout: Layout, chainId: number, rpcUrl: string): Chain {
  const { contracts, agents } = layout
  const token = ({ symbol, name, decimals, usdPegged }: ListedSpec): ChainToken => {
    const priceSources = priceSourcesOf(layout, symbol)
    const address = layout.tokens[symbol]
    return { symbol, name, decimals, address, ...(usdPegged && { usdPegged }), ...(priceSources && { priceSources }) }
  }
  const tokens = tokenSpecs.filter(isListed).map(token)
  const { faucet, sponsored } = findChain(chains, `${chainId}`) ?? {}
  return {
    id: chainId,
    name: 'local',
    aliases: ['devnet', 'localhost', 'anvil'],
    testnet: true,
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    publicRpcUrls: [rpcUrl],
    explorerUrl: null,
    confirmations: 1,
    blockTimeSeconds: 1,
    maxHeadAgeSeconds: null,
    logRangeBlocks: 10_000,
    local: true,
    // Under the id of a public chain it stands for that one.
    ...(faucet && { faucet }),
    ...(sponsored && { sponsored }),
    multicall3: multicall3Address,
    permit2: permit2Address,
    wrappedNative: token(tokenSpecs[0]),
    amm: {
      v2: { factory: contracts.v2Factory, router: contracts.v2Router, pairInitCodeHash },
      v3: {
        factory: contracts.v3Factory,
        positionManager: contracts.v3PositionManager,
        swapRouter02: contracts.swapRouter02,
        quoterV2: contracts.quoterV2,
        tickLens: contracts.tickLens,
        poolInitCodeHash,
      },
      v4: {
        poolManager: contracts.poolManager,
        positionManager: contracts.v4PositionManager,
        stateView: contracts.stateView,
        quoter: contracts.v4Quoter,
      },
      universalRouter: { address: contracts.universalRouter, version: '2.1.0' },
    },
    // There is none, but what is done when one was down has to be seen somewhere.
    sequencerUptimeFeed: { address: layout.feeds.sequencer, graceSeconds: sequencerGraceSeconds },
    identityRegistry: { address: agents.identityRegistry, form: 'erc8004-v1' },
    tokens,
  }
}

type ListedSpec = TokenSpec & { readonly symbol: (typeof tokenSpecs)[number]['symbol'] }

function isListed(spec: TokenSpec): boolean {
  return spec.kind === 'weth9' || spec.kind === 'plain'
}
