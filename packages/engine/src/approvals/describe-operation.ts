import { shortAmount } from '@svc/amm'
import { formatAmount } from '@svc/lp-math'
import type { Operation, OperationState } from '@svc/store'
import { chains } from '@svc/wallet/core'
import * as z from 'zod'
import { printable } from '@svc/runtime'
import { readStoredPlan, type StoredPlan } from '../operations/operations.ts'

/**
 * What a person is shown before deciding on an operation, in plain terms and ready to show: who asks, what for, what leaves
 * at most, what arrives at least, what would be called. Text that others wrote (token symbols, arguments) is escaped and
 * capped. Throws when the row is damaged.
 */
export function describeOperation(operation: Operation): OperationDescription {
  const plan = readStoredPlan(operation.plan)
  const name = plan.chain?.name ?? chains.find(({ id }) => id === operation.chainId)?.name
  return {
    id: operation.id,
    state: operation.state,
    tool: printable(operation.tool),
    caller: printable(operation.principalId, 128),
    askedBy: callerWords(operation.principalId),
    why: printable(plan.why, 400),
    chain: name === undefined ? `chain ${operation.chainId}` : `${printable(name)} (chain ${operation.chainId})`,
    steps: plan.steps.map((step) => describeStep(step, plan.chain)),
    ...describeBounds(plan),
    allows: describeAllowances(plan),
    deposits: plan.deposits.map(describeDeposit),
    values: plan.values,
    warnings: plan.warnings.map((warning) => printable(warning, 400)),
    simulated: plan.deltas.map(describeAmount),
    spendUsd: formatAmount(operation.spendUsdMicros, 6),
    gasCostUsd: plan.gasCostUsd,
    gasCostAtMost: gasAtMostText(plan),
    gasCostAtMostUsd: plan.gasCostAtMostUsd,
    conditions: plan.policy.conditions.map(({ message }) => printable(message, 400)),
    planHash: operation.planHash,
    createdAt: operation.createdAt,
    expiresAt: operation.expiresAt,
    executeAfter: operation.executeAfter,
    decidedBy: operation.decidedBy === null ? null : printable(operation.decidedBy, 128),
    decidedAt: operation.decidedAt,
    failure: failureOf(operation),
  }
}

export type OperationDescription = {
  readonly id: string
  readonly state: OperationState
  readonly tool: string
  /** The principal that asked. */
  readonly caller: string
  /** The same in plain words. */
  readonly askedBy: string
  readonly why: string
  readonly chain: string
  readonly steps: readonly DescribedStep[]
  readonly leavesAtMost: readonly DescribedAmount[]
  readonly arrivesAtLeast: readonly DescribedAmount[]
  /** What contracts may take afterwards, where that is all that the operation is about. */
  readonly allows: readonly DescribedAllowance[]
  /** What goes into pools, with the range in prices. None in a row of an earlier version. */
  readonly deposits: readonly DescribedDeposit[]
  /** What leaves and what comes back is worth at trusted prices; `null` in a row of an earlier version. */
  readonly values: StoredPlan['values']
  /** What a person should weigh. */
  readonly warnings: readonly string[]
  /** What the simulation moved; negative when it left. */
  readonly simulated: readonly DescribedAmount[]
  /** Decimal US dollars that count against the limits. */
  readonly spendUsd: string
  /** Of the simulation; `null` when there was no price. */
  readonly gasCostUsd: number | null
  /** Native currency with its symbol: every gas limit used up at the highest fee, before fees are raised. `null` in a row of an earlier version. */
  readonly gasCostAtMost: string | null
  readonly gasCostAtMostUsd: number | null
  /** Why somebody is asked, and what else comes first. */
  readonly conditions: readonly string[]
  readonly planHash: string
  /** Unix milliseconds, as the other times. */
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly executeAfter: number | null
  readonly decidedBy: string | null
  readonly decidedAt: number | null
  /** Why it failed; `null` where it has not, or where the row does not say. */
  readonly failure: { readonly code: string; readonly message: string } | null
}

export type DescribedAmount = {
  readonly amount: string
  /** As it may be shown: in quotes unless the chain's own list has it, for any contract can call itself anything. */
  readonly symbol: string
  /** The whole address. */
  readonly token: string
  readonly usd: number | null
  /** In smallest units, `decimals` of them; `null` in a row of an earlier version. */
  readonly raw: string | null
  /** `null` where they are not known: `amount` is in smallest units then. */
  readonly decimals: number | null
}

