import type { Pool } from '@svc/amm'
import { dynamicFeeFlag, poolKeyOf } from '@svc/amm/liquidity'
import { hookPermissions } from './hook-permissions.ts'

/** Why figures of a pool are estimates: what its hook may do with the fee or with amounts. Nothing of a pool without hooks. */
export function hookDoubt(pool: Pool): readonly string[] {
  if (pool.hooks === null) return []
  const changesAmounts = hookPermissions(pool.hooks).some((permission) => permission.endsWith('ReturnsDelta'))
  return [
    ...(poolKeyOf(pool).fee === dynamicFeeFlag
      ? [`The fee is dynamic, ${pool.fee / 10_000} % now: the hook may set another at any time. Fees are estimates.`]
      : []),
    changesAmounts
      ? 'The hook of this pool may change what swaps and positions get: the figures are estimates.'
      : 'The hook of this pool may refuse swaps and positions, or add to fees: the figures are estimates.',
  ]
}
