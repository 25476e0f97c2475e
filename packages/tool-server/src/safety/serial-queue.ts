import { ToolError } from '../tool-error.ts'

/**
 * Lets work with the same key run one after the other, in order of arrival. Who has left (its signal is aborted) when its
 * turn comes is passed over with `CANCELLED`; who has waited `maxWaitMs` without a turn is told `SERVER_BUSY` and passed
 * over, and so are newcomers beyond `maxWaiting`. Of either nothing has begun.
 */
export function createSerialQueue(maxWaiting: number, maxWaitMs = fiveMinutes): SerialQueue {
  const lines = new Map<string, { last: Promise<unknown>; waiting: number }>()
  return async (key, signal, work) => {
    const line = lines.get(key) ?? { last: Promise.resolve(), waiting: 0 }
    if (line.waiting >= maxWaiting) {
      throw new ToolError('SERVER_BUSY', 'Too many transactions of this wallet are waiting for their turn.')
    }
    lines.set(key, line)
    line.waiting += 1
    const patience = startPatience(maxWaitMs)
    const turn = line.last.then(() => {
      patience.end()
      if (signal.aborted) throw new ToolError('CANCELLED', 'The caller left before its turn came.')
      patience.requireLeft()
      return work()
    })
    line.last = turn.catch(() => undefined)
    try {
      return await Promise.race([turn, patience.lost])
    } finally {
      patience.end()
      line.waiting -= 1
      if (line.waiting === 0) lines.delete(key)
    }
  }
}

export type SerialQueue = <Value>(key: string, signal: AbortSignal, work: () => Promise<Value>) => Promise<Value>

const fiveMinutes = 300_000

/** Ends a wait that has become too long; after `end` it ends none. */
function startPatience(ms: number) {
  const tooLong = new ToolError('SERVER_BUSY', 'The transactions before this one take too long. Nothing was begun.')
  let isLost = false
  let timer: NodeJS.Timeout | undefined
  const lost = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      isLost = true
      reject(tooLong)
    }, ms)
  })
  return {
    lost,
    end: () => clearTimeout(timer),
    requireLeft: () => {
      if (isLost) throw tooLong
    },
  }
}
