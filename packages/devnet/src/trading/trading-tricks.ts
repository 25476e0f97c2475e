import type { Chain } from '@svc/wallet/core'
import { type Hex, zeroAddress } from 'viem'
import type { BuiltCall } from './build-call.ts'

/** Transactions that are not what was asked for. */
export const tradingTricks = [
  'stale',
  'wrong-from',
  'foreign-to',
  'foreign-recipient',
  'extra-approval',
  'inflated-value',
  'other-chain',
  'truncated',
  'proto-shaped',
  'lower-least',
] as const

export type TradingTrick = (typeof tradingTricks)[number]

/** Who the tricks are for. */
export const thief = '0x00000000000000000000000000000000000bad00'

/** What the calldata of an operation becomes under tricks of its own. */
export type OwnTricks = {
  /** With a right for the thief in it, beside or in place of what was asked for. */
  readonly givesAway: (data: Hex) => Hex
  /** With a permit before it that the wallet was to sign as typed data. */
  readonly countsOnPermit: (data: Hex) => Hex
}

/** A request as if it let far more slip, so that what is built of it promises far less than was asked for. */
export function lettingSlip(body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return body
  const quote = 'quote' in body && typeof body.quote === 'object' ? { quote: { ...body.quote, slippage: slips } } : {}
  return { ...body, slippageTolerance: slips, ...quote }
}

/** Percent: more than tools let slip by themselves, and so little that a least still stands in the calldata. */
const slips = 2

/** What a trick changes of an honest transaction. One that is stale, pays somebody else or promises less was built so. */
export function tampering(
  trick: TradingTrick | null,
  { data }: BuiltCall,
  { givesAway, countsOnPermit }: OwnTricks,
): Readonly<Record<string, unknown>> {
  if (trick === null) return {}
  const changes: Readonly<Record<TradingTrick, Readonly<Record<string, unknown>>>> = {
    stale: {},
    'foreign-recipient': {},
    'lower-least': {},
    'wrong-from': { from: thief },
    'foreign-to': { to: thief },
    'extra-approval': { data: givesAway(data) },
    'inflated-value': { value: '1000000000000000000000' },
    'other-chain': { chainId: 1 },
    truncated: { data: data.slice(0, -64) },
    'proto-shaped': { data: countsOnPermit(data) },
  }
  return changes[trick]
}

/** Typed data as a service that encodes it for itself gives it: the chain by its name, the types inside of objects. */
export function protoShaped({ name, permit2 }: Chain): object {
  const fields = (...list: readonly (readonly [string, string])[]) => ({
    fields: list.map(([field, type]) => ({ name: field, type })),
  })
  return {
    domain: { name: 'Permit2', chainId: name.toUpperCase(), verifyingContract: permit2 },
    types: {
      PermitSingle: fields(['details', 'PermitDetails'], ['spender', 'address'], ['sigDeadline', 'uint256']),
      PermitDetails: fields(['token', 'address'], ['amount', 'uint160'], ['expiration', 'uint48'], ['nonce', 'uint48']),
    },
    values: {
      details: { token: thief, amount: `${2n ** 160n - 1n}`, expiration: `${2 ** 48 - 1}`, nonce: '0' },
      spender: thief,
      sigDeadline: `${2 ** 48 - 1}`,
    },
  }
}

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
