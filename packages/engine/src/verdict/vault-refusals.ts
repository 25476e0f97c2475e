import type { Intent } from '@svc/amm'
import type { Chain } from '@svc/wallet/core'
import { isAddressEqual } from 'viem'
import type { KnownContracts } from '../calldata/known-contracts.ts'
import { type CallBounds, readBounds } from '../calldata/call-bounds.ts'
import type { Refusal } from '../call/refusal.ts'
import { sumByToken } from '../call/amounts.ts'

/**
 * Refuses a call to a vault that does not stand alone, and a deposit whose allowance is not the one bound of what it costs: ERC-4626 names
 * no price, so that the token's own check of an exact allowance, taken back afterwards, is what a share price that rose fails at. Of a
 * rebalance the calldata itself has to hold a bound.
 */
export function vaultRefusals(intent: Intent, { chain, known }: Context): readonly Refusal[] {
  const { calls, approvals, atomicity } = intent
  if (calls.every(({ to }) => known.surfaces.get(to.toLowerCase()) !== 'vault')) return []
  const [only, ...others] = readBounds(intent, chain, known).bounds
  if (only === undefined || others.length > 0 || atomicity !== 'single' || calls.some(({ valueWei }) => valueWei > 0n))
    return [unsafe('A call to a vault stands alone, and carries no native currency.')]
  if (only.rebalances.some(({ shares, leastAssets }) => shares === 0n || leastAssets === 0n))
    return [unsafe('A rebalance has to say what shares of the vault are worth at least afterwards.')]
  const isBounded = only.vaultDeposits.length === 0 ? approvals.length === 0 : isPaidExactly(only, intent)
  return isBounded ? [] : [unsafe('What the vault may take is not bounded by an exact allowance of one token.')]
}

type Context = { readonly chain: Chain; readonly known: KnownContracts }

/** One token leaves, no more than the vault is allowed, which is taken back; and the shares that the calldata makes are those declared. */
function isPaidExactly({ vaultDeposits }: CallBounds, { approvals, spends, receives, calls }: Intent): boolean {
  const [allowed, ...others] = approvals
  const [spent, ...more] = sumByToken(spends)
  const [call] = calls
  if (allowed === undefined || others.length > 0 || spent === undefined || more.length > 0 || call === undefined)
    return false
  const [token, amount] = spent
  const declared = sumByToken(receives).get(call.to.toLowerCase())
  return (
    allowed.via === 'erc20' &&
    allowed.revokeAfter &&
    isAddressEqual(allowed.spender, call.to) &&
    allowed.token.toLowerCase() === token &&
    allowed.amount === amount &&
    token !== call.to.toLowerCase() &&
    vaultDeposits.every(({ shares }) => shares === declared)
  )
}

function unsafe(message: string): Refusal {
  return { code: 'UNSAFE_TRANSACTION', message }
}
