import type { Budget, BudgetAmount, CheckRequest, Ledger, SpendVerdict, TokenAmounts } from '@svc/store'
import { larger, smaller } from '@svc/lp-math'
import { zeroAddress } from 'viem'
import type { Policy } from '../policy/policy.ts'
import type { Refusal } from '../call/refusal.ts'
import { isUnnamed, mayPass } from '@svc/amm'
import { countable } from './countable.ts'
import { unpricedGasCapWei } from './gas.ts'
import { aboveOne, askedAtAll, exceededLimits, limitRefusal, type SpentAmount } from './limit-refusal.ts'
import { budgetNames, isForAPerson, limitsOf, dailyAlertPct } from './budgets.ts'
import type { SpendValue, Unpriced } from '../value/spend-value.ts'

/**
 * Holds a spend and its gas against the limits of the transaction, of the principal's session and of any 24 hours, and its
 * gas against what a day may burn, and takes both out of them unless `dryRun`. What only brings funds home is held to a limit
 * of gas of its own and to no other. A token without a price is a refusal under a strict allowlist. Under a lenient one
 * the call counts as the whole limit of one transaction, gas included, or as what is known to leave or arrive beside it if
 * that is more, where no list names the token and no source says anything of it; what a list names, or what sources
 * contradict, is refused there too. Gas that has no price counts as its share of a fixed sum, which is a day's gas.
 */
export async function limitSpend(request: SpendRequest): Promise<SpendDecision> {
  const { ledger, policy, value, isExit, homeUsdMicros, isSureHome, requestId, dryRun } = request
  const gas = request.gasUsdMicros ?? unpricedGas(request.gasWei, limitsOf(policy))
  const limits = limitsOf(policy)
  const isGuess = value.unpriced.length > 0
  const bound = larger(value.usdMicros, value.arrivingUsdMicros)
  const home = { isExit, homeUsdMicros, isSureHome }
  const refused = (parts: SpendParts, ...refusals: readonly Refusal[]): SpendDecision => {
    const needs = askedAtAll(request.budgets)
    return { ...parts, ...home, ...needs, budgets: [], isGuess, reserved: false, used: null, refusals }
  }
  if (isGuess && (bound === 0n || !maybeGuessed(request))) {
    const known = { amountUsdMicros: value.usdMicros, gasUsdMicros: gas }
    return refused(known, withoutPrice(value.unpriced))
  }
  const guess = larger(bound, limits.perTransaction - gas)
  const amountUsdMicros = isGuess ? guess : value.usdMicros
  const room = larger(limits.perTransaction - amountUsdMicros, 0n)
  const isAsPriced = isExit || request.gasUsdMicros !== null
  const parts = { amountUsdMicros, gasUsdMicros: isAsPriced ? countable(gas) : smaller(gas, room) }
  const amounts = isGuess ? [] : (request.amounts ?? [])
  const asking = { ...parts, isExit, amounts }
  const isAboveOne = !isExit && sumOf(parts) > limits.perTransaction
  if (isAboveOne && sumOf(parts) > mostWeighed) return refused(parts, aboveOne(limits, parts, amounts))
  const asked = {
    principal: request.principal,
    chainId: request.chainId,
    ...parts,
    ...askedOfGas({ ...home, gasUsdMicros: parts.gasUsdMicros }, policy),
    limits,
    sessionIdleMs,
  }
  if (isAboveOne) {
    const all = (await exceededLimits(ledger, asked, await ledger.check(asked))).map((one) => limitRefusal(one, asking))
    return refused(parts, ...(all.length === 0 ? [aboveOne(limits, parts, amounts)] : all))
  }
  const take = (budgets: readonly Budget[]): Promise<SpendVerdict> =>
    dryRun
      ? ledger.check({ ...asked, budgets })
      : ledger.reserve({ ...asked, budgets, amounts: mayLeave(request), id: request.reservationId, requestId })
  const first = await take(request.budgets)
  const isForPerson = !first.granted && first.limit === 'budget' && isForAPerson(first.budget)
  const verdict = isForPerson ? await take(request.budgets.map(withoutCap)) : first
  const guessed = isGuess ? { guess: { tokens: value.unpriced, ...askedAtAll(request.budgets) } } : {}
  const exceeded = await exceededLimits(ledger, asked, verdict)
  if (!verdict.granted) return refused(parts, ...exceeded.map((one) => limitRefusal(one, { ...asking, ...guessed })))
  const asks = isForPerson ? { needsPerson: limitRefusal(first, asking).message } : {}
  return {
    ...parts,
    ...asks,
    ...home,
    budgets: request.budgets,
    isGuess,
    reserved: !dryRun,
    used: verdict.used,
    refusals: [],
  }
}

