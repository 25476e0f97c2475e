import type { BlockWriter } from '../chain/block-writer.ts'
import { duePosts, type FeedAnswers } from '../feeds/feed-posts.ts'
import type { Layout } from './layout.ts'
import { createMarket } from './market.ts'
import { createRandom } from './random.ts'
import { tradingHour } from './trading-hour.ts'

/** The hours of the history: thirty days. */
export const historyHours = 720

/** The prices of ether and the rest are those of `pricesNow` when the history ends. The seed was chosen for a calm month. */
export const history = { seed: '45', nowHour: historyHours } as const

/**
 * Writes the hours `first` to `last` of trading, a block each, in which the price feeds follow the market. Hour h of the history ends h hours after
 * `hourZeroTimestamp` (unix seconds), and its block comes in its last quarter.
 */
export async function tradeHours(
  writer: BlockWriter,
  options: {
    readonly layout: Layout
    readonly hourZeroTimestamp: number
    readonly first: number
    readonly last: number
    /** What the feeds said before. */
    readonly answers: FeedAnswers
    readonly onHour?: (hour: number) => void
  },
): Promise<void> {
  const market = createMarket(history)
  let { answers } = options
  for (let hour = options.first; hour <= options.last; hour++) {
    options.onHour?.(hour)
    const usd = market.pricesAt(hour)
    const calls = tradingHour(options.layout, { seed: history.seed, hour, usd })
    const early = createRandom(`${history.seed}:time:${hour}`).below(900)
    const timestamp = options.hourZeroTimestamp + hour * 3_600 - early
    const posts = duePosts(options.layout, { last: answers, usd, timestamp })
    answers = posts.last
    await writer.writeBlock([...calls, ...posts.calls], timestamp)
  }
}
