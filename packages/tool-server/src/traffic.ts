/**
 * How many requests came in and how many were answered, in memory that threads share: work beside the calls sees there that one has come
 * in, and can let the processor go until it is answered.
 */
export function createTraffic(): Traffic {
  const counts = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT))
  return Object.freeze({
    counts,
    came: () => void Atomics.add(counts, cameAt, 1),
    answered: () => {
      Atomics.add(counts, answeredAt, 1)
      Atomics.notify(counts, answeredAt)
    },
  })
}

export type Traffic = {
  /** Whoever waits at `answeredAt` is woken with each answer. */
  readonly counts: TrafficCounts
  readonly came: () => void
  readonly answered: () => void
}

export type TrafficCounts = Int32Array

export const cameAt = 0
export const answeredAt = 1