export type DescribedStep = {
  readonly label: string
  readonly contract: string
  readonly to: string
  /** Native currency that goes with it, with its symbol; `null` for none. */
  readonly value: string | null
  readonly calls: readonly {
    readonly function: string
    readonly arguments: readonly DescribedArgument[]
  }[]
}

/** `amount`: what it comes to, where it is one of a token that is known; `contract`: our own name of the contract that it names. */
export type DescribedArgument = {
  readonly name: string
  readonly value: string
  readonly amount: DescribedAmount | null
  readonly contract: string | null
}

/** An exact allowance that stands afterwards; of nothing where one is taken back. */
export type DescribedAllowance = {
  readonly amount: DescribedAmount
  /** Our own name of the contract, where it has one, and its whole address. */
  readonly spender: string
}

/** What leaves at most and arrives at least, in the order of tokens that the prices of the plan are in. */
export function describeBounds({ bounds, deposits, values }: BoundsOfPlan) {
  const [first] = deposits
  const place = ({ token }: Amount) => (first !== undefined && token === first.token1.token ? 1 : 0)
  const inOrder = (amounts: readonly Amount[]) => amounts.toSorted((one, other) => place(one) - place(other))
  return {
    leavesAtMost: withWorth(inOrder(bounds.spendsAtMost).map(describeAmount), values?.leavesUsd),
    arrivesAtLeast: withWorth(inOrder(bounds.receivesAtLeast).map(describeAmount), values?.arrivesAtWorstUsd),
  }
}

type BoundsOfPlan = Pick<StoredPlan, 'bounds' | 'deposits' | 'values'>

/** Shares of a pair have no price of their own; where they are all that moves, they are worth what the plan was weighed with. */
function withWorth(amounts: readonly DescribedAmount[], weighedUsd = '0'): readonly DescribedAmount[] {
  const [only] = amounts
  const usd = Number(weighedUsd)
  return only === undefined || amounts.length > 1 || only.usd !== null || usd === 0 ? amounts : [{ ...only, usd }]
}

/** Of a plan that calls nothing but approvals of a token: what it approves is not taken back after it. */
export function describeAllowances({ steps }: Pick<StoredPlan, 'steps'>): readonly DescribedAllowance[] {
  const calls = steps.flatMap((step) => step.calls)
  if (steps.some((step) => step.calls.length === 0) || calls.some((call) => call.function !== 'approve')) return []
  // An allowance that stood before is cleared first.
  const last = calls.at(-1)
  const [spender, amount] = [last?.arguments['spender'], last?.amounts['amount']]
  if (spender === undefined || amount === undefined) return []
  const name = last?.contracts['spender']
  return [
    {
      amount: describeAmount(amount),
      spender: [...(name === undefined ? [] : [name]), spender].map((text) => printable(text)).join(' '),
    },
  ]
}

/** Who asked, for a person who knows no ids. */
function callerWords(principalId: string): string {
  const shown = printable(principalId, 128)
  if (shown === 'local') return 'the program that started the server'
  const [, kind = '', digits = ''] = /^([a-z-]+):([0-9a-f]{16})$/.exec(shown) ?? []
  const words = callerKinds[kind]
  return words === undefined ? shown : `${words} ${digits}`
}

const callerKinds: Readonly<Record<string, string | undefined>> = {
  'api-key': 'whoever holds the API key',
  bearer: 'whoever holds the bearer token',
}

/** An amount as it may be shown, whoever named its token. */
export function describeAmount(planned: StoredPlan['deltas'][number]): DescribedAmount {
  const { amount, token, chainId, usd, raw, decimals } = planned
  return {
    amount: printable(amount, 100),
    symbol: shownSymbol(planned),
    token: chainId === undefined ? printable(token) : `${printable(token)} on chain ${chainId}`,
    usd,
    raw: raw === null ? null : printable(raw, 100),
    decimals,
  }
}

/** Gas at worst to six digits with its symbol; `null` in a row of an earlier version. */
export function gasAtMostText({ gasCostAtMost, chain }: Pick<StoredPlan, 'gasCostAtMost' | 'chain'>): string | null {
  return gasCostAtMost === null ? null : `${shortAmount(printable(gasCostAtMost, 100), 'up')} ${nativeSymbolOf(chain)}`
}

