import { StoreError } from './store-error.ts'

/** Who may do what only one process may do at a time: write for an address on a chain, or be the server. */
export type Leases = {
  /**
   * Takes the lease of a name (for example `writer:1:0xabc...`) until it is released, this store is closed or the
   * process ends, however it ends. `holder` tells a person who has it. Throws `LEASE_HELD` at once when another has it.
   *
   * On PostgreSQL a lease is lost when its connection is: a holder that was cut off may find that another took over.
   * On SQLite it keeps apart what runs in this process; processes are kept apart by `acquireServerLock`.
   */
  acquire(request: LeaseRequest): Promise<Lease>
}

export type LeaseRequest = {
  readonly name: string
  /** Said to whoever is refused. */
  readonly holder: string
  /** Whom it keeps apart: all of the database, or only those who share this store's tables. */
  readonly within?: 'database' | 'store'
}

export type Lease = {
  readonly name: string
  /** False once it is lost or released: whoever needs it acquires it again or does nothing. */
  isHeld(): boolean
  /** Asks whether it is held still, where that has not been heard for a while. False once it is lost or released. */
  confirm(): Promise<boolean>
  /** Calls back once if the lease is lost; at once if it was lost already. */
  onLost(listener: () => void): void
  release(): Promise<void>
}

/**
 * A lease that is held now, with what its engine needs to end it. `free` is called once, on release of a held one. `fresh` says whether that it
 * is held was heard lately, and how to ask; where it is always known, neither is given.
 */
export function heldLease(name: string, free: () => Promise<void>, fresh: Freshness = alwaysFresh): HeldLease {
  const listeners = new Set<() => void>()
  let state: 'held' | 'lost' | 'released' = 'held'
  const lease: Lease = {
    name,
    isHeld: () => state === 'held' && fresh.is(),
    async confirm() {
      if (state === 'held' && !fresh.is()) await fresh.ask()
      return state === 'held' && fresh.is()
    },
    onLost: (listener) => {
      if (state === 'lost') listener()
      else listeners.add(listener)
    },
    async release() {
      if (state !== 'held') return
      state = 'released'
      await free()
    },
  }
  const lose = () => {
    if (state !== 'held') return
    state = 'lost'
    for (const listener of listeners) listener()
  }
  return { lease, lose }
}

type Freshness = { is(): boolean; ask(): Promise<unknown> }

const alwaysFresh: Freshness = { is: () => true, ask: async () => undefined }

export type HeldLease = { readonly lease: Lease; readonly lose: () => void }

/** The refusal of a lease another has. */
export function leaseHeld(name: string, holder: string | null): StoreError {
  const who = holder === null ? 'Another process' : `Another process (${holder})`
  return new StoreError(
    'LEASE_HELD',
    `${who} holds the lease "${name}". Stop it, or let this one work on something else.`,
  )
}
