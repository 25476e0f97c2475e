import { ToolError } from '../tool-error.ts'

/**
 * Lets work with the same key run one after the other, in order of arrival. Who has left (its signal is aborted) when its
 * turn comes is passed over with `CANCELLED`; beyond `maxWaiting` newcomers are refused with `SERVER_BUSY`.
 */
export function createSerialQueue(maxWaiting: number): SerialQueue {
  const lines = new Map<string, { last: Promise<unknown>; waiting: number }>()
  return async (key, signal, work) => {
    const line = lines.get(key) ?? { last: Promise.resolve(), waiting: 0 }
    if (line.waiting >= maxWaiting) {
      throw new ToolError('SERVER_BUSY', 'Too many transactions of this wallet are waiting for their turn.')
    }
    lines.set(key, line)
    line.waiting += 1
    const turn = line.last.then(() => {
      if (signal.aborted) throw new ToolError('CANCELLED', 'The caller left before its turn came.')
      return work()
    })
    line.last = turn.catch(() => undefined)
    try {
      return await turn
    } finally {
      line.waiting -= 1
      if (line.waiting === 0) lines.delete(key)
    }
  }
}

export type SerialQueue = <Value>(key: string, signal: AbortSignal, work: () => Promise<Value>) => Promise<Value>
