import { heldLease, leaseHeld, type HeldLease } from './held-lease.ts'
import type { Leases } from './leases.ts'

/** Leases within this process: the lock of the data directory keeps other processes out. */
export function createProcessLeases(): Leases & { close(): Promise<void> } {
  const held = new Map<string, HeldLease & { readonly holder: string }>()
  return {
    async acquire({ name, holder }) {
      const other = held.get(name)
      if (other !== undefined) throw leaseHeld(name, other.holder)
      const made = heldLease(name, async () => void held.delete(name))
      held.set(name, { ...made, holder })
      return made.lease
    },
    async close() {
      for (const { lose } of held.values()) lose()
      held.clear()
    },
  }
}
