import { type Address, isAddressEqual } from 'viem'
import type { Intent } from '@svc/amm'
import { calledContracts, type KnownContracts } from '../calldata/known-contracts.ts'
import type { Chain } from '@svc/wallet/core'
import type { Simulation } from '../simulation/simulation.ts'
import { isSpending, readBounds } from '../calldata/call-bounds.ts'
import { heldOf, type Moved } from './moved.ts'
import { tokensIn, type TrustedPrices, valueAt } from './trusted-value.ts'
import type { Outcome } from './weigh-change.ts'
import { sumByToken } from '../call/amounts.ts'

/**
 * Whether the calldata leaves room for a call that only brings funds home, and to the wallet alone: it trades, deposits, orders and
 * rebalances nothing, all of it is read, and it pays nobody else, those whom the operator lists included. Asks no endpoint.
 */
export function mayBringHome({ intent, chain, known, wallet }: WalletCall): boolean {
  const surfaces = intent.calls.map(({ to }) => known.surfaces.get(to.toLowerCase()) ?? 'listed')
  return (
    !surfaces.includes('listed') &&
    intent.recipients.every((recipient) => isAddressEqual(recipient, wallet)) &&
    calledContracts(intent, known).payees.length === 0 &&
    !readBounds(intent, chain, known).bounds.some((one) => isSpending(one) || one.rebalances.length > 0)
  )
}

type WalletCall = {
  readonly intent: Intent
  readonly chain: Chain
  readonly known: KnownContracts
  readonly wallet: Address
}

/**
 * Whether a call that spends nothing also does something for its owner: something arrives, or an allowance that stands is
 * revoked. Its gas is then held to the budget that is kept for leaving. Calls that do nothing have no part in that, so
 * that nobody uses it up with them.
 */
export function isWayHome(
  { isExit }: { readonly isExit: boolean },
  { deltas }: Pick<Simulation, 'deltas'>,
  standing: readonly bigint[],
): boolean {
  return isExit && ([...deltas.values()].some((delta) => delta > 0n) || standing.some((amount) => amount > 0n))
}

/**
 * What the positions that a call gives up are worth at trusted prices: none pays less, wherever its pool is pushed, so that who asks for no
 * minimums leaves as well. Where hooks or the shares of a pair are given up, and where nothing is, no more than the least that the call
 * declares to bring. Neither what its simulation shows (a contract may tell that from the chain, and give there what it keeps here), nor
 * what a position pays at the price of its pool, which is pushed for nothing where the pool takes no fee.
 */
export function homeOf({ receives }: Intent, { leaves }: Outcome, moved: Moved, prices: TrustedPrices): bigint {
  const least = valueAt(heldOf(sumByToken(receives), moved), prices, 'low')
  if (leaves.positions.length + leaves.shares.length === 0) return least
  const claim = valueAt({ ...leaves, tokens: new Map() }, prices, 'low')
  return isPlain({ leaves }, moved) || claim < least ? claim : least
}

/**
 * Whether nobody can push a call past what it asks for, so that only a token could keep it from bringing home what it is to: it takes plain
 * positions of tokens apart whose prices somebody vouches for, in one call, and asks for no minimums.
 */
export function isSureHome({ leaves }: Outcome, moved: Moved, prices: TrustedPrices): boolean {
  return (
    moved.calls.length === 1 &&
    moved.calls.every(({ hasLeast }) => !hasLeast) &&
    leaves.positions.length > 0 &&
    isPlain({ leaves }, moved) &&
    [...tokensIn(leaves)].every((token) => prices(token) !== null)
  )
}

/** Neither hooks nor pairs say what is paid for what is given up. */
function isPlain({ leaves }: Pick<Outcome, 'leaves'>, { inspected }: Moved): boolean {
  return leaves.shares.length === 0 && inspected.positions.every(({ isHooked }) => !isHooked)
}
