import { formatAmount } from '@svc/lp-math'
import type { Budget, BudgetAmount, Ledger, SpendLimits, SpendVerdict } from '@svc/store'
import { type Policy, usdMicros } from './policy.ts'
import type { Refusal } from './refusal.ts'
import { isUnnamed, mayPass, type Token } from '../ports.ts'
import { tokenLabel } from '../token-label.ts'
import { budgetNames, isForAPerson, isOfUnanchored, isOfUnnamed } from './value/budget-names.ts'
import type { SpendValue, Unpriced } from './spend-value.ts'

/**
 * Holds a spend and its gas against the limits of the transaction, of the principal's session and of any 24 hours, and
 * takes both out of them unless `dryRun`. A token without a price is a refusal under a strict allowlist. Under a lenient one
 * the call counts as the whole limit of one transaction, gas included, or as what is known to leave or arrive beside it if
 * that is more, where no list names the token and no source says anything of it; what a list names, or what sources
 * contradict, is refused there too. Gas that has no price counts as what is left of the limit of one transaction.
 */
export async function limitSpend(request: SpendRequest): Promise<SpendDecision> {
  const { ledger, policy, value, dryRun } = request
  const limits = limitsOf(policy)
  const isGuess = value.unpriced.length > 0
  const bound = max(value.usdMicros, value.arrivingUsdMicros)
  const refused = (parts: SpendParts, refusal: Refusal): SpendDecision => {
    return { ...parts, budgets: [], isGuess, reserved: false, used: null, refusals: [refusal] }
  }
  if (isGuess && (bound === 0n || !maybeGuessed(request))) {
    const known = { amountUsdMicros: value.usdMicros, gasUsdMicros: request.gasUsdMicros ?? 0n }
    return refused(known, withoutPrice(value.unpriced))
  }
  const guess = max(bound, limits.perTransaction - (request.gasUsdMicros ?? 0n))
  const amountUsdMicros = isGuess ? guess : value.usdMicros
  const parts = {
    amountUsdMicros,
    gasUsdMicros: request.gasUsdMicros ?? max(limits.perTransaction - amountUsdMicros, 0n),
  }
  const amounts = isGuess ? [] : (request.amounts ?? [])
  if (sumOf(parts) > limits.perTransaction) return refused(parts, aboveOne(limits, parts, amounts))
  const asked = { principal: request.principal, chainId: request.chainId, ...parts, limits, sessionIdleMs }
  const take = (budgets: readonly Budget[]): Promise<SpendVerdict> =>
    dryRun
      ? ledger.check({ ...asked, budgets })
      : ledger.reserve({ ...asked, budgets, id: request.reservationId, requestId: request.requestId })
  const first = await take(request.budgets)
  const isForPerson = !first.granted && first.limit === 'budget' && isForAPerson(first.budget)
  const verdict = isForPerson ? await take(request.budgets.map(withoutCap)) : first
  if (!verdict.granted) return refused(parts, exceeded(verdict, parts, amounts))
  const asks = isForPerson ? { needsPerson: exceeded(first, parts).message } : {}
  return { ...parts, ...asks, budgets: request.budgets, isGuess, reserved: !dryRun, used: verdict.used, refusals: [] }
}

/** What a person may let pass still counts. */
function withoutCap(budget: Budget): Budget {
  return isForAPerson(budget.name) ? { ...budget, capUsdMicros: largestCap } : budget
}

const largestCap = 10n ** 18n

/**
 * Raises a reservation to what the spend and its gas are worth at newer prices and fees, in one commit that holds them
 * against every limit, so that what is reserved and settled never exceeds a cap. Of both, what is worth less now stays as it
 * is, but a guess: it fills what gas leaves of the limit of one transaction, so gas that rises takes its more out of it, down
 * to what is known to leave or arrive. Answers what is reserved.
 */
