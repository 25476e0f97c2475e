import { setMaxListeners } from 'node:events'
import { yieldToEventLoop } from '@svc/runtime'
import { ToolError } from './tool-error.ts'

/**
 * Makes one read of those that are asked for under one name at the same time. The name must say all that the answer depends on, the block
 * too. Whoever waits for it goes on in a round of the event loop of his own. Who leaves leaves alone; with the last the read ends.
 */
export function createSharedReads<Answer>(): SharedReads<Answer> {
  const underway = new Map<string, SharedRead<Answer>>()
  const forget = (name: string, shared: SharedRead<Answer>) => {
    if (underway.get(name) === shared) underway.delete(name)
  }
  const begin = (name: string, read: Read<Answer>): SharedRead<Answer> => {
    const ending = new AbortController()
    // As many requests listen as the read takes.
    setMaxListeners(0, ending.signal)
    const answer = read(ending.signal).finally(() => forget(name, shared))
    const shared: SharedRead<Answer> = { answer, ending, readers: 0 }
    underway.set(name, shared)
    return shared
  }
  const wait = async (name: string, shared: SharedRead<Answer>, signal: AbortSignal | undefined): Promise<Answer> => {
    shared.readers += 1
    try {
      return await (signal === undefined ? shared.answer : untilAborted(shared.answer, signal))
    } finally {
      shared.readers -= 1
      if (shared.readers === 0) {
        forget(name, shared)
        shared.ending.abort()
      }
    }
  }
  return {
    async read(name, read, signal) {
      const answer = await wait(name, underway.get(name) ?? begin(name, read), signal)
      await yieldToEventLoop()
      return answer
    },
    isUnderway: (name) => underway.has(name),
  }
}

export type SharedReads<Answer> = {
  read(name: string, read: Read<Answer>, signal?: AbortSignal): Promise<Answer>
  isUnderway(name: string): boolean
}

/** The outcome of `work`, or `CANCELLED` as soon as the caller leaves; what `work` still does is dropped. */
export function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(cancelled())
    const ended = <Value>(settle: (value: Value) => void) => {
      return (value: Value) => {
        signal.removeEventListener('abort', leave)
        settle(value)
      }
    }
    work.then(ended<Result>(resolve), ended<unknown>(reject))
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave, { once: true })
  })
}

type Read<Answer> = (signal: AbortSignal) => Promise<Answer>

type SharedRead<Answer> = { readonly answer: Promise<Answer>; readonly ending: AbortController; readers: number }

function cancelled(): ToolError {
  return new ToolError('CANCELLED', 'The caller left before the answer was ready.')
}

/** An answer, or `late` where it takes longer than `patienceMs`. Whoever asked goes on waiting by itself. */
export async function answerWithin<Answer, Late>(
  asked: Promise<Answer>,
  patienceMs: number,
  late: Late,
): Promise<Answer | Late> {
  let timer: NodeJS.Timeout | undefined
  const passed = new Promise<Late>((resolve) => {
    timer = setTimeout(() => resolve(late), patienceMs)
  })
  const answer = await Promise.race([asked, passed])
  clearTimeout(timer)
  return answer
}
