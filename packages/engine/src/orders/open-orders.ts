import { type OrderFacts, readOrder, type SignedOrder } from '@svc/amm'
import type { StoredOrder } from '@svc/store'
import type { Chain } from '@svc/wallet/core'
import { type Hash, isAddress, isHex } from 'viem'
import { onStorage } from '../call/refusal.ts'
import type { Engine } from '../context/engine.ts'

/** Orders that may be filled yet: what is reserved for them counts, and their allowances stand. Throws `STORAGE_UNAVAILABLE`. */
export async function openOrders(
  { orders }: Pick<Engine, 'orders'>,
  { id }: Pick<Chain, 'id'>,
): Promise<readonly OpenOrder[]> {
  const open = await onStorage('the orders cannot be read', () => orders.open(id))
  return open.filter(({ kind }) => kind === 'uniswapx').map(openOrderOf)
}

export type OpenOrder = Omit<StoredOrder, 'kind' | 'orderId' | 'wallet' | 'signature'> &
  SignedOrder & { readonly kind: 'uniswapx'; readonly signature: Hash }

export type ViewedOrder = OpenOrder &
  Pick<OrderFacts, 'status' | 'fill'> & {
    /** Whether the blocks that say so are deep enough, so that what was reserved for it is settled. */
    readonly isFinal: boolean
  }

/** A row as it is worked with. Throws where one of ours makes no sense. */
export function openOrderOf(stored: StoredOrder): OpenOrder {
  const { kind, terms, orderId, wallet, signature } = stored
  if (kind !== 'uniswapx' || !isHex(orderId) || !isAddress(wallet) || !isHex(signature))
    throw new TypeError('a signed order makes no sense')
  return { ...stored, kind, order: readOrder(terms), orderId, wallet, signature }
}
