import type { Engine } from './engine.ts'
import { clearUp, type ClearedUp, isAnythingLeft, stillPending } from './clear-up.ts'
import { settleFormer } from './former-wallets.ts'
import type { SerialQueue } from './serial-queue.ts'
import { onStorage } from './storage.ts'
import { serverTrip } from './trip.ts'
import type { Chain } from '@svc/wallet'
import type { Hash } from 'viem'

/**
 * Ends what requests that are gone left open on every chain, each in its turn among the writes there. A chain that cannot
 * be read is named and cleared up before its next write.
 */
export async function reconcile(engine: Engine, { inFlight, inTurn, told }: ReconcileMeans): Promise<ReconcileReport> {
  const chains: ClearedUp[] = []
  const failed: number[] = []
  for (const chain of engine.chains.list()) {
    try {
      const trip = serverTrip(engine, chain)
      await settleFormer(engine, chain, told)
      if (!(await isAnythingLeft(trip, inFlight))) continue
      chains.push(await inTurn(`${chain.id}`, trip.call.signal, () => clearUp(trip, inFlight)))
    } catch (error) {
      engine.log.warn('reconcile.failed', { chainId: chain.id, error })
      failed.push(chain.id)
    }
  }
  return { chains, failed }
}

export type ReconcileMeans = {
  /** Requests that are on their way. */
  readonly inFlight: ReadonlySet<string>
  readonly inTurn: SerialQueue
  /** What former wallets left open and was logged: once is enough. */
  readonly told: Set<Hash>
}

export type ReconcileReport = {
  readonly chains: readonly ClearedUp[]
  readonly failed: readonly number[]
}

/** Before a write: ends what is left on its chain. Throws `WALLET_BUSY` while something is still out. */
export async function clearTheWay(engine: Engine, chain: Chain, inFlight: ReadonlySet<string>): Promise<void> {
  const trip = serverTrip(engine, chain)
  const isLeft = await onStorage('the journal cannot be read', () => isAnythingLeft(trip, inFlight))
  if (!isLeft) return
  const { pending } = await clearUp(trip, inFlight)
  if (pending.length > 0) throw stillPending(pending)
}
