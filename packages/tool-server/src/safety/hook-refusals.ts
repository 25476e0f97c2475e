import type { Intent } from '../intent.ts'
import type { Policy } from './policy.ts'
import type { Refusal } from './refusal.ts'

/**
 * Refuses deposits into pools whose hook is asked when liquidity is removed: it may say no for ever, so that what is put in
 * is worth what its author asks for it, whatever the price. A pool that the operator's own rules name may have one.
 */
export function hookRefusals(
  { chainId, deposits = [] }: Pick<Intent, 'chainId' | 'deposits'>,
  policy: Policy,
): readonly Refusal[] {
  const vouched = new Set(Object.keys(policy.valueRules.pools[`${chainId}`] ?? {}).map((id) => id.toLowerCase()))
  return deposits.flatMap(({ hooks, pool }): readonly Refusal[] => {
    if (hooks === null || (BigInt(hooks) & removalFlags) === 0n || vouched.has(pool.toLowerCase())) return []
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

/** beforeRemoveLiquidity and afterRemoveLiquidity: bits 9 and 8 of the hook's address (v4-core Hooks library). */
const removalFlags = 0x300n
