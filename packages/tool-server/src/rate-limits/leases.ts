import type { Taken } from '@svc/runtime'
import type { Leased, LeaseAsk, RateLeases } from '@svc/store'

/** Gives tokens of a shared bucket; rejects while the database is away. */
export type Lend = (ask: LeaseAsk) => Promise<Leased>

/**
 * Spends tokens of shared buckets that were leased a twentieth of a minute's worth at a time, the next of them before the last are
 * spent: one request in many waits for the database, and most callers' none. What was leased counts there as spent. So all servers
 * together let through what one bucket would, and at most what each of them holds more: a twentieth for each server.
 * An exchange costs a server as much as a call, and one for many callers hardly more than one for a single: whoever has spent half of
 * a lease is asked for with the next who has to be.
 * Remembers at most `maxCallers` beside those that wait; the one not seen for longest is forgotten first.
 */
export function createLeases({ name, perMinute, now, lend, maxCallers = 10_000 }: LeaseOptions) {
  const batch = Math.max(1, Math.floor(perMinute / leasesPerMinute))
  const held = new Map<string, Held>()
  /** Have spent half, and are not asked for yet. */
  const low = new Map<string, Held>()
  let newest: string | null = null
  return { take }

  /** `own` is what the bucket of this process says, which holds alone where the database does not answer. */
  function take(caller: string, own: Taken): Taken | Promise<Taken> {
    const lease = heldOf(caller)
    if (lease.tokens === 0) {
      const retryAfterMs = lease.emptyUntil - now()
      if (retryAfterMs > 0) return { allowed: false, remaining: 0, retryAfterMs }
      return wait(caller, lease, own)
    }
    lease.tokens -= 1
    if (lease.tokens <= batch / 2 && lease.asked === null) askAhead(caller, lease)
    return { allowed: true, remaining: Math.min(own.remaining, lease.tokens + lease.remaining) }
  }

  function askAhead(caller: string, lease: Held): void {
    if (lease.emptyUntil > now()) return
    low.set(caller, lease)
    if (lease.tokens > batch / 4) return
    ask(caller, lease).catch(() => {})
    let along = 0
    for (const [other, its] of low) {
      along += 1
      if (along > mostAlong) return
      ask(other, its).catch(() => {})
    }
  }

  async function wait(caller: string, lease: Held, own: Taken): Promise<Taken> {
    lease.waiting += 1
    try {
      await (lease.asked ?? ask(caller, lease))
    } catch {
      return own
    } finally {
      lease.waiting -= 1
    }
    return take(caller, own)
  }

  async function borrow(ask: LeaseAsk, lease: Held): Promise<void> {
    const { granted, remaining, retryAfterMs } = await lend(ask)
    lease.tokens += granted
    lease.remaining = remaining
    lease.emptyUntil = now() + retryAfterMs
  }

  function ask(caller: string, lease: Held): Promise<void> {
    low.delete(caller)
    const most = Math.max(batch - lease.tokens, lease.waiting)
    lease.asked = borrow({ key: `${name}:${caller}`, perMinute, most }, lease).finally(() => (lease.asked = null))
    return lease.asked
  }

  function heldOf(caller: string): Held {
    const lease = held.get(caller) ?? { tokens: 0, remaining: 0, emptyUntil: -Infinity, asked: null, waiting: 0 }
    if (caller === newest) return lease
    newest = caller
    held.delete(caller)
    held.set(caller, lease)
    if (held.size > maxCallers) forgetOthers(caller)
    return lease
  }

  /** Who waits is remembered: what comes for them would be nobody's, and be leased again. */
  function forgetOthers(newcomer: string): void {
    for (const [caller, { asked, waiting }] of held) {
      if (held.size <= maxCallers) return
      if (caller !== newcomer && asked === null && waiting === 0) {
        held.delete(caller)
        low.delete(caller)
      }
    }
  }
}

/** Has the asks of many callers go to the database together: those of one turn of the event loop, one exchange at a time. */
export function createLender(lease: RateLeases['lease']): Lend {
  const waiting: Waiting[] = []
  let isAsking = false
  const exchange = async () => {
    const asked = waiting.splice(0, mostAtOnce)
    try {
      const leased = await lease(asked.map(({ ask }) => ask))
      for (const [index, { resolve, reject }] of asked.entries()) {
        const answer = leased[index]
        if (answer === undefined) reject(new Error('The database left a lease out.'))
        else resolve(answer)
      }
    } catch (error) {
      for (const { reject } of asked) reject(error)
    }
  }
  const run = async () => {
    while (waiting.length > 0) await exchange()
    isAsking = false
  }
  return (ask) =>
    new Promise((resolve, reject) => {
      waiting.push({ ask, resolve, reject })
      if (isAsking) return
      isAsking = true
      setImmediate(() => void run())
    })
}

type LeaseOptions = {
  readonly name: string
  readonly perMinute: number
  readonly now: () => number
  readonly lend: Lend
  readonly maxCallers?: number
}

type Held = {
  tokens: number
  /** What was in the shared bucket after the last lease. */
  remaining: number
  /** The shared bucket has none before. */
  emptyUntil: number
  asked: Promise<void> | null
  waiting: number
}

type Waiting = {
  readonly ask: LeaseAsk
  readonly resolve: (leased: Leased) => void
  readonly reject: (error: unknown) => void
}

const leasesPerMinute = 20
const mostAtOnce = 256
const mostAlong = 64