export async function raiseSpend(request: SpendRequest, held: HeldSpend): Promise<SpendRaise> {
  const { ledger, policy, value, reservationId, dryRun } = request
  const limits = limitsOf(policy)
  if (value.unpriced.length > 0 && !maybeGuessed(request)) {
    return { ...held, refusals: [withoutPrice(value.unpriced)] }
  }
  const worth = value.unpriced.length > 0 ? max(value.usdMicros, value.arrivingUsdMicros) : value.usdMicros
  const gasUsdMicros = max(request.gasUsdMicros ?? 0n, held.gasUsdMicros)
  const least = held.isGuess ? held.amountUsdMicros - (gasUsdMicros - held.gasUsdMicros) : held.amountUsdMicros
  const isGuess = held.isGuess || value.unpriced.length > 0
  const parts = { ...held, amountUsdMicros: max(worth, least), gasUsdMicros, isGuess }
  const isHeld = request.budgets.every(({ name, usdMicros: asked }) =>
    held.budgets.some((one) => one.name === name && one.usdMicros >= asked),
  )
  if (isHeld && parts.amountUsdMicros === held.amountUsdMicros && gasUsdMicros === held.gasUsdMicros) {
    return { ...parts, refusals: [] }
  }
  if (sumOf(parts) > limits.perTransaction) return { ...held, refusals: [aboveOne(limits, parts)] }
  if (dryRun) return { ...parts, refusals: [] }
  const budgets = held.needsPerson === undefined ? request.budgets : request.budgets.map(withoutCap)
  const asked = { amountUsdMicros: parts.amountUsdMicros, gasUsdMicros, gasOutOfAmount: held.isGuess, budgets }
  const verdict = await ledger.raise(reservationId, { ...asked, limits, sessionIdleMs })
  if (!verdict.granted) return { ...held, refusals: [exceeded(verdict, parts)] }
  return { ...parts, budgets: isHeld ? held.budgets : request.budgets, refusals: [] }
}

/** Holds what is reserved already against limits that may have been tightened since. Raises nothing. */
export async function holdSpend(held: {
  readonly ledger: Pick<Ledger, 'raise'>
  readonly policy: Policy
  readonly reservationId: string
  readonly reserved: SpendParts & Pick<HeldSpend, 'needsPerson'>
  readonly budgets: readonly Budget[]
  /** False where nothing was put into the ledger. */
  readonly isReserved: boolean
}): Promise<readonly Refusal[]> {
  const { ledger, reservationId, reserved, budgets } = held
  const limits = limitsOf(held.policy)
  if (sumOf(reserved) > limits.perTransaction) return [aboveOne(limits, reserved)]
  if (!held.isReserved) return []
  const { amountUsdMicros, gasUsdMicros } = reserved
  const verdict = await ledger.raise(reservationId, {
    amountUsdMicros,
    gasUsdMicros,
    budgets: reserved.needsPerson === undefined ? budgets : budgets.map(withoutCap),
    limits,
    sessionIdleMs,
  })
  return verdict.granted ? [] : [exceeded(verdict, reserved)]
}

/** What a write takes out of the limits, in millionths of a US dollar: what leaves, and what its gas costs at worst. */
export type SpendParts = { readonly amountUsdMicros: bigint; readonly gasUsdMicros: bigint }

export type SpentAmount = { readonly token: Token; readonly amount: bigint }

/** `isGuess`: a token without a price is among what it counts. */
export type HeldSpend = SpendParts & {
  readonly isGuess: boolean
  readonly budgets: readonly BudgetAmount[]
  /** Why a person must say yes whatever the threshold says; absent where nothing asks for one. */
  readonly needsPerson?: string
}

export type SpendRaise = HeldSpend & { readonly refusals: readonly Refusal[] }

export type SpendRequest = {
  readonly ledger: Pick<Ledger, 'reserve' | 'check' | 'raise'>
  readonly policy: Policy
  readonly principal: string
  readonly chainId: number
  readonly requestId: string
  readonly reservationId: string
  readonly value: SpendValue
  /** What the call spends, to say how much of it fits. */
  readonly amounts?: readonly SpentAmount[]
  readonly budgets: readonly Budget[]
  /** What gas may cost at worst; `null` where native currency has no price. */
  readonly gasUsdMicros: bigint | null
  readonly dryRun: boolean
}

export type SpendDecision = HeldSpend & {
  readonly reserved: boolean
  /** What counted before this spend; `null` when it was refused. */
  readonly used: Extract<SpendVerdict, { granted: true }>['used'] | null
  readonly refusals: readonly Refusal[]
}

/** A spending session ends after half an hour without a spend. */
export const sessionIdleMs = 30 * 60_000

/** The policy's limits in millionths of a US dollar. */
export function limitsOf({ limitsUsd }: Policy): SpendLimits {
  return {
    perTransaction: usdMicros(limitsUsd.perTransaction),
    perSession: usdMicros(limitsUsd.perSession),
    daily: usdMicros(limitsUsd.daily),
    ...(limitsUsd.principalDaily === undefined ? {} : { principalDaily: usdMicros(limitsUsd.principalDaily) }),
  }
}

