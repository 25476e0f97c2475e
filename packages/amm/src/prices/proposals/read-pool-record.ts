import type { Chain } from '@svc/wallet/core'
import type { BlockTime, Liquidity, Pool, RpcPool, SwapHistory } from '../../ports.ts'
import { ToolError } from '../../tool-error.ts'
import { hasLogsBefore } from '../../history/has-logs-before.ts'
import { blockAt } from '../../liquidity/swaps/block-at.ts'
import { mapQuery } from '../../rpc/query.ts'
import { readPast } from '../../rpc/read-one.ts'
import { snapshotQuery } from '../pool-query.ts'
import type { PoolCandidate } from './read-candidates.ts'

/** What a pool did in the last week, as far as logs and older state tell. */
export type PoolRecord = {
  /** Whether it had a price a week ago; `null` where the endpoint does not tell. */
  readonly isWeekOld: boolean | null
  /** What was traded in seven days at the price its quote has now; `null` where the logs do not reach back. */
  readonly volume7dUsd: number | null
}

/** Reads what became of a pool in a week. An endpoint that gives neither its logs nor older state leaves both open. */
export async function readPoolRecord(
  ports: RecordPorts,
  chain: Chain,
  candidate: Pick<PoolCandidate, 'row' | 'quote'>,
  head: BlockTime,
): Promise<PoolRecord> {
  const weekAgo = Number(head.timestamp) - weekSeconds
  const logged = await readLogs(ports, chain, candidate, weekAgo)
  const isWeekOld = logged?.isWeekOld ?? (await stoodAt(ports.rpc, chain, candidate, head, weekAgo))
  return { isWeekOld, volume7dUsd: logged?.volumeUsd ?? null }
}

export type RecordPorts = {
  readonly rpc: Pick<RpcPool, 'client' | 'head' | 'past'>
  readonly liquidity: Pick<Liquidity, 'pool' | 'swaps'>
}

const daySeconds = 86_400
const weekSeconds = 7 * daySeconds

/** Pairs do not log when they were made, so of them the day before is read too: whoever traded then had a pair. */
async function readLogs(
  { rpc, liquidity }: RecordPorts,
  chain: Chain,
  { row, quote }: Pick<PoolCandidate, 'row' | 'quote'>,
  weekAgo: number,
) {
  const from = row.version === 'v2' ? weekAgo - daySeconds : weekAgo
  try {
    const pool = await liquidity.pool(chain, row)
    const history = await liquidity.swaps(chain, pool, from)
    const isReported = await hasLogsBefore(rpc, chain, from, {})
    const isWeekOld = ageFrom(pool, history, weekAgo, isReported)
    return {
      isWeekOld,
      volumeUsd: isReported || isWeekOld === false ? volumeOf(pool, history, weekAgo, { row, quote }) : null,
    }
  } catch (error) {
    if (error instanceof ToolError) return null
    throw error
  }
}

/** A pool whose first price is not within the time had it before, if the endpoint keeps the logs of that time. */
function ageFrom(
  { version }: Pool,
  { swaps, complete, created }: SwapHistory,
  weekAgo: number,
  isReported: boolean,
): boolean | null {
  if (created !== null) return created.timestamp <= weekAgo
  if (swaps.some(({ timestamp }) => timestamp <= weekAgo)) return true
  return complete && isReported && version !== 'v2' ? true : null
}

function volumeOf(
  { token0 }: Pool,
  { swaps, complete }: SwapHistory,
  weekAgo: number,
  { row, quote }: Pick<PoolCandidate, 'row' | 'quote'>,
): number | null {
  if (!complete) return null
  const quoteIs0 = token0.address.toLowerCase() === row.quote.toLowerCase()
  const amounts = swaps.flatMap(({ timestamp, amount0, amount1 }) => {
    if (timestamp <= weekAgo) return []
    const amount = quoteIs0 ? amount0 : amount1
    return [amount < 0n ? -amount : amount]
  })
  const sum = amounts.reduce((total, amount) => total + amount, 0n)
  return (Number(sum) / 10 ** quote.decimals) * quote.usd
}

/** `null` where the endpoint does not have the state of that time. */
async function stoodAt(
  rpc: RecordPorts['rpc'],
  chain: Chain,
  { row }: Pick<PoolCandidate, 'row'>,
  head: BlockTime,
  atSeconds: number,
): Promise<boolean | null> {
  const readBlock = async (blockNumber: bigint) => {
    const { number, timestamp } = await rpc.client(chain).getBlock({ blockNumber })
    return { number, timestamp: Number(timestamp) }
  }
  try {
    const newest = { number: head.number, timestamp: Number(head.timestamp) }
    const { number } = await blockAt(readBlock, newest, atSeconds, chain.blockTimeSeconds)
    const stood = mapQuery(snapshotQuery(chain, { row }), (at) => (seconds: number) => at(seconds) !== null)
    return number === 0n ? null : await readPast(rpc, chain, stood, number - 1n)
  } catch (error) {
    if (error instanceof ToolError) return null
    throw error
  }
}
