import { type Address, isAddress, isAddressEqual } from 'viem'
import type { CalldataPart } from './call-recipients.ts'

/**
 * Throws unless calls to a TWAMM hook are of a form that is made here: orders in a pool of this very hook, updates that settle or end
 * an order and never add to it, claims of all that is owed.
 */
export function requireOwnOrders(hook: Address, parts: readonly CalldataPart[]): void {
  for (const { name, values } of parts) {
    const { hooks, amountDelta, amountRequested } = values
    if (name === 'claimTokens' ? amountRequested !== 0n : !isSame(hooks, hook)) throw new RangeError('not of this hook')
    if (name === 'updateOrder' && amountDelta !== 0n && amountDelta !== -1n) throw new RangeError('adds to an order')
  }
}

function isSame(value: unknown, address: Address): boolean {
  return typeof value === 'string' && isAddress(value, { strict: false }) && isAddressEqual(value, address)
}