/** Share of the daily limit, in percent, whose crossing is announced. */
export const dailyAlertPct = 80n

/** Whether a day's sum has reached the share of the limit that is announced. */
export function isDailyAlert(usedUsdMicros: bigint, policy: Policy): boolean {
  return usedUsdMicros * 100n >= limitsOf(policy).daily * dailyAlertPct
}

/** Millionths of a dollar as decimal dollars. */
export function usdText(micros: bigint): string {
  return formatAmount(micros, 6)
}

const names = {
  perTransaction: 'one transaction',
  perSession: 'the session',
  daily: 'any 24 hours',
  principalDaily: 'any 24 hours of this caller',
} as const

/** Of one transaction no window frees up. */
const noWaitHelps = 'Lower the amount: waiting does not change the limit of one transaction.'

function exceeded(
  verdict: Extract<SpendVerdict, { granted: false }>,
  parts: SpendParts,
  amounts: readonly SpentAmount[] = [],
): Refusal {
  if (verdict.limit === 'budget') return beyondBudget(verdict)
  const { limit, capUsdMicros, usedUsdMicros, askedUsdMicros } = verdict
  const { gasUsdMicros } = parts
  const leftUsdMicros = max(capUsdMicros - usedUsdMicros - gasUsdMicros, 0n)
  const sums = [capUsdMicros, usedUsdMicros, askedUsdMicros, gasUsdMicros, leftUsdMicros]
  const [cap, used, asked, gas, left] = sums.map(usdText)
  const asks = `asks for ${asked} USD, of which ${gas} USD for gas at worst`
  return {
    code: 'SPENDING_LIMIT_EXCEEDED',
    message: `The limit of ${names[limit]} is ${cap} USD; ${used} USD of it are used and the call ${asks}. ${fitsText(leftUsdMicros, parts, amounts)}`,
    details: [{ message: 'limit', limit, capUsd: cap, usedUsd: used, askedUsd: asked, gasUsd: gas, leftUsd: left }],
    ...(limit === 'perTransaction' ? { suggestion: noWaitHelps } : {}),
  }
}

/** What this limit leaves for the amount, in dollars and, in the proportion of the call, in its tokens. */
function fitsText(leftUsdMicros: bigint, { amountUsdMicros }: SpendParts, amounts: readonly SpentAmount[]): string {
  if (leftUsdMicros === 0n) return 'It leaves nothing for an amount.'
  const fitting = amounts.flatMap(({ token, amount }) => {
    const fits = amountUsdMicros === 0n ? 0n : sixDigits((amount * leftUsdMicros) / amountUsdMicros)
    return fits === 0n ? [] : [`${formatAmount(fits, token.decimals)} ${tokenLabel(token)}`]
  })
  const tokens = fitting.length === 0 ? '' : `, about ${fitting.join(' and ')}`
  return `It leaves ${usdText(leftUsdMicros)} USD${tokens}, for the amount.`
}

/** The first six digits, rounded down. */
function sixDigits(amount: bigint): bigint {
  const unit = 10n ** BigInt(Math.max(0, `${amount}`.length - 6))
  return amount - (amount % unit)
}

function beyondBudget(verdict: Extract<SpendVerdict, { granted: false; limit: 'budget' }>): Refusal {
  const { budget, capUsdMicros, usedUsdMicros, askedUsdMicros } = verdict
  const [capUsd, usedUsd, askedUsd] = [capUsdMicros, usedUsdMicros, askedUsdMicros].map(usdText)
  const sums = `${usedUsd} of ${capUsd} USD are used and this call asks for ${askedUsd}`
  const leftUsd = usdText(max(capUsdMicros - usedUsdMicros, 0n))
  const details = [{ message: 'limit', limit: budget, capUsd, usedUsd, askedUsd, leftUsd }]
  const { code, what, suggestion } = budgetTexts[budget] ?? textOf(budget)
  return { code, message: `${what}: ${sums}.`, details, suggestion }
}

type BudgetText = { readonly code: Refusal['code']; readonly what: string; readonly suggestion: string }

const moveLess = 'Move less, ask the operator to approve, or have the operator name a feed.'

