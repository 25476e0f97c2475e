import { ToolError } from '@svc/amm'

/**
 * Lets work with the same key run one after the other. Callers take turns: each is served in its own order of arrival,
 * and none twice while another waits, so that no caller can keep the others out. Who has left (its signal is aborted)
 * when its turn comes is passed over with `CANCELLED`; who has waited `maxWaitMs` without a turn gets `SERVER_BUSY`
 * and passed over, and so are newcomers beyond the bounds. Of either nothing has begun.
 */
export function createSerialQueue(bounds: QueueBounds, maxWaitMs = fiveMinutes): SerialQueue {
  const lines = new Map<string, Line>()
  return async (key, signal, work, caller = '') => {
    const line = lines.get(key) ?? { isRunning: false, present: new Map(), turns: new Map() }
    requireRoom(line, caller, bounds)
    lines.set(key, line)
    line.present.set(caller, (line.present.get(caller) ?? 0) + 1)
    const patience = startPatience(maxWaitMs)
    const turn = takeTurn(line, caller).then(async () => {
      try {
        patience.end()
        if (signal.aborted) throw new ToolError('CANCELLED', 'The caller left before its turn came.')
        patience.requireLeft()
        return await work()
      } finally {
        callNext(line)
      }
    })
    turn.catch(() => undefined)
    try {
      return await Promise.race([turn, patience.lost])
    } finally {
      patience.end()
      leave(line, caller)
      if (line.present.size === 0 && !line.isRunning) lines.delete(key)
    }
  }
}

/** `caller`: whose turn it is, next to the other callers'; the server's own work has the empty name. */
export type SerialQueue = <Value>(
  key: string,
  signal: AbortSignal,
  work: () => Promise<Value>,
  caller?: string,
) => Promise<Value>

export type QueueBounds = {
  /** At most this many are in a line, the one that runs among them. */
  readonly inLine: number
  /** At most this many of one caller. */
  readonly perCaller: number
}

const fiveMinutes = 300_000

/** `present` counts who is in line, by caller; `turns` holds who waits, the caller whose turn is next first. */
type Line = { isRunning: boolean; readonly present: Map<string, number>; readonly turns: Map<string, (() => void)[]> }

function requireRoom({ present }: Line, caller: string, { inLine, perCaller }: QueueBounds): void {
  if ((present.get(caller) ?? 0) >= perCaller) {
    throw new ToolError('SERVER_BUSY', 'Too many transactions of this caller are waiting for their turn.')
  }
  const all = [...present.values()].reduce((sum, count) => sum + count, 0)
  if (all >= inLine) {
    throw new ToolError('SERVER_BUSY', 'Too many transactions of this wallet are waiting for their turn.')
  }
}

function takeTurn(line: Line, caller: string): Promise<void> {
  if (!line.isRunning) {
    line.isRunning = true
    return Promise.resolve()
  }
  return new Promise((begin) => {
    const own = line.turns.get(caller)
    if (own === undefined) line.turns.set(caller, [begin])
    else own.push(begin)
  })
}

/** Begins the first of the caller whose turn it is; what else that caller has comes after all others. */
function callNext(line: Line): void {
  const [next] = line.turns
  if (next === undefined) {
    line.isRunning = false
    return
  }
  const [caller, [begin, ...rest]] = next
  line.turns.delete(caller)
  if (rest.length > 0) line.turns.set(caller, rest)
  begin?.()
}

function leave({ present }: Line, caller: string): void {
  const left = (present.get(caller) ?? 1) - 1
  if (left === 0) present.delete(caller)
  else present.set(caller, left)
}

/** Ends a wait that has become too long; after `end` it ends none. */
function startPatience(ms: number) {
  // Made when it is wanted: an error looks through the stack, and every write passes here.
  const tooLong = () =>
    new ToolError('SERVER_BUSY', 'The transactions before this one take too long. Nothing was begun.')
  let isLost = false
  let timer: NodeJS.Timeout | undefined
  const lost = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      isLost = true
      reject(tooLong())
    }, ms)
  })
  return {
    lost,
    end: () => clearTimeout(timer),
    requireLeft: () => {
      if (isLost) throw tooLong()
    },
  }
}