function mayLeave({ leaving, gasWei }: SpendRequest): TokenAmounts {
  return new Map([...leaving, [zeroAddress, gasWei + (leaving.get(zeroAddress) ?? 0n)]])
}

/** What a person may let pass still counts. */
function withoutCap(budget: Budget): Budget {
  return isForAPerson(budget.name) ? { ...budget, capUsdMicros: largestCap } : budget
}

const largestCap = 10n ** 18n

/** What the rows of the ledger have room for. */
const mostWeighed = 10n ** 18n

/**
 * Raises a reservation to what the spend and its gas are worth at newer prices and fees, in one commit that holds them
 * against every limit, so that what is reserved and settled never exceeds a cap. Of both, what is worth less now stays as it
 * is, but a guess: it fills what gas leaves of the limit of one transaction, so gas that rises takes its more out of it, down
 * to what is known to leave or arrive. Answers what is reserved.
 */
export async function raiseSpend(request: Omit<SpendRequest, 'leaving'>, held: HeldSpend): Promise<SpendRaise> {
  const { ledger, policy, value, reservationId, dryRun } = request
  if (value.unpriced.length > 0 && !maybeGuessed(request)) {
    return { ...held, refusals: [withoutPrice(value.unpriced)] }
  }
  const worth = value.unpriced.length > 0 ? larger(value.usdMicros, value.arrivingUsdMicros) : value.usdMicros
  const gasUsdMicros = larger(countable(request.gasUsdMicros ?? 0n), held.gasUsdMicros)
  const isExit = held.isExit && request.isExit
  const least = held.isGuess ? held.amountUsdMicros - (gasUsdMicros - held.gasUsdMicros) : held.amountUsdMicros
  const isGuess = held.isGuess || value.unpriced.length > 0
  const home = { isExit, homeUsdMicros: request.homeUsdMicros, isSureHome: request.isSureHome }
  const parts = { ...held, ...home, amountUsdMicros: larger(worth, least), gasUsdMicros, isGuess }
  const limits = limitsOf(policy)
  const isHeld = request.budgets.every(({ name, usdMicros: asked }) =>
    held.budgets.some((one) => one.name === name && one.usdMicros >= asked),
  )
  const isSame = parts.amountUsdMicros === held.amountUsdMicros && gasUsdMicros === held.gasUsdMicros
  const ofGas = askedOfGas(parts, policy)
  const before = askedOfGas(held, policy)
  const isAsHeld = isExit === held.isExit && ofGas.isToRepay === before.isToRepay && ofGas.isSure === before.isSure
  if (isHeld && isSame && isAsHeld) return { ...parts, refusals: [] }
  if (!isExit && sumOf(parts) > limits.perTransaction) return { ...held, refusals: [aboveOne(limits, parts)] }
  if (dryRun) return { ...parts, refusals: [] }
  const budgets = held.needsPerson === undefined ? request.budgets : request.budgets.map(withoutCap)
  const asked = {
    amountUsdMicros: parts.amountUsdMicros,
    gasUsdMicros,
    gasOutOfAmount: held.isGuess,
    ...ofGas,
    budgets,
  }
  const verdict = await ledger.raise(reservationId, { ...asked, limits, sessionIdleMs })
  if (!verdict.granted) return { ...held, refusals: [limitRefusal(verdict, parts)] }
  return { ...parts, budgets: isHeld ? held.budgets : request.budgets, refusals: [] }
}

/** Holds what is reserved already against limits that may have been tightened since. Raises nothing. */
export async function holdSpend(held: {
  readonly ledger: Pick<Ledger, 'raise'>
  readonly policy: Policy
  readonly reservationId: string
  readonly reserved: SpendParts & Pick<HeldSpend, 'needsPerson' | 'isExit' | 'homeUsdMicros' | 'isSureHome'>
  readonly budgets: readonly Budget[]
  /** False where nothing was put into the ledger. */
  readonly isReserved: boolean
}): Promise<readonly Refusal[]> {
  const { ledger, reservationId, reserved, budgets } = held
  const limits = limitsOf(held.policy)
  if (!reserved.isExit && sumOf(reserved) > limits.perTransaction) return [aboveOne(limits, reserved)]
  if (!held.isReserved) return []
  const { amountUsdMicros, gasUsdMicros } = reserved
  const verdict = await ledger.raise(reservationId, {
    amountUsdMicros,
    gasUsdMicros,
    ...askedOfGas(reserved, held.policy),
    budgets: reserved.needsPerson === undefined ? budgets : budgets.map(withoutCap),
    limits,
    sessionIdleMs,
  })
  return verdict.granted ? [] : [limitRefusal(verdict, reserved)]
}

