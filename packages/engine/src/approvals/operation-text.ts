import { shortAmount } from '@svc/amm'
import { formatAmount } from '@svc/lp-math'
import { printable } from '@svc/runtime'
import {
  type DescribedDeposit,
  describeDeposit,
  describeAllowances,
  describeBounds,
  type DescribedAllowance,
  type DescribedAmount,
  type DescribedArgument,
  type DescribedStep,
  gasAtMostText,
  type OperationDescription,
} from './describe-operation.ts'
import type { ApprovalQuestion } from '../operations/operations.ts'

/** What a person at the client is asked, short enough for a dialogue, in our own words. `now` in Unix milliseconds. */
export function approvalMessage(
  { operationId, planHash, tool, expiresAt, plan, spendUsd, othersWaiting }: ApprovalQuestion,
  now: number,
): string {
  const amounts = (list: readonly DescribedAmount[], rounding: Rounding) =>
    list.map((amount) => amountWithWorth(amount, rounding)).join(' and ')
  const { leavesAtMost, arrivesAtLeast } = describeBounds(plan)
  const values = valuesText(plan.values)
  const gas = gasText({ ...plan, gasCostAtMost: gasAtMostText(plan) })
  return [
    `Approve this? ${printable(plan.why, 400)}`,
    '',
    `Leaves the wallet at most: ${amounts(leavesAtMost, 'up') || 'nothing'}`,
    `Arrives at least: ${amounts(arrivesAtLeast, 'down') || nothingArrivesText({ simulated: plan.deltas, deposits: plan.deposits })}`,
    ...describeAllowances(plan).map((allowance) => `Allows: ${allowanceText(allowance)}`),
    ...plan.deposits.map(describeDeposit).map(depositLine),
    ...(values === null ? [] : [`Worth: ${values}`]),
    ...plan.warnings.map((warning) => `Note: ${printable(warning, 400)}`),
    `Counts as ${groupDigits(spendUsd)} USD of the spending limits; gas ${gas}`,
    `Transactions: ${plan.steps.map(({ label, contract, to }) => `${printable(label)} (${contract === null ? '' : `${printable(contract)} `}${to})`).join(', ')}`,
    '',
    `Asked for by ${printable(tool)}, operation ${printable(operationId)}, plan ${planHash}`,
    ...(othersWaiting === 0 ? [] : [`Besides this, ${othersWaiting} more of the same caller await a decision.`]),
    ...(expiresAt === null ? [] : [`Without an answer this ends in ${timeLeft(expiresAt, now)}.`]),
  ].join('\n')
}

