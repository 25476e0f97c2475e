import { getAmountsForLiquidity, getSqrtPriceAtTick } from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import { type Address, isAddressEqual } from 'viem'
import type { Alongside, BlockTime, Pool, Position, Token, ReadPorts } from '../../ports.ts'
import { readAtHead, joinQueries, knownQuery, type Query, readQuery } from '../../rpc/query.ts'

/** A position with what its liquidity would pay out now. */
export function positionOf(facts: Omit<Position, 'pool' | 'amount0' | 'amount1'>, pool: Pool): Position {
  const { tickLower, tickUpper, liquidity } = facts
  const amounts = getAmountsForLiquidity(
    pool.sqrtPriceX96,
    getSqrtPriceAtTick(tickLower),
    getSqrtPriceAtTick(tickUpper),
    liquidity,
    false,
  )
  return { ...facts, pool, ...amounts }
}

/** What a position came to at the block that it was read at; `null` where it is not there. */
export type PositionAt = (blockNumber: bigint) => Position | null

/**
 * Reads positions in two exchanges: what is kept of each, at the newest block where none is named, and then, while its tokens are
 * looked up, the state of its range. Those of which it is known where they stood take a single one, as long as they stand there still.
 * `null` for those that are not there, and of owners and beyond the number that are asked for.
 *
 * @throws ToolError `RPC_*`
 */
export async function readRanges<Place, Record extends Place & { readonly owner: Address }, State>(
  ports: ReadPorts,
  chain: Chain,
  asked: RangeReads<Place, Record, State>,
): Promise<readonly (StandingRange<Record, State> | null)[]> {
  const { rangeOf, tokensOf, placeOf, likely, reading } = asked
  const pairOf = async (place: Place, at: BlockTime) => {
    const [one, other] = tokensOf(place)
    const tokens = await Promise.all([ports.tokens.byAddress(chain, one), ports.tokens.byAddress(chain, other)])
    reading.alongside?.(tokens, at)
    return tokens
  }
  // Begun as soon as the block is known; a failure is that of the reading of the same tokens below.
  for (const place of reading.at === undefined ? [] : likely) {
    if (place !== null) void pairOf(place, reading.at as BlockTime).catch(() => undefined)
  }
  const { head, records, states } = await readRecords(ports, chain, asked)
  const isStanding = (index: number) => {
    const [record, place] = [records[index] ?? null, likely[index] ?? null]
    return record !== null && place !== null && placeOf(record) === placeOf(place)
  }
  const ranges = records.map((record, index) =>
    record === null || isStanding(index) ? knownQuery(states[index] ?? null) : rangeOf(record),
  )
  const [found, tokens] = await Promise.all([
    readQuery(ports.rpc.client(chain), chain, joinQueries(ranges), head.number),
    Promise.all(records.map(async (record) => (record === null ? null : pairOf(record, head)))),
  ])
  return records.map((record, index) => {
    const [state, pair] = [found[index] ?? null, tokens[index] ?? null]
    if (record === null || state === null || pair === null) return null
    return { record, state, tokens: pair, blockNumber: head.number }
  })
}

/** At which block positions are read, the newest where none is named, which of them, and what is begun beside it. */
export type PositionReading = {
  readonly at?: BlockTime
  readonly alongside?: Alongside | undefined
  /** A position as it stood when it was read before. */
  readonly before?: (positionId: bigint) => Position | null
  /** Those of others count as if they were not there. */
  readonly owner?: Address
  /** The first of those that are there; all unless given. */
  readonly most?: number
}

/** `Place` is what of a record says where its range is. */
type RangeReads<Place, Record extends Place, State> = {
  readonly records: readonly Query<Record | null>[]
  readonly rangeOf: (place: Place) => Query<State | null>
  readonly tokensOf: (place: Place) => readonly [Address, Address]
  /** Alike for places that are the same. */
  readonly placeOf: (place: Place) => string
  /** Where each stood before, as far as that is known. */
  readonly likely: readonly (Place | null)[]
  readonly reading: PositionReading
}

type StandingRange<Record, State> = {
  readonly record: Record
  readonly state: State
  readonly tokens: readonly [Token, Token]
  readonly blockNumber: bigint
}

/** The block, what is kept of each, and the state of the ranges where they were before. */
async function readRecords<Place, Record extends Place & { readonly owner: Address }, State>(
  ports: ReadPorts,
  chain: Chain,
  { records, rangeOf, likely, reading: { at, owner, most = Infinity } }: RangeReads<Place, Record, State>,
) {
  const early = joinQueries(likely.map((place) => (place === null ? knownQuery(null) : rangeOf(place))))
  const both = joinQueries([joinQueries(records), early] as const)
  const { head, result } =
    at === undefined
      ? await readAtHead(ports.rpc, chain, both)
      : { head: at, result: await readQuery(ports.rpc.client(chain), chain, both, at.number) }
  const [found, states] = result
  let left = most
  const wanted = found.map((record) => {
    if (record === null || (owner !== undefined && !isAddressEqual(record.owner, owner))) return null
    left -= 1
    return left < 0 ? null : record
  })
  return { head, records: wanted, states }
}
