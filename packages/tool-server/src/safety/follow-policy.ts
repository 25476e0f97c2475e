import { createMutex, type Chain } from '@svc/wallet'
import type { Engine, Trip } from './engine.ts'
import { knownContracts, type KnownContracts } from './known-contracts.ts'
import type { Policy } from './policy.ts'
import { policyFor } from './policy-for.ts'
import { policyHash } from './policy-hash.ts'
import type { PolicySource } from './policy-source.ts'
import { onStorage } from './storage.ts'

/**
 * Keeps an engine at the policy of the day: reads the policy, writes a change of it to the audit log before anything is
 * done under it, and narrows it to the caller. Without a source the engine's own policy holds for good. All but `latest`
 * throw `POLICY_INVALID`, and `STORAGE_UNAVAILABLE` when the change cannot be recorded.
 */
export function followPolicy(engine: Engine, source: PolicySource | undefined): PolicyFollower {
  let latest = engine
  const inTurn = createMutex()
  const known = new Map<number, { readonly policy: Policy; readonly contracts: KnownContracts }>()

  function contractsOf(chain: Chain, policy: Policy): KnownContracts {
    const before = known.get(chain.id)
    if (before?.policy === policy) return before.contracts
    const contracts = knownContracts(chain, policy)
    known.set(chain.id, { policy, contracts })
    return contracts
  }

  async function refresh(): Promise<void> {
    if (source === undefined) return
    const policy = await source.current()
    if (policy === latest.policy) return
    const hash = policyHash(policy)
    if (hash !== latest.policyHash) {
      await onStorage('the audit log cannot be written', () => engine.switches.look(policy))
    }
    latest = { ...engine, policy, policyHash: hash }
  }

  async function forCaller(principalId: string): Promise<Engine> {
    // One after the other: two calls that meet a change must not record it twice.
    await inTurn(refresh)
    return { ...latest, policy: policyFor(latest.policy, principalId) }
  }

  return Object.freeze({
    forCaller,
    async forTrip<One extends Trip>(trip: One) {
      const current = await forCaller(trip.call.principal.id)
      return { ...trip, engine: current, known: contractsOf(trip.chain, current.policy) }
    },
    latest: () => latest,
  })
}

export type PolicyFollower = {
  /** The engine under the policy as it holds for one caller now. */
  forCaller(principalId: string): Promise<Engine>
  /** The trip as it is, under the policy as it holds for its caller now. */
  forTrip<One extends Trip>(trip: One): Promise<One>
  /** As last read, for what goes on under a broken file too: taking allowances back, ending what is out. */
  latest(): Engine
}
