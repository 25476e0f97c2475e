import type { StoredOrder } from '@svc/store'
import type { OrderState } from './operations.ts'

/** The state of an order that its row tells: nothing is asked of a chain. */
export function orderStateOf(state: StoredOrder['state']): OrderState {
  return state === 'signed' || state === 'accepted' ? 'open' : state
}
