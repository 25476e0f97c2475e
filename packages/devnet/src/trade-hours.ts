import type { BlockWriter } from './block-writer.ts'
import type { Layout } from './layout.ts'
import { createMarket } from './market.ts'
import { createRandom } from './random.ts'
import { tradingHour } from './trading-hour.ts'

/** The hours of the history: thirty days. */
export const historyHours = 720

/** The prices of ether and the rest are those of `pricesNow` when the history ends. The seed was chosen for a calm month. */
export const history = { seed: '45', nowHour: historyHours } as const

/**
 * Writes the hours `first` to `last` of trading, a block each. Hour h of the history ends h hours after
 * `hourZeroTimestamp` (unix seconds), and its block comes in its last quarter.
 */
export async function tradeHours(
  writer: BlockWriter,
  options: {
    readonly layout: Layout
    readonly hourZeroTimestamp: number
    readonly first: number
    readonly last: number
    readonly onHour?: (hour: number) => void
  },
): Promise<void> {
  const market = createMarket(history)
  for (let hour = options.first; hour <= options.last; hour++) {
    options.onHour?.(hour)
    const calls = tradingHour(options.layout, { seed: history.seed, hour, usd: market.pricesAt(hour) })
    const early = createRandom(`${history.seed}:time:${hour}`).below(900)
    await writer.writeBlock(calls, options.hourZeroTimestamp + hour * 3_600 - early)
  }
}
