import { isAddressEqual } from 'viem'
import { calledContracts } from '../calldata/called-contracts.ts'
import type { ExecutionContext } from '../context/engine.ts'
import { readBounds } from '../value/call-bounds.ts'

/**
 * Whether the calldata leaves room for a call that only brings funds home, and to the wallet alone: it trades, deposits and orders
 * nothing, all of it is read, and it pays nobody else, those whom the operator lists included. Asks no endpoint.
 */
export function mayBringHome({
  intent,
  chain,
  known,
  wallet,
}: Pick<ExecutionContext, 'intent' | 'chain' | 'known' | 'wallet'>): boolean {
  const surfaces = intent.calls.map(({ to }) => known.surfaces.get(to.toLowerCase()) ?? 'listed')
  return (
    !surfaces.includes('listed') &&
    intent.recipients.every((recipient) => isAddressEqual(recipient, wallet)) &&
    calledContracts(intent, known).payees.length === 0 &&
    readBounds(intent, chain, known).bounds.every(
      ({ trades, deposits, orders }) => trades.length + deposits.length + orders.length === 0,
    )
  )
}
