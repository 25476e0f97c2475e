import type { Lease } from './leases.ts'
import { StoreError } from './store-error.ts'

/** A lease that is held now, with what its engine needs to end it. `free` is called once, on release of a held one. */
export function heldLease(name: string, free: () => Promise<void>): HeldLease {
  const listeners = new Set<() => void>()
  let state: 'held' | 'lost' | 'released' = 'held'
  const lease: Lease = {
    name,
    isHeld: () => state === 'held',
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

export type HeldLease = { readonly lease: Lease; readonly lose: () => void }

/** The refusal of a lease another has. */
export function leaseHeld(name: string, holder: string | null): StoreError {
  const who = holder === null ? 'Another process' : `Another process (${holder})`
  return new StoreError(
    'LEASE_HELD',
    `${who} holds the lease "${name}". Stop it, or let this one work on something else.`,
  )
}
