import type { Intent } from '@svc/amm'
import type { Policy } from './policy.ts'
import type { Refusal } from '../context/refusal.ts'

/**
 * Refuses deposits into pools whose hook is asked when liquidity is removed: it may say no for ever, so that what is put in
 * is worth what its author asks for it, whatever the price. So is one that changes what is taken or given back. A pool that the operator's own rules name may have one.
 */
export function hookRefusals(
  { chainId, deposits = [] }: Pick<Intent, 'chainId' | 'deposits'>,
  policy: Policy,
): readonly Refusal[] {
  const vouched = new Set(Object.keys(policy.valueRules.pools[`${chainId}`] ?? {}).map((id) => id.toLowerCase()))
  return deposits.flatMap(({ hooks, pool }): readonly Refusal[] => {
    if (hooks === null || (BigInt(hooks) & keepingFlags) === 0n || vouched.has(pool.toLowerCase())) return []
    const message = 'The hook of this pool is asked before liquidity is given back, and may keep it.'
    return [
      {
        code: 'HOOK_NOT_SUPPORTED',
        message,
        details: [{ message: 'the hook', hooks, pool }],
        suggestion: 'Use a pool without a hook, or have the operator name this one in valueRules.pools of the policy.',
      },
    ]
  })
}

/**
 * beforeRemoveLiquidity and afterRemoveLiquidity, and deltas returned after adding and removing: bits 9, 8, 1 and 0 of the
 * hook's address (v4-core Hooks library).
 */
const keepingFlags = 0x303n