function describeStep({ label, contract, to, valueWei, calls }: Step, chain: StoredPlan['chain']): DescribedStep {
  const value = formatAmount(BigInt(valueWei), chain?.nativeDecimals ?? 18)
  return {
    label: printable(label),
    contract: printable(contract ?? 'a contract without a name here'),
    to: printable(to),
    value: valueWei === '0' ? null : `${value} ${nativeSymbolOf(chain)}`,
    calls: calls.map((call) => ({
      function: printable(call.function),
      arguments: Object.entries(call.arguments).map(([name, text]) => describeArgument(name, text, call)),
    })),
  }
}

/** Of the error envelope that its caller was answered. */
function failureOf({ state, answer }: Operation): OperationDescription['failure'] {
  if (state !== 'failed' || answer === null) return null
  const read = envelope.safeParse(parsed(answer))
  return read.success ? { code: printable(read.data.code), message: printable(read.data.message, 400) } : null
}

const envelope = z.object({ code: z.string(), message: z.string() })

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return null
  }
}

type Step = StoredPlan['steps'][number]

type Amount = StoredPlan['deltas'][number]

function describeArgument(
  name: string,
  text: string,
  { amounts, contracts }: Step['calls'][number],
): DescribedArgument {
  const [amount, contract] = [amounts[name], contracts[name]]
  return {
    name: printable(name),
    // A route of several v4 pools is as long as that.
    value: printable(text, 1_000),
    amount: amount === undefined ? null : describeAmount(amount),
    contract: contract === undefined ? null : printable(contract),
  }
}

function nativeSymbolOf(chain: StoredPlan['chain']): string {
  return chain === null ? 'of native currency' : printable(chain.nativeSymbol, 24)
}

/** A deposit as it may be shown: its pool, and prices in the caller's order of tokens. */
export function describeDeposit(deposit: StoredPlan['deposits'][number]): DescribedDeposit {
  const { version, pool, feePct, token0, token1, currentPrice, share0Pct, createsPool } = deposit
  const [symbol0, symbol1] = [shownSymbol(token0), shownSymbol(token1)]
  const unit = `${symbol1} per ${symbol0}`
  const fee = feePct === null ? 'a fee that its hook decides' : `${feePct} %`
  const place = version === 'v2' ? 'pair' : 'pool'
  const created = createsPool ? ', which is created' : ''
  return {
    into: `${whatOf(deposit)} the ${version} ${place} ${symbol0}/${symbol1} at ${fee}${created}`,
    pool: printable(pool, 66),
    range: rangeText(deposit, unit),
    price: `${numberText(currentPrice)} ${unit}${createsPool ? ' to begin with' : ''}`,
    split: `${numberText(share0Pct)} % ${symbol0}, ${numberText(Number((100 - share0Pct).toFixed(1)))} % ${symbol1}`,
  }
}

export type DescribedDeposit = {
  /** For example `a new position in the v3 pool WETH/USDC at 0.05 %`. */
  readonly into: string
  /** The whole address or id. */
  readonly pool: string
  readonly range: string
  /** When it was planned, or at which it is created. */
  readonly price: string
  /** How its value is divided at that price. */
  readonly split: string
}

/** A symbol as it may be shown: in quotes unless the chain's own list has it, for any contract can call itself anything. */
function shownSymbol({ symbol, isListed }: { readonly symbol: string; readonly isListed: boolean }): string {
  const shown = printable(symbol, 24)
  return isListed ? shown : `"${shown.replaceAll('"', '\\"')}"`
}

function whatOf({ kind, version, positionId }: StoredPlan['deposits'][number]): string {
  if (kind === 'increase') return `more of position ${printable(positionId ?? 'unknown', 80)} in`
  return version === 'v2' ? 'shares of' : 'a new position in'
}

function rangeText({ priceLower, priceUpper }: StoredPlan['deposits'][number], unit: string): string {
  if (priceLower === null && priceUpper === null) return 'all prices'
  if (priceLower === null) return `up to ${numberText(priceUpper ?? 0)} ${unit}`
  return priceUpper === null
    ? `from ${numberText(priceLower)} ${unit} up`
    : `${numberText(priceLower)} to ${numberText(priceUpper)} ${unit}`
}

function numberText(value: number): string {
  return value.toLocaleString('en-US', { maximumSignificantDigits: 6 })
}
