import { zeroAddress } from 'viem'
import { thief } from './trading-tricks.ts'

/** Orders that are not what was asked for. */
export const orderTricks = [
  'other-reactor',
  'other-recipient',
  'other-swapper',
  'other-token',
  'more-input',
  'rising-input',
  'falls-to-nothing',
  'rising-output',
  'second-output',
  'late-deadline',
  'past-deadline',
  'validation-contract',
  'no-cosigner',
  'order-of-other-chain',
  'other-id',
  'huge-output',
  'same-nonce',
] as const

export type OrderTrick = (typeof orderTricks)[number]

export function isOrderTrick(fault: unknown): fault is OrderTrick {
  return orderTricks.some((trick) => trick === fault)
}

type Terms = {
  readonly reactor: string
  readonly swapper: string
  readonly tokenIn: string
  readonly startIn: bigint
  readonly endIn: bigint
  readonly tokenOut: string
  readonly start: bigint
  readonly end: bigint
  readonly recipient: string
  readonly deadline: number
  readonly cosigner: string
}

export function tricked(trick: OrderTrick | null, honest: Terms): Terms {
  const changes: Partial<Record<OrderTrick, Partial<Terms>>> = {
    'other-reactor': { reactor: thief },
    'other-recipient': { recipient: thief },
    'other-swapper': { swapper: thief },
    'other-token': { tokenOut: thief },
    'more-input': { startIn: honest.startIn * 2n, endIn: honest.endIn * 2n },
    'rising-input': { endIn: honest.endIn * 2n },
    'falls-to-nothing': { end: 1n },
    'rising-output': { start: honest.end, end: honest.start },
    'late-deadline': { deadline: honest.deadline + 86_400 },
    'past-deadline': { deadline: honest.deadline - 2 * orderSeconds },
    'no-cosigner': { cosigner: zeroAddress },
  }
  return { ...honest, ...(trick === null ? {} : changes[trick]) }
}

/** What is said beside the order itself. */
export function aside(trick: OrderTrick | null, orderInfo: { readonly outputs: readonly object[] }): object {
  if (trick === 'huge-output') {
    const outputs = orderInfo.outputs.map((output) => ({ ...output, startAmount: `${2n ** 256n}` }))
    return { orderInfo: { ...orderInfo, outputs } }
  }
  if (trick === 'other-id') return { orderId: `0x${'1'.repeat(64)}` }
  return trick === 'order-of-other-chain' ? { orderInfo: { ...orderInfo, chainId: 1 } } : {}
}

/** How long honest orders hold. */
export const orderSeconds = 120
