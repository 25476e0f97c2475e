import type { Chain } from '@svc/wallet/core'
import { type PoolBars, type Position, type SwapRecord, ToolError } from '@svc/amm'
import type { ReadContext } from '../../tool-context.ts'

type Past = Pick<ReadContext, 'history' | 'liquidity' | 'signal'>

/** Bars of the life of a position; null where they begin later. */
export async function barsSince(
  context: Past,
  chain: Chain,
  { pool }: Pick<Position, 'pool'>,
  openedAt: number | null,
  now: number,
): Promise<PoolBars | null> {
  if (openedAt === null) return null
  const barSeconds = now - openedAt > mostHours * 3_600 ? 86_400 : 3_600
  try {
    const read = await context.history.read({
      chain,
      pool,
      from: openedAt,
      to: Math.max(now, openedAt + 1),
      barSeconds,
      signal: context.signal,
    })
    return read.completeness.barsFound < read.completeness.barsExpected ? null : read
  } catch (error) {
    if (error instanceof ToolError) return null
    throw error
  }
}

/** Every swap of the pool while the position stands, of one that is young enough for that; `null` where not all can be read. */
export async function swapsSince(
  { liquidity, signal }: Past,
  chain: Chain,
  { pool }: Pick<Position, 'pool'>,
  openedAt: number | null,
  now: number,
): Promise<readonly SwapRecord[] | null> {
  if (openedAt === null || now - openedAt > mostSecondsBySwaps) return null
  try {
    const { swaps, completeFrom } = await liquidity.swaps(chain, pool, openedAt, undefined, { signal })
    return completeFrom > openedAt ? null : swaps
  } catch (error) {
    if (error instanceof ToolError && error.code !== 'CANCELLED') return null
    throw error
  }
}

const mostHours = 1_000
/** The swaps of longer lives would be too many; bars of an hour tell enough of those. */
const mostSecondsBySwaps = 7 * 86_400
