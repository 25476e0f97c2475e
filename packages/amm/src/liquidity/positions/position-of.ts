import { getAmountsForLiquidity, getSqrtPriceAtTick } from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import type { Address } from 'viem'
import type { Alongside, BlockTime, Pool, Position, Token } from '../../ports.ts'
import { readAtHead } from '../../rpc/create-block-reads.ts'
import { joinQueries, knownQuery, type Query, readQuery } from '../../rpc/query.ts'
import type { ReadPorts } from '../liquidity-ports.ts'

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

/**
 * Reads positions in two exchanges: what is kept of each, at the newest block where none is named, and then, while its tokens are
 * looked up, the state of its range. One that was read before takes a single one, as long as it stands where it stood.
 * `null` for those that are not there.
 *
 * @throws ToolError `RPC_*`
 */
export async function readRanges<Place, Record extends Place, State>(
  ports: ReadPorts,
  chain: Chain,
  asked: RangeReads<Place, Record, State>,
): Promise<readonly (StandingRange<Record, State> | null)[]> {
  const { rangeOf, tokensOf, placeOf, before, reading } = asked
  const [head, records, early] = await readRecords(ports, chain, asked)
  const statesOf = () => {
    const [only] = records
    if (before !== undefined && only != null && placeOf(only) === placeOf(before)) return [early]
    const ranges = joinQueries(records.map((record) => (record === null ? knownQuery(null) : rangeOf(record))))
    return readQuery(ports.rpc.client(chain), chain, ranges, head.number)
  }
  const pairs = records.map(async (record) => {
    if (record === null) return null
    const [one, other] = tokensOf(record)
    const tokens = await Promise.all([ports.tokens.byAddress(chain, one), ports.tokens.byAddress(chain, other)])
    if ('timestamp' in head) reading.alongside?.(tokens, head)
    return tokens
  })
  const [states, tokens] = await Promise.all([statesOf(), Promise.all(pairs)])
  return records.map((record, index) => {
    const [state, pair] = [states[index] ?? null, tokens[index] ?? null]
    if (record === null || state === null || pair === null) return null
    return { record, state, tokens: pair, blockNumber: head.number }
  })
}

/** At which block positions are read, the newest where none is named, and what is begun beside it; a single one may have been read `before`. */
export type PositionReading = {
  readonly blockNumber?: bigint
  readonly alongside?: Alongside | undefined
  readonly before?: Position
}

/** `Place` is what of a record says where its range is. */
type RangeReads<Place, Record extends Place, State> = {
  readonly records: readonly Query<Record | null>[]
  readonly rangeOf: (place: Place) => Query<State | null>
  readonly tokensOf: (record: Record) => readonly [Address, Address]
  /** Alike for places that are the same. */
  readonly placeOf: (place: Place) => string
  readonly before: Place | undefined
  readonly reading: PositionReading
}

type StandingRange<Record, State> = {
  readonly record: Record
  readonly state: State
  readonly tokens: readonly [Token, Token]
  readonly blockNumber: bigint
}

/** The block, what is kept of each, and the state of the range where the only one was before. */
async function readRecords<Place, Record extends Place, State>(
  ports: ReadPorts,
  chain: Chain,
  { records, rangeOf, before, reading: { blockNumber } }: RangeReads<Place, Record, State>,
): Promise<readonly [BlockTime | Pick<BlockTime, 'number'>, readonly (Record | null)[], State | null]> {
  const early = before === undefined ? knownQuery(null) : rangeOf(before)
  const both = joinQueries([joinQueries(records), early] as const)
  if (blockNumber === undefined) {
    const { head, result } = await readAtHead(ports.rpc, chain, both)
    return [head, ...result]
  }
  return [{ number: blockNumber }, ...(await readQuery(ports.rpc.client(chain), chain, both, blockNumber))]
}
