import { laterWinners, replayStrategies } from '@svc/lp-math'
import type { Replay, Replayed } from '../ports/workers.ts'
import type { Between } from './work-messages.ts'

/** Replays strategies one after the other, and all again from later starts. */
export function replay({ bars, strategies, options }: Replay, between: Between): Replayed {
  const results = strategies.map((strategy, index) => {
    const result = replayStrategies(bars, [strategy], options)
    between(index + 1, strategies.length)
    return result
  })
  const [first] = results
  if (first === undefined) throw new TypeError('a replay has a strategy')
  const later = laterWinners(bars, strategies, options)
  return { ...first, strategies: results.flatMap((result) => result.strategies), laterWinners: later }
}
