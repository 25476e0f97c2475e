import { setTimeout as sleep } from 'node:timers/promises'
import { type Lease, type Leases, StoreError } from '@svc/store'
import type { Chain, TransactionSigner } from '@svc/wallet/core'
import { ToolError } from '@svc/amm'
import type { GuardedSigner } from '../signatures/guarded-signer.ts'

/**
 * Sees to it that this process is the one server of its store, and the one writer for an address on a chain, at the time
 * it acts. A lease that was lost, because the database went away, is acquired again by whoever needs it next. `holder`
 * tells a person who has a lease.
 */
export function createLeaseKeeper(leases: Leases, holder: string): LeaseKeeper {
  const latest = new Map<string, Promise<Lease | null>>()
  const hold = (name: string, within: 'store' | 'database'): Promise<Lease> => {
    // One after the other, so that none is refused what another call of ours has just got.
    const next = (latest.get(name) ?? Promise.resolve(null)).then(async (lease) => {
      if (lease !== null && (await lease.confirm())) return lease
      // What was confirmed too late may be held all the same, and would be in our own way.
      await lease?.release().catch(() => undefined)
      return leases.acquire({ name, holder, within })
    })
    latest.set(
      name,
      next.catch(() => null),
    )
    return next
  }
  const beServer = () => hold('server', 'store')

  return Object.freeze({
    holder,
    server: beServer,
    async release() {
      const held = [...latest.values()]
      latest.clear()
      for (const lease of held) await (await lease)?.release()
    },
    async requireServer() {
      for (let tries = 1; ; tries += 1) {
        try {
          return void (await beServer())
        } catch (error) {
          if (!isTaken(error) || tries === mostTries) throw error
          await sleep(betweenTriesMs)
        }
      }
    },
    asServer: async <Value>(work: () => Promise<Value>): Promise<Value> => {
      await beServer().catch(refuse)
      return work()
    },
    signerFor: (wallet: LeasedSigner, chain: Chain, requireLead: () => void = () => {}) => {
      let writer: Lease | null = null
      const requireWriter = (): void => {
        requireLead()
        if (writer?.isHeld() !== true) refuse(null)
      }
      return {
        address: wallet.address,
        ready: async () => {
          requireLead()
          writer = await hold(`writer:${chain.id}:${wallet.address.toLowerCase()}`, 'database').catch(refuse)
          await wallet.ready?.()
        },
        // Waits for nothing: what was looked up since `ready` is still so.
        signTransaction: async (transaction) => {
          requireWriter()
          return wallet.signTransaction(transaction)
        },
        signAuthorization: async (authorization) => {
          requireWriter()
          return wallet.signAuthorization(authorization)
        },
        signGranted: async (typedData, context) => {
          requireWriter()
          return wallet.signGranted(typedData, context)
        },
      }
    },
  })
}

export type LeaseKeeper = {
  readonly holder: string
  /** The lease of the one server of the store, acquired where it must be. Throws `StoreError` `LEASE_HELD` while another has it. */
  server(this: void): Promise<Lease>
  /** Lets go of all that is held. */
  release(this: void): Promise<void>
  /**
   * For the start: throws `StoreError` `LEASE_HELD` when another server runs on the store. One that was killed a moment
   * ago is waited out, for a second.
   */
  requireServer(this: void): Promise<void>
  /** Does work only the one server of the store may do. Throws `STORAGE_UNAVAILABLE` when this is not it now. */
  asServer<Value>(this: void, work: () => Promise<Value>): Promise<Value>
  /**
   * The wallet, which signs on the chain while this is its one writer there; `STORAGE_UNAVAILABLE` otherwise. `ready`
   * acquires the lease where it must, and without it nothing is signed. `requireLead` is asked before all else.
   */
  signerFor(
    this: void,
    wallet: LeasedSigner,
    chain: Chain,
    requireLead?: () => void,
  ): LeasedSigner & Required<Pick<TransactionSigner, 'ready'>>
}

type LeasedSigner = GuardedSigner & Pick<TransactionSigner, 'ready'>

const mostTries = 11
const betweenTriesMs = 100

function isTaken(error: unknown): boolean {
  return error instanceof StoreError && error.code === 'LEASE_HELD'
}

/** Who has the lease is for the log; a caller hears what it means. */
function refuse(cause: unknown): never {
  const message = isTaken(cause)
    ? 'Another process writes in the place of this one, so nothing is signed here.'
    : 'The state store is away, and nothing is signed without it.'
  throw new ToolError('STORAGE_UNAVAILABLE', message, { cause })
}
