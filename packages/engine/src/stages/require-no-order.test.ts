import { type IntentCrossChain, storeCrossChain } from '@svc/amm'
import { crossChainOrderIdOf } from '@svc/amm/cross-chain'
import { expect, test, vi } from 'vitest'
import { requireNoOrder } from './sign-order.ts'

const wallet = '0x00000000000000000000000000000000000000bb'
const settler = '0x5555555555555555555555555555555555555555'
const terms: Omit<IntentCrossChain, 'orderId'> = {
  settler,
  nonce: 7n,
  fillDeadline: 1_900_000_000,
  inputToken: '0x00000000000000000000000000000000000000a1',
  inputAmount: 1_000n,
  destinationChainId: 10,
  destinationSettler: settler,
  outputToken: '0x00000000000000000000000000000000000000b2',
  outputAmount: 990n,
  recipient: wallet,
}
const order: IntentCrossChain = { ...terms, orderId: crossChainOrderIdOf(terms, { chainId: 1, wallet }) }

test('a cross-chain order that is recorded and not signed yet is open to others: a plan beside it, which waits for no write, does not end it', async () => {
  const end = vi.fn(async () => {})
  const stored = {
    kind: 'cross_chain',
    operationId: 'first',
    orderId: order.orderId,
    requestId: 'first',
    reservationId: 'first',
    chainId: 1,
    wallet,
    state: 'signed',
    signedAt: 1_800_000_000_000,
    terms: storeCrossChain(order),
  }
  const engine = {
    orders: { open: async () => [stored], end },
    journal: { byRequest: async () => [] },
    ledger: { open: async () => [] },
    audit: { append: async () => {} },
    now: () => 1_800_000_000_000,
  }
  const checked = { engine, chain: { id: 1, permit2: settler }, wallet, allowances: [], intent: { crossChain: order } }
  const { refusals } = await requireNoOrder(checked as never)
  expect(refusals.map(({ code }) => code)).toEqual(['ORDER_OPEN'])
  expect(end).not.toHaveBeenCalled()
})
