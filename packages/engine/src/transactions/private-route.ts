import { type RpcPool, type Settled, ToolError } from '@svc/amm'
import type { Chain, PrivateRoute } from '@svc/wallet/core'
import { isAtDestination } from '../call/amounts.ts'
import type { ExecutionContext } from '../context/engine.ts'
import type { Policy } from '../policy/policy.ts'
import type { CallBounds } from '../calldata/call-bounds.ts'
import type { Step } from '../call/step.ts'
import { onStorage } from '../call/refusal.ts'

/** How a chain's trades go out: to its private endpoint, and to the public ones once the policy's time for that is over. */
export function privateRoute(rpc: Pick<RpcPool, 'privately'>, chain: Chain, policy: () => Policy): PrivateRoute {
  return {
    client: rpc.privately?.(chain) ?? null,
    publicAfterMs: () => {
      const { publicAfterSeconds } = policy().privateSubmission
      return publicAfterSeconds === undefined ? null : publicAfterSeconds * 1000
    },
  }
}

/**
 * Whether a step is kept from the public pool: all of a write that swaps, for the approval before a trade tells of it. What takes
 * allowances back comes after it and has nothing to hide.
 */
export function isPrivateStep(
  { engine, chain, intent, callBounds }: ExecutionContext & { readonly callBounds: readonly CallBounds[] },
  { kind }: Step,
): boolean {
  if (kind === 'revoke' || (engine.rpc.privately?.(chain) ?? null) === null) return false
  return callBounds.slice(0, intent.calls.length).some(({ trades }) => {
    // What is opened for another chain is public by its nature.
    return trades.some(({ tokenOut }) => !isAtDestination(tokenOut))
  })
}

/**
 * Asks the private endpoint for its chain before anything is signed for it. Throws `ATOMIC_EXECUTION_UNAVAILABLE` for a user operation,
 * which its bundler would make public, and `RPC_UNAVAILABLE` where it does not answer and the policy permits no other way: then nothing
 * of the trade is left behind.
 */
export async function requirePrivate({ engine, chain }: ExecutionContext, { batch }: Step): Promise<void> {
  if (batch?.operation !== undefined) {
    throw new ToolError(
      'ATOMIC_EXECUTION_UNAVAILABLE',
      'The trade would be made by a user operation, which a bundler makes public, and this chain has a private endpoint for trades.',
    )
  }
  if (engine.policy.privateSubmission.publicAfterSeconds !== undefined) return
  try {
    await engine.rpc.privately?.(chain)?.getChainId()
  } catch (cause) {
    const code = cause instanceof ToolError && cause.code === 'RPC_CHAIN_MISMATCH' ? cause.code : 'RPC_UNAVAILABLE'
    const message = `The private endpoint of ${chain.name}, which trades go to alone, cannot be used now. The trade was not signed.`
    throw new ToolError(code, message, {
      details: [{ field: 'chain', message, accepted: `an endpoint in SVC_PRIVATE_RPC_URL_${chain.id} that answers` }],
      suggestion:
        'Call again later. The operator may name another endpoint, or let trades go public after a time (privateSubmission of the policy).',
      cause,
    })
  }
}

/** Whether something of a call is with the private endpoint alone, and may be mined. */
export async function isPrivateOut({ engine, call }: Pick<ExecutionContext, 'engine' | 'call'>): Promise<boolean> {
  const entries = await engine.journal.byRequest(call.requestId)
  return entries.some(
    ({ state, submission }) => submission === 'private' && (state === 'signed' || state === 'broadcast'),
  )
}

/** By which endpoints the transactions of a write went out; nothing where they were never private. */
export async function submissionOf({ engine, call, chain }: ExecutionContext): Promise<Pick<Settled, 'submission'>> {
  if ((engine.rpc.privately?.(chain) ?? null) === null) return {}
  const entries = await onStorage('the journal cannot be read', () => engine.journal.byRequest(call.requestId)).catch(
    () => [],
  )
  const all = entries.flatMap(({ submission }) => submission ?? [])
  if (all.length === 0) return {}
  return { submission: all.includes('public') ? 'public' : 'private' }
}
