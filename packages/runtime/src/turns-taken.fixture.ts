import { vi } from 'vitest'

/**
 * How many turns of the event loop some work takes, and what it comes to. Meanwhile a clock goes on with each look at it alone, a
 * thirty-second of the half millisecond that `inTurns` takes for a turn: the count is that of the steps, on whatever machine.
 */
export async function turnsTaken<Result>(work: () => Promise<Result>): Promise<{ turns: number; result: Result }> {
  let turns = 0
  let nowMs = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += lookMs))
  const count = () => void ((turns += 1), (next = setImmediate(count)))
  let next = setImmediate(count)
  const result = await work().finally(() => {
    clearImmediate(next)
    clock.mockRestore()
  })
  return { turns, result }
}

/** A sum of such is exact. */
const lookMs = 0.5 / 32
