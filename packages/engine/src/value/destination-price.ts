import { announcesOrder } from '@svc/amm/cross-chain'
import type { ChainDirectory, Intent, IntentCrossChain } from '@svc/amm'
import type { Chain } from '@svc/wallet/core'
import type { Address, Log } from 'viem'
import { assetKey } from '../call/amounts.ts'
import { type PricedTokens, priceTokens, type PricingContext } from './spend-value.ts'

/** Prices with that of what arrives on another chain, at its newest block, by its own sources. Throws `RPC_*` of that chain. */
export async function withDestinationPrice(
  priced: Promise<PricedTokens>,
  { engine, intent: { crossChain } }: { readonly engine: PricingEngine; readonly intent: Pick<Intent, 'crossChain'> },
): Promise<PricedTokens> {
  if (crossChain === undefined) return priced
  const [own, there] = await Promise.all([priced, priceAtDestination(engine, crossChain)])
  return new Map([...own, ...there])
}

/** The price of what an order brings on its destination, under its key. */
export async function priceAtDestination(
  engine: PricingEngine,
  { destinationChainId, outputToken }: IntentCrossChain,
): Promise<PricedTokens> {
  const chain = engine.chains?.list().find(({ id }) => id === destinationChainId)
  if (chain === undefined) return new Map()
  const there = await priceTokens([outputToken], { ...engine, directory: engine.tokens, chain })
  const entry = there.get(outputToken.toLowerCase())
  return entry === undefined ? new Map() : new Map([[assetKey(destinationChainId, outputToken), entry]])
}

type PricingEngine = Omit<PricingContext, 'chain' | 'at' | 'bought' | 'directory'> & {
  readonly tokens: PricingContext['directory']
  /** Where one chain alone is looked at, the others are not known. */
  readonly chains?: Pick<ChainDirectory, 'list'>
}

/** Changes of the wallet with what an order that is opened brings on its destination. */
export function withOwed(
  deltas: ReadonlyMap<string, bigint>,
  order: IntentCrossChain | undefined,
): ReadonlyMap<string, bigint> {
  if (order === undefined) return deltas
  return new Map([...deltas, [assetKey(order.destinationChainId, order.outputToken), order.outputAmount]])
}

/** Whether what was mined opened the order of the intent, word for word: only then is anything owed for what left. */
export function isOpened({ intent: { crossChain }, chain, wallet }: Opened, logs: readonly Log[]): boolean {
  return crossChain !== undefined && announcesOrder(logs, crossChain, { chainId: chain.id, wallet })
}

type Opened = {
  readonly intent: Pick<Intent, 'crossChain'>
  readonly chain: Pick<Chain, 'id'>
  readonly wallet: Address
}
