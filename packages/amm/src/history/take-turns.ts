import { createWaitingLine } from '@svc/runtime'
import type { Chain } from '@svc/wallet/core'
import type { HistoryRequest, PoolBars, PoolHistory } from '../ports.ts'
import { ToolError } from '../tool-error.ts'
import { createSharedReads, untilAborted } from '../create-shared-reads.ts'

/**
 * A history that is read for few at a time, so that one who asks for much holds up neither the other calls nor what else the chain's
 * endpoint is asked: those who wait take turns by principal, and when too many do, who has most waiting is refused with `SERVER_BUSY`. Who
 * asks for what is being read already need not wait.
 */
export function takeTurns(history: SharedHistory, { atOnce = 20, maxWaiting = 256 }: TurnOptions = {}): PoolHistory {
  const line = createWaitingLine<Waiting>(maxWaiting)
  let underway = 0
  const fill = () => {
    while (underway < atOnce) {
      const next = line.next()
      if (next === null) return
      underway += 1
      next.begin()
    }
  }
  const leave = () => {
    underway -= 1
    fill()
  }
  const wait = async ({ principalId = '', signal }: HistoryRequest): Promise<void> => {
    const { waiting, turn } = createWaiting()
    line.join(principalId, waiting)?.refuse(new ToolError('SERVER_BUSY', tooMany))
    try {
      await (signal === undefined ? turn : untilAborted(turn, signal))
    } catch (error) {
      if (waiting.hasBegun) leave()
      else line.leave(principalId, waiting)
      throw error
    }
  }
  const readInPlace = async (request: HistoryRequest): Promise<PoolBars> => {
    try {
      return await history.read(request)
    } finally {
      leave()
    }
  }
  return {
    async read(request) {
      if (history.isUnderway(request)) return history.read(request)
      if (underway < atOnce) underway += 1
      else await wait(request)
      return readInPlace(request)
    },
  }
}

export type TurnOptions = {
  /** How many reads go on at the same time. */
  readonly atOnce?: number
  /** How many may wait for that. */
  readonly maxWaiting?: number
}

/**
 * A history whose reads of the same bars at the same time are one read, so that many calls about a pool cost what one does.
 *
 * @param viewOf names what an answer sees of a chain: who sees another has a read of his own
 */
export function shareReads(history: PoolHistory, viewOf: (chain: Chain) => string = () => ''): SharedHistory {
  const shared = createSharedReads<PoolBars>()
  const nameOf = ({ chain, pool, from, to, barSeconds, needs }: HistoryRequest) =>
    [viewOf(chain), chain.id, pool.id.toLowerCase(), pool.blockNumber, from, to, barSeconds, needs].join()
  return {
    read: (request) =>
      shared.read(nameOf(request), (ending) => history.read({ ...request, signal: ending }), request.signal),
    isUnderway: (request) => shared.isUnderway(nameOf(request)),
  }
}

type Waiting = { hasBegun: boolean; begin(): void; refuse(error: ToolError): void }

function createWaiting(): { readonly waiting: Waiting; readonly turn: Promise<void> } {
  const waiting: Waiting = { hasBegun: false, begin: () => undefined, refuse: () => undefined }
  const turn = new Promise<void>((resolve, reject) => {
    waiting.begin = () => {
      waiting.hasBegun = true
      resolve()
    }
    waiting.refuse = reject
  })
  return { waiting, turn }
}

const tooMany = 'Too many readings of the past wait for their turn, most of them for this caller.'

type SharedHistory = PoolHistory & {
  /** Whether a read that answers this is under way already. */
  isUnderway(request: HistoryRequest): boolean
}
