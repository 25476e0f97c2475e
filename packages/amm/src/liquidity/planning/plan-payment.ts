import { type Amounts, formatAmount } from '@svc/lp-math'
import { type Address, isAddressEqual, type Log, parseEventLogs } from 'viem'
import type { Chain } from '@svc/wallet/core'
import type { Intent, IntentApproval, TokenQuantity, Settled } from '../../intent.ts'
import type { Token } from '../../ports.ts'
import { ToolError } from '../../tool-error.ts'
import { erc20Abi } from '../../abis/tokens.ts'

/** How a call is paid: what may leave the wallet, the exact allowances it needs, and the native value it carries. */
export function planPayment(
  sides: readonly PaidSide[],
  spender: Address,
  via: IntentApproval['via'],
): { spends: TokenQuantity[]; approvals: IntentApproval[]; valueWei: bigint } {
  const paid = sides.filter((side) => side.amount > 0n)
  return {
    spends: paid.map(({ token, amount }) => ({ token: token.address, amount })),
    approvals: paid
      .filter(({ token }) => !token.isNative)
      .map(({ token, amount }) => ({ token: token.address, spender, amount, via, revokeAfter: true })),
    valueWei: paid.reduce((sum, { token, amount }) => (token.isNative ? sum + amount : sum), 0n),
  }
}

export type PaidSide = { readonly token: Token; readonly amount: bigint }

/** Two amounts, each beside its token. */
export function sidesOf(token0: Token, token1: Token, { amount0, amount1 }: Amounts): [PaidSide, PaidSide] {
  return [
    { token: token0, amount: amount0 },
    { token: token1, amount: amount1 },
  ]
}

/** What must arrive at least, leaving out tokens of which nothing must. */
export function leastReceipts(sides: readonly PaidSide[]): TokenQuantity[] {
  return sides.filter((side) => side.amount > 0n).map(({ token, amount }) => ({ token: token.address, amount }))
}

/** An intent of the routine risk tier; what it does not name it does not spend, receive, allow or pay out. */
export function routineIntent(
  chain: Chain,
  facts: Pick<Intent, 'calls' | 'atomicity' | 'slippageBps' | 'deadline' | 'why'> &
    Partial<
      Pick<Intent, 'spends' | 'receives' | 'approvals' | 'recipients' | 'deposits' | 'permit' | 'notes' | 'restsOn'>
    >,
): Intent {
  return { chainId: chain.id, spends: [], receives: [], approvals: [], recipients: [], riskTier: 'routine', ...facts }
}

/**
 * `1.5 WETH and 4500 USDC`, leaving out what is zero: for the sentence a person reads before approving. To six digits; the bounds of
 * a plan say it exactly. What leaves is rounded `up`, so that no more of it leaves than was said, or said `exact` where a caller named it.
 */
export function describeAmounts(sides: readonly PaidSide[], rounding: 'up' | 'nearest' | 'exact'): string {
  const text = (decimal: string) => (rounding === 'exact' ? decimal : shortAmount(decimal, rounding))
  const parts = sides
    .filter((side) => side.amount > 0n)
    .map(({ token, amount }) => `${text(formatAmount(amount, token.decimals))} ${tokenLabel(token)}`)
  return parts.length === 0 ? 'nothing' : parts.join(' and ')
}

/** Both sides in the caller's order of tokens: that of the plan's prices. */
export function callerSides<Side>([one, other]: readonly [Side, Side], isInverted: boolean): readonly [Side, Side] {
  return isInverted ? [other, one] : [one, other]
}

/**
 * A decimal text to six digits that count, whole ones always all. Rounded `up` where it bounds what leaves and `down` where it
 * bounds what arrives, so that the short form never promises more than the long one.
 */
export function shortAmount(decimal: string, rounding: 'up' | 'down' | 'nearest'): string {
  const parts = /^(-?)(\d+)\.(\d+)$/.exec(decimal)
  if (parts === null) return decimal
  const [, sign = '', whole = '', fraction = ''] = parts
  const leading = /^0*$/.test(whole) ? (/^0*/.exec(fraction)?.[0].length ?? 0) : -whole.length
  const places = Math.max(0, digitsThatCount + leading)
  if (fraction.length <= places) return decimal
  const kept = BigInt(whole + fraction.slice(0, places))
  const cut = fraction.slice(places)
  const isMore = rounding === 'up' ? /[1-9]/.test(cut) : rounding === 'nearest' && cut >= '5'
  const digits = `${isMore ? kept + 1n : kept}`.padStart(places + 1, '0')
  const rest = digits.slice(digits.length - places).replace(/0+$/, '')
  const shown = places === 0 ? digits : digits.slice(0, digits.length - places)
  return `${sign}${shown}${places === 0 || rest === '' ? '' : `.${rest}`}`
}

/** How a token is called in our own sentences: text of an unlisted one is data and never becomes prose. */
export function tokenLabel(token: Token): string {
  return token.listed || token.isNative ? token.symbol : token.address
}

const digitsThatCount = 6

/** The ERC-20 transfers of one token in the transaction that carries the result. */
export function transfersOf(settled: Settled, token: Address): Transfers {
  const events = parseEventLogs({ abi: erc20Abi, eventName: 'Transfer', logs: logsOf(settled, token) })
  const sum = (matches: (transfer: { from: Address; to: Address }) => boolean) =>
    events.reduce((total, { args }) => (matches(args) ? total + args.value : total), 0n)
  return {
    between: (from, to) => sum((transfer) => isAddressEqual(transfer.from, from) && isAddressEqual(transfer.to, to)),
    into: (account) => sum((transfer) => isAddressEqual(transfer.to, account)),
    outOf: (account) => sum((transfer) => isAddressEqual(transfer.from, account)),
    payerOf: (account) => events.find(({ args }) => isAddressEqual(args.to, account))?.args.from ?? null,
  }
}

/** Sums in the token's smallest units. */
export type Transfers = {
  between(from: Address, to: Address): bigint
  into(account: Address): bigint
  outOf(account: Address): bigint
  /** Who paid `account` first; `null` when nobody did. */
  payerOf(account: Address): Address | null
}

/** The logs that one contract left in the transaction that carries the result. */
export function logsOf(settled: Settled, emitter: Address): Log[] {
  return settled.main.logs.filter((log) => isAddressEqual(log.address, emitter))
}

/** The one log a mined call must have left. Throws `INTERNAL` when the receipt holds none: the contract is not what it says. */
export function requireEvent<Event>(events: readonly Event[], name: string): Event {
  const event = events[0]
  if (event !== undefined) return event
  throw new ToolError('INTERNAL', `The transaction was mined, but its receipt holds no ${name} log.`)
}
