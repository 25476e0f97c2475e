import type { Store } from '@svc/store'
import { onStorage, type PipelineLog } from './call/refusal.ts'
import { allOf } from './leadership/role.ts'
import { endInterrupted } from './operations/may-be-mined.ts'
import type { Executor } from './pipeline.ts'
import type { ReconcileReport } from './recovery/reconcile.ts'
import { startSweeper } from './switches/sweeper.ts'
import { ToolError } from '@svc/amm'

/** What the engine does beside writes; none of it ever rejects. */
export function backgroundWorks(executor: Executor, decisions: { look(): Promise<unknown> }, log: PipelineLog) {
  return {
    recordSwitches: () =>
      executor.recordSwitches().catch((error: unknown) => log.warn('switches.unrecorded', { error })),
    recordDecisions: () => decisions.look().catch((error: unknown) => log.warn('decisions.unrecorded', { error })),
    carryOutRequests: () =>
      executor.carryOutRequests().catch((error: unknown) => log.warn('requests.unattended', { error })),
  }
}

type BackgroundWorks = ReturnType<typeof backgroundWorks>

/** Brings what an earlier process left open to its end. Answers whether any of it is still out. */
export async function settleEarlier(
  executor: Executor,
  { ledger, operations, transactions }: Store,
  { works, log }: { readonly works: BackgroundWorks; readonly log: PipelineLog },
): Promise<boolean> {
  await allOf([
    works.recordSwitches(),
    works.recordDecisions(),
    // Here alone: once writes begin, a reservation without a signature may be that of one on its way.
    onStorage('the ledger cannot be written', () => ledger.releaseUnsigned()),
  ])
  const reconciled = await executor.reconcile()
  log.info('road.reconciled', { ...reconciled })
  await works.carryOutRequests()
  const interrupted = await endInterrupted({ operations, transactions, log })
  if (interrupted.givenBack.length + interrupted.ended.length > 0) log.info('road.interrupted', interrupted)
  return isOut(reconciled)
}

/** On a chain that could not be read something may be. */
function isOut({ chains, failed }: ReconcileReport): boolean {
  return failed.length > 0 || chains.some(({ pending }) => pending.length > 0)
}

/**
 * Sweeps and looks, until it is stopped. Where the process before left something out (`isAnyOut`), whoever repeats its call waits for
 * that: then the first sweep comes after a quarter of a second, and the next ones later and later while it stays out.
 */
export function startBackground(
  executor: Pick<Executor, 'reconcile' | 'watchBalances' | 'policyNow'>,
  works: BackgroundWorks,
  {
    gate,
    during,
    log,
    isAnyOut,
  }: {
    readonly isAnyOut: boolean
    readonly gate: Pick<ShutdownGate, 'isShut'>
    readonly during: <Value>(work: () => Promise<Value>) => Promise<Value>
    readonly log: PipelineLog
  },
): { stop(): void } {
  const sweepers: { stop(): void }[] = []
  const every = (
    everyMs: number | (() => number),
    sweep: () => Promise<unknown>,
    onError: (error: unknown) => void = () => {},
  ) => {
    sweepers.push(startSweeper({ everyMs, sweep, onError }))
  }
  let nextSweepMs = isAnyOut ? soonestSweepMs : sweepEveryMs
  const sweep = async () => {
    nextSweepMs = Math.min(nextSweepMs * 2, sweepEveryMs)
    // First, so that the gas of what ended by itself is on record when the balance is held against it.
    try {
      if (!isOut(await executor.reconcile())) nextSweepMs = sweepEveryMs
    } finally {
      await executor.watchBalances()
    }
  }
  every(
    () => nextSweepMs,
    () => during(sweep),
    (error) => {
      // Turned away because the server closes: the next start does it.
      if (!gate.isShut()) log.warn('road.unswept', { error })
    },
  )
  // A policy that breaks is notified of at once, not only to the caller whose write is refused for it; one that changes holds
  // for what runs by itself too.
  const recordSwitches = () => Promise.all([works.recordSwitches(), executor.policyNow().catch(() => {})])
  every(watchEveryMs, () => during(recordSwitches))
  every(decisionsEveryMs, () => during(works.recordDecisions))
  every(requestsEveryMs, () => during(works.carryOutRequests))
  return {
    stop: () => {
      for (const sweeper of sweepers) sweeper.stop()
    },
  }
}

/** How soon what was left behind is looked at again. */
const sweepEveryMs = 10_000
const soonestSweepMs = 250

/** How soon it tells of a decision that nobody acts on. One that is acted on is recorded first. */
const decisionsEveryMs = 5_000

/** How soon what an operator asks about a transaction is taken up. */
const requestsEveryMs = 2_000

/** How soon the audit log tells what an operator did. Signing itself looks at the switches each time. */
const watchEveryMs = 500

/**
 * The gate before the writes of a process. Once `shut` is called nothing new comes in (`SERVER_BUSY`), and what is inside
 * signs nothing more; `shut` resolves when all have left, or after `timeoutMs`. Who is still inside then is cut off where
 * it stands: what it signed is in the journal, and the next start brings it to its end.
 */
export function createShutdownGate(): ShutdownGate {
  const inside = new Set<Promise<unknown>>()
  const state = { shut: false }
  const requireOpen = (): void => {
    if (state.shut) throw new ToolError('SERVER_BUSY', 'The server is closing and signs nothing more.')
  }
  return Object.freeze({
    requireOpen,
    isShut: () => state.shut,
    isEmpty: () => inside.size === 0,
    async during<Value>(work: () => Promise<Value>): Promise<Value> {
      requireOpen()
      const working = work()
      inside.add(working)
      try {
        return await working
      } finally {
        inside.delete(working)
      }
    },
    async shut(timeoutMs: number): Promise<boolean> {
      state.shut = true
      let timer: NodeJS.Timeout | undefined
      const timedOut = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, timeoutMs)
      })
      await Promise.race([Promise.allSettled(inside), timedOut])
      clearTimeout(timer)
      return inside.size === 0
    },
  })
}

export type ShutdownGate = {
  /** Throws `SERVER_BUSY` once the gate is shut. */
  requireOpen(this: void): void
  isShut(this: void): boolean
  /** Whether nothing is inside. */
  isEmpty(this: void): boolean
  /** Does work that must not be cut off. Throws `SERVER_BUSY` once the gate is shut. */
  during<Value>(this: void, work: () => Promise<Value>): Promise<Value>
  /** Whether all had left in time. */
  shut(this: void, timeoutMs: number): Promise<boolean>
}
