import * as z from 'zod'
import { readTool } from '../../tool.ts'
import { namedPool, namedPoolInput } from '../named-pool.ts'
import { completenessOf, completenessResult, periodInput, periodOf, timeOfBar } from '../period.ts'
import { readResult, readStamp } from '../results.ts'

export const getPriceHistory = readTool({
  name: 'get_price_history',
  title: 'Price history of a pool',
  description:
    "Open, high, low and close of a pool's price by hour or day, token1 per token0 in the order asked (the pool's own when named by pool). gaps are intervals without data after the first, taken to be quiet. tick is the pool's own.",
  scope: 'read:market',
  input: z.strictObject({ ...namedPoolInput, ...periodInput }),
  output: z.object({
    ...readResult,
    pool: z.string(),
    points: z.array(
      z.object({
        t: z.string(),
        open: z.number(),
        high: z.number(),
        low: z.number(),
        close: z.number(),
        tick: z.int(),
      }),
    ),
    gaps: z.array(z.string()),
    ...completenessResult,
  }),
}).handler(async (input, context) => {
  const chain = context.chains.get(input.chain)
  const period = periodOf(input, context.now())
  const { pool, token0, token1 } = await namedPool(input, chain, context)
  const history = await context.history.read({ chain, pool, ...period, signal: context.signal })
  const { bars } = history
  const isSorted = token0.address === pool.token0.address || token1.address === pool.token1.address
  const scale = 10 ** (pool.token0.decimals - pool.token1.decimals)
  const priceAt = (tick = 0) => (isSorted ? 1.0001 ** tick * scale : 1.0001 ** -tick / scale)
  return {
    ...readStamp(chain, context, history.source),
    pool: pool.id,
    points: Array.from(bars.startsAt, (startsAt, index) => {
      const [low, high] = [priceAt(bars.lowTick[index]), priceAt(bars.highTick[index])]
      return {
        t: timeOfBar(startsAt),
        open: priceAt(bars.openTick[index]),
        high: Math.max(low, high),
        low: Math.min(low, high),
        close: priceAt(bars.closeTick[index]),
        tick: Math.floor(bars.closeTick[index] ?? 0),
      }
    }),
    gaps: history.completeness.gapsAt.map(timeOfBar),
    ...completenessOf(history),
  }
})