/** How long until a time, for a person: "9 min 5 s", "2 h 10 min", "over". Both in Unix milliseconds. */
export function timeLeft(until: number, now: number): string {
  const seconds = Math.floor((until - now) / 1_000)
  if (seconds < 0) return 'over'
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`
  const hours = Math.floor(minutes / 60)
  if (hours < 48) return `${hours} h ${minutes % 60} min`
  return `${Math.floor(hours / 24)} days ${hours % 24} h`
}

/**
 * The price a trade comes to at worst, of the token that is worth more: "at least 2,984.92 USDC per WETH". `null` for what is no
 * trade of one token for another.
 */
export function tradePriceText({ leavesAtMost, arrivesAtLeast, deposits }: Trade): string | null {
  const [paid, ...othersPaid] = leavesAtMost
  const [got, ...othersGot] = arrivesAtLeast
  if (paid === undefined || got === undefined || othersPaid.length + othersGot.length + deposits.length > 0) return null
  const [atLeast, atMost] = [priceOf(got, paid, 'down'), priceOf(paid, got, 'up')]
  if (atLeast === null || atMost === null) return null
  return atLeast >= one
    ? `at least ${shown(atLeast, 'down')} ${got.symbol} per ${paid.symbol}`
    : `at most ${shown(atMost, 'up')} ${paid.symbol} per ${got.symbol}`
}

/** For example "Goes into: a new position in the v3 pool WETH/USDC at 0.3 %; range 2,700 to 3,300 USDC per WETH; ...". */
function depositLine({ into, range, price, split, pool }: DescribedDeposit): string {
  return `Goes into: ${into}; range ${range}; price ${price}; value ${split}; pool ${pool}`
}

/** For example "16,954.87 USDC (16,954.87 USD, token 0x8335...)". */
function amountWithWorth(amount: DescribedAmount, rounding: Rounding): string {
  return `${amountText(amount)} (${amount.usd === null ? 'no price known' : worthText(amount.usd, rounding)}, token ${amount.token})`
}

/** `up` for what leaves at most, `down` for what arrives at least. */
type Rounding = 'up' | 'down'

/** Everything a person should know before deciding, as lines for a terminal. `now` in Unix milliseconds. */
export function operationText(operation: OperationDescription, now: number): string {
  const facts = operationFacts(operation, now).flatMap(({ name, lines }) =>
    lines.map((line, index) => `  ${(index === 0 ? name : '').padEnd(10)} ${line}`),
  )
  return [`Operation ${operation.id}`, ...facts, '', '  What would be called', ...stepLines(operation.steps)].join('\n')
}

/** The same as names and lines, for whatever shows them. */
export function operationFacts(operation: OperationDescription, now: number): readonly Fact[] {
  const leaves = operation.leavesAtMost.flatMap((amount) => amountLines('at most', amount, 'up'))
  const arrives = operation.arrivesAtLeast.flatMap((amount) => amountLines('at least', amount, 'down'))
  const waits = operation.executeAfter === null ? [] : [new Date(operation.executeAfter).toISOString()]
  const { failure } = operation
  const values = valuesText(operation.values)
  const facts: readonly Fact[] = [
    { name: 'state', lines: [stateText(operation, now)] },
    { name: 'failure', lines: failure === null ? [] : [`${failure.code}: ${failure.message}`] },
    { name: 'why', lines: [operation.why] },
    { name: 'tool', lines: [`${operation.tool} on ${operation.chain}`] },
    { name: 'caller', lines: [operation.caller] },
    { name: 'leaves', lines: leaves.length === 0 ? ['nothing'] : leaves },
    { name: 'arrives', lines: arrives.length === 0 ? [nothingArrivesText(operation)] : arrives },
    { name: 'allows', lines: operation.allows.map(allowanceText) },
    { name: 'deposits', lines: operation.deposits.flatMap(depositLines) },
    { name: 'values', lines: values === null ? [] : [values] },
    { name: 'warnings', lines: operation.warnings },
    { name: 'counts as', lines: [`${groupDigits(operation.spendUsd)} USD of the spending limits`] },
    { name: 'gas', lines: [gasText(operation)] },
    { name: 'not before', lines: waits },
    { name: 'asked as', lines: operation.conditions },
    { name: 'plan hash', lines: [operation.planHash] },
  ]
  return facts.filter(({ lines }) => lines.length > 0)
}

export type Fact = { readonly name: string; readonly lines: readonly string[] }

/** The state in words, with the time that is left. */
export function stateText({ state, expiresAt, decidedBy }: StateFacts, now: number): string {
  const by = decidedBy === null ? '' : ` (decided by ${decidedBy})`
  const waits = state === 'awaiting_approval' || state === 'approved'
  return `${stateWords[state]}${by}${waits && expiresAt !== null ? `, ${timeLeft(expiresAt, now)} left` : ''}`
}

type StateFacts = Pick<OperationDescription, 'state' | 'expiresAt' | 'decidedBy'>

/** For example "16,954.87 USDC"; `16,954.87 "USDC"` for a token that is not on the chain's list. */
export function amountText({ amount, symbol, token, decimals, raw }: DescribedAmount): string {
  return raw !== null && decimals === null ? `${raw} smallest units of ${token}` : `${groupDigits(amount)} ${symbol}`
}

/** The same to six digits, for headlines. */
export function shortAmountText(amount: DescribedAmount, rounding: Rounding): string {
  return amountText(amount.decimals === null ? amount : { ...amount, amount: shortAmount(amount.amount, rounding) })
}

/** What stands where no token is bound to arrive: a lack of a guarantee is named only where the simulation had something arrive. */
export function nothingArrivesText({ simulated, deposits }: Arrivals): string {
  if (simulated.some(({ amount }) => /^[^-]*[1-9]/.test(amount))) return 'nothing guaranteed'
  return deposits.length === 0 ? 'nothing' : 'no token: it becomes the position'
}

/** Of both, all that is asked is what moved and whether anything was deposited. */
type Arrivals = {
  readonly simulated: readonly { readonly amount: string }[]
  readonly deposits: readonly unknown[]
}

/** Dollars and cents of a worth; empty where there is no price. */
export function worthText(usd: number | null, rounding: Rounding): string {
  return usd === null ? '' : `${dollars(usd.toFixed(6), rounding)} USD`
}

/** For example "3,000 USD leave, 2,998 USD come back, at worst 2,985 USD, at trusted prices"; `null` where nothing does. */
export function valuesText(values: OperationDescription['values']): string | null {
  if (values === null) return null
  const { leavesUsd, arrivesUsd, arrivesAtWorstUsd } = values
  if (Number(leavesUsd) + Number(arrivesUsd) === 0) return null
  // An earlier version weighed the worst at an edge of the prices, where all may be worth more.
  const atWorst = Number(arrivesAtWorstUsd) < Number(arrivesUsd) ? arrivesAtWorstUsd : arrivesUsd
  const [leaves, arrives, worst] = [leavesUsd, arrivesUsd, atWorst].map(groupDigits)
  return `${leaves} USD leave, ${arrives} USD come back, at worst ${worst} USD, at trusted prices`
}

/** Who may take how much, and how long. */
export function allowanceText(allowance: DescribedAllowance): string {
  const { amount, spender } = allowance
  if (!/[1-9]/.test(amount.amount)) return `nothing any more to ${spender}: what stood is taken back`
  return `${amountWithWorth(amount, 'up')} to ${spender}, until ${allowanceEnd}`
}

/** When an allowance ends that is not taken back with the call. */
export const allowanceEnd = 'a write to it has used it up, or approve_token with 0 takes it back; it has no end in time'

/** What gas is expected to cost, and what it can cost at worst; only a transaction that is stuck has its fees raised. */
export function gasText({ gasCostUsd, gasCostAtMost, gasCostAtMostUsd }: GasCosts): string {
  const expected = gasCostUsd === null ? 'unknown' : `about ${gasCostUsd.toFixed(2)} USD`
  if (gasCostAtMost === null) return expected
  const worth = gasCostAtMostUsd === null ? '' : ` (${worthText(gasCostAtMostUsd, 'up')})`
  return `${expected}, at worst ${gasCostAtMost}${worth} before fees are raised`
}

export type GasCosts = Pick<OperationDescription, 'gasCostUsd' | 'gasCostAtMost' | 'gasCostAtMostUsd'>

/** What is moved and its worth, and below it the number that stands on the chain. */
function amountLines(bound: string, amount: DescribedAmount, rounding: Rounding): readonly string[] {
  const worth = amount.usd === null ? 'no price known' : `worth ${worthText(amount.usd, rounding)}`
  const { raw, decimals, token } = amount
  const below =
    raw === null || decimals === null ? `token ${token}` : `${raw} with ${decimals} decimals, token ${token}`
  return [`${bound} ${amountText(amount)}, ${worth}`, `  ${below}`]
}

/** Where a deposit goes, and below it its range and price. */
function depositLines({ into, pool, range, price, split }: DescribedDeposit): readonly string[] {
  return [into, `  range ${range}`, `  price ${price}`, `  value ${split}`, `  pool ${pool}`]
}

/** Thousands set apart in a decimal text. */
export function groupDigits(decimal: string): string {
  const [whole = '', fraction] = decimal.split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return fraction === undefined ? grouped : `${grouped}.${fraction}`
}

/** Dollars and cents of a decimal text, rounded up unless it is what arrives at least: for headlines, never for a limit. */
export function dollars(decimal: string, rounding: Rounding = 'up'): string {
  const [whole = '0', fraction = ''] = decimal.split('.')
  const cents = BigInt(whole) * 100n + BigInt(fraction.slice(0, 2).padEnd(2, '0'))
  const rounded = rounding === 'up' && /[1-9]/.test(fraction.slice(2)) ? cents + 1n : cents
  return groupDigits(`${rounded / 100n}.${`${rounded % 100n}`.padStart(2, '0')}`)
}

const stateWords = {
  planned: 'planned, nobody is asked',
  awaiting_approval: 'awaits a decision',
  approved: 'approved, not yet carried out',
  denied: 'denied',
  scheduled: 'scheduled',
  running: 'is being carried out',
  done: 'carried out',
  failed: 'failed',
  cancelled: 'cancelled',
  expired: 'expired',
} as const

function stepLines(steps: readonly DescribedStep[]): readonly string[] {
  return steps.flatMap((step, index) => [
    `    ${index + 1}. ${step.label}: ${step.contract} ${step.to}`,
    ...(step.value === null ? [] : [`       with ${step.value}`]),
    ...step.calls.flatMap((call) => [
      `       ${call.function}`,
      ...call.arguments.map(({ name, value, amount, contract }) =>
        [`         ${name} = ${value}`, ...meaningOf({ amount, contract })].join(': '),
      ),
    ]),
  ])
}

/** What an argument comes to, or whose address it is. */
export function meaningOf({ amount, contract }: Pick<DescribedArgument, 'amount' | 'contract'>): readonly string[] {
  return [...(amount === null ? [] : [amountText(amount)]), ...(contract === null ? [] : [contract])]
}

type Trade = Pick<OperationDescription, 'leavesAtMost' | 'arrivesAtLeast' | 'deposits'>

const places = 36
const one = 10n ** BigInt(places)

/** Whole `quote` per whole `base`, in parts of `one`; `null` where it is not known. */
function priceOf(quote: DescribedAmount, base: DescribedAmount, rounding: 'up' | 'down'): bigint | null {
  const [quoteRaw, baseRaw] = [rawOf(quote), rawOf(base)]
  if (quoteRaw === null || baseRaw === null || baseRaw === 0n || quoteRaw === 0n) return null
  const below = baseRaw * 10n ** BigInt(quote.decimals ?? 0)
  return (quoteRaw * one * 10n ** BigInt(base.decimals ?? 0) + (rounding === 'up' ? below - 1n : 0n)) / below
}

function rawOf({ raw, decimals }: DescribedAmount): bigint | null {
  return raw !== null && decimals !== null && /^\d+$/.test(raw) ? BigInt(raw) : null
}

function shown(price: bigint, rounding: 'up' | 'down'): string {
  return groupDigits(shortAmount(formatAmount(price, places), rounding))
}
