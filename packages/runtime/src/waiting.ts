import { yieldToEventLoop } from '#yield-to-event-loop'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Who waits, by whose task it is: they take turns, so that many tasks of one hold nobody else up. When all places are taken,
 * whoever has most waiting gives up the newest of them for somebody who has fewer.
 */
export function createWaitingLine<Task>(places: number) {
  /** In the order of turns; none is empty. */
  const lines = new Map<string, Set<Task>>()
  let size = 0

  const leave = (owner: string, task: Task) => {
    const line = lines.get(owner)
    if (line?.delete(task) !== true) return
    size -= 1
    if (line.size === 0) lines.delete(owner)
  }
  return {
    /** Gives back the task that finds no place any more: `null` for none, else the one that comes or one that waited. */
    join(owner: string, task: Task): Task | null {
      const own = lines.get(owner)?.size ?? 0
      const [longest, most = new Set<Task>()] = [...lines].toSorted(([, a], [, b]) => b.size - a.size)[0] ?? []
      const isFull = size >= places
      if (isFull && (longest === undefined || most.size <= own + 1)) return task
      const displaced = isFull ? ([...most].at(-1) ?? null) : null
      if (displaced !== null && longest !== undefined) leave(longest, displaced)
      const line = lines.get(owner) ?? new Set()
      lines.set(owner, line.add(task))
      size += 1
      return displaced
    },
    /** Whose turn it is; he comes last among those who wait then. */
    next(): Task | null {
      for (const [owner, line] of lines) {
        lines.delete(owner)
        lines.set(owner, line)
        for (const task of line) {
          leave(owner, task)
          return task
        }
      }
      return null
    },
    leave,
    /** All who wait. */
    all: () => [...lines.values()].flatMap((line) => Array.from(line)),
  }
}

/**
 * Does the steps of a calculation, half a millisecond of them in one turn of the event loop: all in one turn they would hold up whatever
 * else there is to do. A step is a bit of work that is short beside that; what it yields is not looked at.
 */
export async function inTurns<Result>(
  steps: Iterator<unknown, Result>,
  now: () => number = () => performance.now(),
): Promise<Result> {
  let begunAt = now()
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    if (now() - begunAt < turnMs) continue
    await yieldToEventLoop()
    begunAt = now()
  }
}

const turnMs = 0.5

/** The outcome of some work, or `late` once `timeoutMs` have passed. The work itself goes on. */
export async function withinTime<Outcome>(work: Promise<Outcome>, timeoutMs: number, late: Outcome): Promise<Outcome> {
  const finished = new AbortController()
  try {
    return await Promise.race([work, sleep(timeoutMs, late, { signal: finished.signal })])
  } finally {
    finished.abort()
  }
}

/** The outcome of some work, as long as it comes within `timeoutMs`; rejects with a `TimeoutError` when it does not. */
export async function inTime<Outcome>(work: Promise<Outcome>, timeoutMs: number): Promise<Outcome> {
  const outcome = await withinTime<Outcome | typeof late>(work, timeoutMs, late)
  if (outcome === late) throw new DOMException('It took too long.', 'TimeoutError')
  return outcome
}

const late = Symbol('late')
