import { replayStrategies, type BacktestResult } from '@svc/lp-math'
import type { Replay } from '../../ports.ts'
import type { Between } from './work-messages.ts'

/** Replays strategies one after the other. */
export function replay({ bars, strategies, options }: Replay, between: Between): BacktestResult {
  const results = strategies.map((strategy, index) => {
    const result = replayStrategies(bars, [strategy], options)
    between(index + 1, strategies.length)
    return result
  })
  const [first] = results
  if (first === undefined) throw new TypeError('a replay has a strategy')
  return { ...first, strategies: results.flatMap((result) => result.strategies) }
}
