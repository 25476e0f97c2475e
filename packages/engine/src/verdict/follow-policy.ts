import { ToolError } from '@svc/amm'
import { createMutex, type Chain } from '@svc/wallet/core'
import type { Engine, ExecutionContext, UnfollowedContext } from '../context/engine.ts'
import { knownContracts, type KnownContracts } from '../calldata/known-contracts.ts'
import { type Policy, policyHash } from '../policy/policy.ts'
import { policyFaults, type PolicySource } from '../policy/policy-source.ts'
import { policyFor } from '../policy/grants.ts'
import { onStorage } from '../call/refusal.ts'

/**
 * Keeps an engine at the policy of the day: reads the policy, writes a change of it, and that its file broke, to the audit log before anything is
 * done under it, and narrows it to the caller. Without a source the engine's own policy holds for good. `now`, `forCaller` and
 * `forTrip` throw `POLICY_INVALID`, and `STORAGE_UNAVAILABLE` when the change cannot be recorded.
 */
export function followPolicy(engine: Engine, source: PolicySource | undefined): PolicyFollower {
  let latest = engine
  let isBroken = false
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
    const policy = await source.current().catch(async (error: unknown) => {
      isBroken = true
      await recordBroken(error)
      throw error
    })
    if (policy === latest.policy && !isBroken) return
    const hash = policyHash(policy)
    if (hash !== latest.policyHash || isBroken) {
      await onStorage('the audit log cannot be written', () => engine.switches.look(policy))
    }
    isBroken = false
    latest = { ...engine, policy, policyHash: hash }
  }

  /** Nothing is signed under it, so where this cannot be written down yet, the next look at the switches does. */
  async function recordBroken(cause: unknown): Promise<void> {
    if (!(cause instanceof ToolError) || cause.code !== 'POLICY_INVALID') return
    await engine.switches.policyBroke(policyFaults(cause, '').problems).catch(() => {})
  }

  async function now(): Promise<Engine> {
    // One after the other: two calls that meet a change must not record it twice.
    await inTurn(refresh)
    return latest
  }

  async function forCaller(principalId: string): Promise<Engine> {
    const current = await now()
    return { ...current, policy: policyFor(current.policy, principalId) }
  }

  return Object.freeze({
    forCaller,
    async forExecution<One extends UnfollowedContext>(context: One) {
      const current = await forCaller(context.call.principal.id)
      return { ...context, engine: current, known: contractsOf(context.chain, current.policy) }
    },
    async forReport(principalId: string) {
      const fault = await now().then(() => null, faultOf)
      return { engine: { ...latest, policy: policyFor(latest.policy, principalId) }, fault }
    },
    now,
    newest: () => now().catch(() => latest),
    latest: () => latest,
  })
}

export type PolicyFollower = {
  /** The engine under the policy as it holds for one caller now. */
  forCaller(principalId: string): Promise<Engine>
  /** The context as it is, under the policy as it holds for its caller now. */
  forExecution<One extends UnfollowedContext>(context: One): Promise<One & Pick<ExecutionContext, 'known'>>
  /** The same for a report, under the policy as last read where its file is broken, and then what is wrong with it. Throws `STORAGE_UNAVAILABLE`. */
  forReport(principalId: string): Promise<{ readonly engine: Engine; readonly fault: ToolError | null }>
  /** The engine under the common policy as it holds now. */
  now(): Promise<Engine>
  /** The same, or as last read where that fails: for what goes on under a broken file too, like ending what is out. */
  newest(): Promise<Engine>
  /** As last read. */
  latest(): Engine
}

function faultOf(error: unknown): ToolError {
  if (error instanceof ToolError && error.code === 'POLICY_INVALID') return error
  throw error
}
