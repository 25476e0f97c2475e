import type { DescribedDeposit } from './describe-deposit.ts'
import type { DescribedAmount, DescribedStep, OperationDescription } from './describe-operation.ts'
import { shortAmount } from '@svc/amm'
import { timeLeft } from './time-left.ts'

/** Everything a person should know before deciding, as lines for a terminal. `now` in Unix milliseconds. */
export function operationText(operation: OperationDescription, now: number): string {
  const facts = operationFacts(operation, now).flatMap(({ name, lines }) =>
    lines.map((line, index) => `  ${(index === 0 ? name : '').padEnd(10)} ${line}`),
  )
  return [`Operation ${operation.id}`, ...facts, '', '  What would be called', ...stepLines(operation.steps)].join('\n')
}

/** The same as names and lines, for whatever shows them. */
export function operationFacts(operation: OperationDescription, now: number): readonly Fact[] {
  const leaves = operation.leavesAtMost.flatMap((amount) => amountLines('at most', amount))
  const arrives = operation.arrivesAtLeast.flatMap((amount) => amountLines('at least', amount))
  const waits = operation.executeAfter === null ? [] : [new Date(operation.executeAfter).toISOString()]
  const { failure } = operation
  const facts: readonly Fact[] = [
    { name: 'state', lines: [stateText(operation, now)] },
    { name: 'failure', lines: failure === null ? [] : [`${failure.code}: ${failure.message}`] },
    { name: 'why', lines: [operation.why] },
    { name: 'tool', lines: [`${operation.tool} on ${operation.chain}`] },
    { name: 'caller', lines: [operation.caller] },
    { name: 'leaves', lines: leaves.length === 0 ? ['nothing'] : leaves },
    { name: 'arrives', lines: arrives.length === 0 ? [nothingArrivesText(operation)] : arrives },
    { name: 'deposits', lines: operation.deposits.flatMap(depositLines) },
    { name: 'values', lines: operation.values === null ? [] : [valuesText(operation.values)] },
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
export function stateText({ state, expiresAt, decidedBy }: OperationDescription, now: number): string {
  const by = decidedBy === null ? '' : ` (decided by ${decidedBy})`
  const waits = state === 'awaiting_approval' || state === 'approved'
  return `${stateWords[state]}${by}${waits && expiresAt !== null ? `, ${timeLeft(expiresAt, now)} left` : ''}`
}

/** For example "16,954.87 USDC"; `16,954.87 "USDC"` for a token that is not on the chain's list. */
export function amountText({ amount, symbol, token, decimals, raw }: DescribedAmount): string {
  return raw !== null && decimals === null ? `${raw} smallest units of ${token}` : `${groupDigits(amount)} ${symbol}`
}

/** The same to six digits, for headlines: `up` for what leaves at most, `down` for what arrives at least. */
export function shortAmountText(amount: DescribedAmount, rounding: 'up' | 'down'): string {
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
export function worthText(usd: number | null): string {
  return usd === null ? '' : `${dollars(usd.toFixed(6))} USD`
}

/**
 * For example "3,000 USD leave, 2,998 USD come back, at worst 2,985 USD, at trusted prices". The worst is weighed at an edge of the
 * prices, where all may be worth more: what is shown of it is never above what is expected.
 */
export function valuesText(values: NonNullable<OperationDescription['values']>): string {
  const { leavesUsd, arrivesUsd, arrivesAtWorstUsd } = values
  const atWorst = Number(arrivesAtWorstUsd) < Number(arrivesUsd) ? arrivesAtWorstUsd : arrivesUsd
  const [leaves, arrives, worst] = [leavesUsd, arrivesUsd, atWorst].map(groupDigits)
  return `${leaves} USD leave, ${arrives} USD come back, at worst ${worst} USD, at trusted prices`
}

/** What gas is expected to cost, and what it can cost at worst; only a transaction that is stuck has its fees raised. */
export function gasText({ gasCostUsd, gasCostAtMost, gasCostAtMostUsd }: GasCosts): string {
  const expected = gasCostUsd === null ? 'unknown' : `about ${gasCostUsd.toFixed(2)} USD`
  if (gasCostAtMost === null) return expected
  const worth = gasCostAtMostUsd === null ? '' : ` (${worthText(gasCostAtMostUsd)})`
  return `${expected}, at worst ${gasCostAtMost}${worth} before fees are raised`
}

export type GasCosts = Pick<OperationDescription, 'gasCostUsd' | 'gasCostAtMost' | 'gasCostAtMostUsd'>

/** What is moved and its worth, and below it the number that stands on the chain. */
function amountLines(bound: string, amount: DescribedAmount): readonly string[] {
  const worth = amount.usd === null ? 'no price known' : `worth ${worthText(amount.usd)}`
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

/** Dollars and cents of a decimal text, rounded up: for headlines, never for a limit. */
export function dollars(decimal: string): string {
  const [whole = '0', fraction = ''] = decimal.split('.')
  const cents = BigInt(whole) * 100n + BigInt(fraction.slice(0, 2).padEnd(2, '0'))
  const up = /[1-9]/.test(fraction.slice(2)) ? cents + 1n : cents
  return groupDigits(`${up / 100n}.${`${up % 100n}`.padStart(2, '0')}`)
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
      ...call.arguments.map(({ name, value, amount }) =>
        amount === null ? `         ${name} = ${value}` : `         ${name} = ${value}: ${amountText(amount)}`,
      ),
    ]),
  ])
}
