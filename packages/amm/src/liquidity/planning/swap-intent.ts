import type { Chain } from '@svc/wallet/core'
import type { Address, Hex } from 'viem'
import type { Intent, IntentApproval, TokenQuantity } from '../../intent.ts'
import type { Quote, Token } from '../../ports.ts'
import { describeAmounts } from './describe-amounts.ts'
import { planPayment } from './plan-payment.ts'
import { routineIntent } from './routine-intent.ts'

/** The intent of a swap through one router call. */
export function swapIntent(
  chain: Chain,
  quote: Quote,
  request: SwapRequest,
  call: {
    readonly router: Address
    readonly data: Hex
    readonly least: bigint
    readonly via: IntentApproval['via']
    readonly atomicity: 'single' | 'multicall'
  },
): Intent {
  const paid = [{ token: request.tokenIn, amount: quote.amountIn }]
  const received = [{ token: request.tokenOut, amount: quote.amountOut }]
  const { valueWei, ...payment } = planPayment(paid, call.router, call.via)
  return routineIntent(chain, {
    calls: [{ to: call.router, data: call.data, valueWei, label: 'swap' }],
    atomicity: call.atomicity,
    ...payment,
    receives: [{ token: request.tokenOut.address, amount: call.least }],
    slippageBps: request.slippageBps,
    deadline: request.deadline,
    recipients: [request.recipient],
    why: `Swap ${describeAmounts(paid, 'up')} for about ${describeAmounts(received, 'nearest')} through ${quote.version}.`,
  })
}

export type SwapRequest = {
  readonly tokenIn: Token
  readonly tokenOut: Token
  readonly slippageBps: number
  /** Unix seconds. */
  readonly deadline: number
  readonly recipient: Address
  /** What the plan that is carried out says must arrive; the calldata asks for no less. */
  readonly keptReceipts?: readonly TokenQuantity[] | undefined
}
