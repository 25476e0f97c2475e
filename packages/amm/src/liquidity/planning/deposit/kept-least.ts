import type { Amounts } from '@svc/lp-math'
import { type Address, isAddressEqual } from 'viem'
import type { TokenQuantity } from '../../../intent.ts'
import type { Pool } from '../../../ports.ts'
import { ToolError } from '../../../tool-error.ts'

/**
 * The least of a token that calldata must ask for. A call of its own takes `least`; one that carries out a stored plan also
 * asks for what that says must arrive (`kept`), so that no block gives less than what was shown to a person. `now` is what
 * would arrive at the present price.
 *
 * @throws ToolError `SIMULATION_DRIFT` when less would arrive now than the plan says.
 */
export function keptLeast(
  kept: readonly TokenQuantity[] | undefined,
  token: Address,
  { least, now }: { readonly least: bigint; readonly now: bigint },
): bigint {
  const planned = (kept ?? [])
    .filter((one) => isAddressEqual(one.token, token))
    .reduce((sum, { amount }) => sum + amount, 0n)
  if (planned > now) {
    throw new ToolError('SIMULATION_DRIFT', 'Less would arrive than what was planned. Nothing was signed.', {
      details: [{ message: 'Less would arrive than the plan says.', token, planned: `${planned}`, now: `${now}` }],
    })
  }
  return planned > least ? planned : least
}

/** The same for both tokens of a pool, in its order. */
export function keptLeastOfPair(
  kept: readonly TokenQuantity[] | undefined,
  { token0, token1 }: Pick<Pool, 'token0' | 'token1'>,
  { least, now }: { readonly least: Amounts; readonly now: Amounts },
): Amounts {
  return {
    amount0: keptLeast(kept, token0.address, { least: least.amount0, now: now.amount0 }),
    amount1: keptLeast(kept, token1.address, { least: least.amount1, now: now.amount1 }),
  }
}