const budgetTexts: Readonly<Record<string, BudgetText>> = {
  [budgetNames.loss]: {
    code: 'VALUE_LOSS_EXCEEDED',
    what: 'All calls together may lose only so much value in any 24 hours',
    suggestion:
      'Wait until the window frees up, or trade at lower cost: less at once, a smaller slippageBps, a cheaper pool.',
  },
  [budgetNames.speculative]: {
    code: 'SPENDING_LIMIT_EXCEEDED',
    what: 'Tokens without a named price source are bought only up to a daily sum',
    suggestion: 'Buy less, or have the operator name a price source for the token (svc policy add-token).',
  },
  [budgetNames.poolPriced]: {
    code: 'APPROVAL_REQUIRED',
    what: 'Of all tokens that pools alone price, a day moves only so much without a person',
    suggestion: moveLess,
  },
  [budgetNames.coldStart]: {
    code: 'SPENDING_LIMIT_EXCEEDED',
    what: 'While nothing remembers the price of a token, only a small daily sum is spent at the price of the moment',
    suggestion: 'Spend less, or call again in half an hour, when the price has a past.',
  },
}

function textOf(budget: string): BudgetText {
  if (isOfUnnamed(budget)) return unnamedText
  if (isOfUnanchored(budget)) return unanchoredText
  return isForAPerson(budget) ? poolPricedText : ownPoolText
}

const unnamedText: BudgetText = {
  code: 'APPROVAL_REQUIRED',
  what: 'No named source tells what this token is worth, so it leaves only with a person',
  suggestion: 'Ask the operator to approve, or to name a price source for the token (svc policy add-token).',
}

const unanchoredText: BudgetText = {
  code: 'APPROVAL_REQUIRED',
  what: 'Pools alone say what this token is worth, and nothing tells what it was worth hours ago, so it leaves only with a person',
  suggestion:
    'Ask the operator to approve, to name a feed, or to configure an endpoint that keeps the state of a day; or call again when the server has seen its price for eight hours; unnamedSales of the policy lets it leave without asking.',
}

const poolPricedText: BudgetText = {
  code: 'APPROVAL_REQUIRED',
  what: 'Pools alone say what this token is worth, and a day moves no more of it than a tenth of their depth without a person',
  suggestion: moveLess,
}

const ownPoolText: BudgetText = {
  code: 'SPENDING_LIMIT_EXCEEDED',
  what: 'The operator gave this pool a daily budget',
  suggestion: 'Spend less there, or wait until the window frees up.',
}

/** What arrives is only the least that a token can be worth: nothing is guessed of one that a list names or that has had a price. */
function maybeGuessed({ policy, chainId, value }: SpendRequest): boolean {
  const own = new Set(policy.allowlist.tokens?.[chainId]?.map((token) => token.toLowerCase()))
  return (
    policy.allowlist.mode === 'lenient' &&
    value.unpriced.every(({ token, doubt, listed }) => isUnnamed(doubt) && !listed && !own.has(token.toLowerCase()))
  )
}

/** Known without asking the ledger, whose rows have no room for absurd sums. */
function aboveOne({ perTransaction }: SpendLimits, parts: SpendParts, amounts: readonly SpentAmount[] = []): Refusal {
  const limit = { limit: 'perTransaction', capUsdMicros: perTransaction, usedUsdMicros: 0n } as const
  return exceeded({ granted: false, ...limit, askedUsdMicros: sumOf(parts) }, parts, amounts)
}

function sumOf({ amountUsdMicros, gasUsdMicros }: SpendParts): bigint {
  return amountUsdMicros + gasUsdMicros
}

function withoutPrice(unpriced: readonly Unpriced[]): Refusal {
  return {
    code: 'PRICE_UNAVAILABLE',
    message: 'A token of this call has no trustworthy price, so its spend cannot be held against the limits.',
    details: unpriced.map(({ token, doubt }) => ({ message: doubts[doubt], token })),
    retryable: unpriced.every(({ doubt }) => mayPass(doubt)),
  }
}

const doubts = {
  unnamed: 'no named source, and no pool that says anything',
  pastless:
    'no named source, and no endpoint or pool tells what it was worth half an hour ago: name an endpoint that keeps older state, or a source (svc policy add-token)',
  silent: 'no named source says anything now',
  absurd: 'a price that makes no sense',
  stale: 'a price more than five minutes old',
} as const satisfies Record<Unpriced['doubt'], string>

function max(one: bigint, other: bigint): bigint {
  return one > other ? one : other
}
