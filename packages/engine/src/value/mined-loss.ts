import type { Address } from 'viem'
import type { BlockTime } from '@svc/amm'
import type { Log } from '@svc/runtime'
import { trustedPrices } from './call-value.ts'
import { type PricedTokens, priceTokens, type PricingContext } from './spend-value.ts'
import type { Holdings } from './trusted-value.ts'
import { mostLost } from './weigh-change.ts'

/** Prices of a block that mined something, however long ago that was; `null` where none can be had. */
export async function pricesIn(
  { engine, call, chain }: MinedContext,
  minedIn: BlockTime,
  { tokens, bought }: { readonly tokens: readonly Address[]; readonly bought: ReadonlySet<string> },
): Promise<PricedTokens | null> {
  const now = () => Number(minedIn.timestamp) * 1_000
  try {
    return await priceTokens(tokens, { ...engine, directory: engine.tokens, chain, at: minedIn, bought, now })
  } catch (error) {
    engine.log.warn('settle.unpriced', { requestId: call.requestId, error })
    return null
  }
}

type MinedContext = Pick<PricingContext, 'chain'> & {
  readonly engine: Omit<PricingContext, 'chain' | 'at' | 'bought' | 'now' | 'directory'> & {
    readonly tokens: PricingContext['directory']
    readonly log: Pick<Log, 'warn'>
  }
  readonly call: { readonly requestId: string }
}

/** What changes of the wallet have lost by themselves, in millionths of a US dollar. */
export function lostBy(deltas: ReadonlyMap<string, bigint>, priced: PricedTokens, wrappedNative: string): bigint {
  const moved = { leaves: tokensOf(deltas, -1n), arrives: tokensOf(deltas, 1n) }
  return mostLost(moved, trustedPrices(priced), wrappedNative.toLowerCase())
}

/**
 * By how much less a wallet came out than simulated, in whole percent of the larger side of what the simulation moved,
 * all in US dollars: what one token lost another may have gained, as when a price moves through a position. A token
 * without a trusted price counts as nothing: whoever made it decides what it does. So does a loss below one dollar.
 */
export function lossPct(
  simulated: ReadonlyMap<string, bigint>,
  real: ReadonlyMap<string, bigint>,
  worth: Worth,
): number {
  let [lost, out, into] = [0n, 0n, 0n]
  for (const token of new Set([...simulated.keys(), ...real.keys()])) {
    const expected = simulated.get(token) ?? 0n
    const missing = expected - (real.get(token) ?? 0n)
    const missingUsdMicros = worth(token, magnitude(missing))
    if (missingUsdMicros === null) continue
    lost += missing < 0n ? -missingUsdMicros : missingUsdMicros
    const expectedUsdMicros = worth(token, magnitude(expected)) ?? 0n
    if (expected < 0n) out += expectedUsdMicros
    else into += expectedUsdMicros
  }
  return lost < dustUsdMicros ? 0 : percentOf(lost, out > into ? out : into)
}

/** Millionths of a US dollar of an amount, or `null` without a trusted price. */
export type Worth = (token: string, amount: bigint) => bigint | null

/** What left (-1) or arrived (1). */
export function tokensOf(deltas: ReadonlyMap<string, bigint>, sign: 1n | -1n): Holdings {
  const tokens = new Map([...deltas].flatMap(([token, delta]) => (delta * sign > 0n ? [[token, delta * sign]] : [])))
  return { tokens, positions: [], shares: [] }
}

/** A loss below it is none. */
export const dustUsdMicros = 1_000_000n

/** Whole percent; of nothing, any part is infinitely much. */
export function percentOf(part: bigint, whole: bigint): number {
  if (part <= 0n) return 0
  return whole === 0n ? Infinity : Number((part * 100n) / whole)
}

function magnitude(amount: bigint): bigint {
  return amount < 0n ? -amount : amount
}