/** What a write takes out of the limits, in millionths of a US dollar: what leaves, and what its gas costs at worst. */
export type SpendParts = { readonly amountUsdMicros: bigint; readonly gasUsdMicros: bigint }

/** `isGuess`: a token without a price is among what it counts. */
export type HeldSpend = SpendParts & {
  readonly isGuess: boolean
  /** It brings funds home, so gas is all that it is held to. */
  readonly isExit: boolean
  /** What it brings home, at the low edge of trusted prices. */
  readonly homeUsdMicros: bigint
  /** Whether no stranger can keep that from coming. */
  readonly isSureHome: boolean
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
  /** What may leave, without gas. */
  readonly leaving: TokenAmounts
  readonly budgets: readonly Budget[]
  /** Whether it only brings funds home. */
  readonly isExit: boolean
  /** What it brings home, at the low edge of trusted prices. */
  readonly homeUsdMicros: bigint
  /** Whether no stranger can keep that from coming. */
  readonly isSureHome: boolean
  /** What gas may cost at worst, in native currency and in dollars; `null` where native currency has no price. */
  readonly gasWei: bigint
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

export type ExitGas = Pick<HeldSpend, 'isExit' | 'homeUsdMicros' | 'gasUsdMicros'>

/**
 * Whether what comes home repays its gas: that is no more than `exitGasBps` of it, nor than one transaction may spend. Such a call passes
 * also where its gas at worst is more than a day may burn, so that gas as dear as on busy days keeps nobody from leaving, and
 * what really was repaid uses nothing up. What was burnt for nothing, as where somebody makes ways home fail, counts: a day
 * burns no more so than `dailyGas`, and one call.
 */
export function isRepaidGas({ isExit, homeUsdMicros, gasUsdMicros }: ExitGas, policy: Policy): boolean {
  const { perTransaction } = limitsOf(policy)
  return isExit && gasUsdMicros <= perTransaction && gasUsdMicros * 10_000n <= homeUsdMicros * exitGasBps
}

/** What the ledger is asked of the gas of a call. */
function askedOfGas(home: ExitGas & Pick<HeldSpend, 'isSureHome'>, policy: Policy): AskedOfGas {
  return { isExit: home.isExit, isToRepay: isRepaidGas(home, policy), isSure: home.isSureHome }
}

type AskedOfGas = Required<Pick<CheckRequest, 'isExit' | 'isToRepay' | 'isSure'>>

/** Of what comes home, in hundredths of a percent: what the loosest rule lets any call lose. */
export const exitGasBps = 500n

/** Whether a day's sum has reached the share of the limit that is announced. */
export function isDailyAlert(usedUsdMicros: bigint, policy: Policy): boolean {
  return usedUsdMicros * 100n >= limitsOf(policy).daily * dailyAlertPct
}

/** What arrives is only the least that a token can be worth: nothing is guessed of one that a list names or that has had a price. */
function maybeGuessed({ policy, chainId, value }: Pick<SpendRequest, 'policy' | 'chainId' | 'value'>): boolean {
  const own = new Set(policy.allowlist.tokens?.[chainId]?.map((token) => token.toLowerCase()))
  return (
    policy.allowlist.mode === 'lenient' &&
    value.unpriced.every(({ token, doubt, listed }) => isUnnamed(doubt) && !listed && !own.has(token.toLowerCase()))
  )
}

/** Of the sum that is allowed without a price, counted as all that gas may cost in a day, so that no day burns more of it. */
function unpricedGas(gasWei: bigint, { dailyGas }: ReturnType<typeof limitsOf>): bigint {
  return larger((gasWei * dailyGas + unpricedGasCapWei - 1n) / unpricedGasCapWei, 1n)
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

/** What the budget of losses takes where more was lost than is reserved of it; nothing is named where what is reserved stands. */
export function lossAbove(reserved: readonly BudgetAmount[], lostUsdMicros: bigint): readonly BudgetAmount[] {
  const held = reserved.find(({ name }) => name === budgetNames.loss)?.usdMicros ?? 0n
  const usdMicros = countable(lostUsdMicros)
  return usdMicros > held ? [{ name: budgetNames.loss, usdMicros }] : []
}

/** The same budgets, of which nothing was taken. */
export function noneOf(budgets: readonly BudgetAmount[]): readonly BudgetAmount[] {
  return budgets.map(({ name }) => ({ name, usdMicros: 0n }))
}
