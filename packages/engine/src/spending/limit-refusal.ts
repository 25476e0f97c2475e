import { formatAmount } from '@svc/lp-math'
import { getAddress } from 'viem'
import type { Budget, CheckRequest, Ledger, SpendLimits, SpendVerdict } from '@svc/store'
import { type ErrorDetail, type Token, tokenLabel } from '@svc/amm'
import type { Refusal } from '../call/refusal.ts'
import { usdText } from '../call/amounts.ts'
import { budgetNames, isForAPerson, isOfUnanchored, isOfUnnamed } from './budgets.ts'

/** What is said of a spend that a limit, the limit of gas or a budget of the ledger stands against, and what helps. */
export function limitRefusal(verdict: Exceeded, asks: Asks): Refusal {
  if (verdict.limit === 'budget') return beyondBudget(verdict)
  if (verdict.limit === 'dailyGas') return beyondGas(verdict, asks)
  const { limit, capUsdMicros, usedUsdMicros, askedUsdMicros, freesAt } = verdict
  const leftUsdMicros = leastZero(capUsdMicros - usedUsdMicros - asks.gasUsdMicros)
  const sums = [capUsdMicros, usedUsdMicros, askedUsdMicros, asks.gasUsdMicros, leftUsdMicros]
  const [cap, used, asked, gas, left] = sums.map(usdText)
  const wants = `asks for ${asked} USD, of which ${gas} USD for gas at worst`
  return {
    code: 'SPENDING_LIMIT_EXCEEDED',
    message: `The limit of ${names[limit]} is ${cap} USD; ${used} USD of it are used and the call ${wants}. ${asks.guess === undefined ? fitsText(leftUsdMicros, asks) : guessText(asks.guess)}`,
    details: [
      {
        message: 'limit',
        limit,
        capUsd: cap,
        usedUsd: used,
        askedUsd: asked,
        gasUsd: gas,
        leftUsd: left,
        freesAt: freesAt === null ? null : new Date(freesAt).toISOString(),
      },
      ...(asks.guess?.needsPerson === undefined
        ? []
        : [{ code: 'APPROVAL_REQUIRED', message: asks.guess.needsPerson }]),
    ],
    ...suggestionOf(limit, freesAt, asks.guess),
  }
}

/** Why a person must say yes to a call whatever it counts as; empty where none must. */
export function askedAtAll(budgets: readonly Budget[]): { readonly needsPerson?: string } {
  const asked = budgets.find(({ name, capUsdMicros }) => isForAPerson(name) && capUsdMicros === 0n)
  if (asked === undefined) return {}
  const { name: budget, usdMicros: askedUsdMicros } = asked
  const verdict = { granted: false, limit: 'budget', budget, capUsdMicros: 0n, usedUsdMicros: 0n } as const
  return { needsPerson: beyondBudget({ ...verdict, askedUsdMicros }).message }
}

/** Every limit of what leaves that stands against a call, the tightest first, which is all that the ledger names at once. */
export async function exceededLimits(
  ledger: Pick<Ledger, 'check'>,
  asked: CheckRequest,
  first: SpendVerdict,
): Promise<readonly Exceeded[]> {
  if (first.granted) return []
  if (first.limit === 'budget' || first.limit === 'dailyGas') return [first]
  const limits = { ...asked.limits, [first.limit]: noCap }
  const next = await ledger.check({ ...asked, limits })
  const isOfLimits = !next.granted && next.limit !== 'budget' && next.limit !== 'dailyGas'
  return [first, ...(isOfLimits ? await exceededLimits(ledger, { ...asked, limits }, next) : [])]
}

/** More than any call can ask for. */
const noCap = 10n ** 19n

/**
 * Whether a call that is refused might fit once earlier ones count for less: each limit that stands against it is used by others, and has
 * room for the call alone. That of one transaction, gas, and what a person must decide do not change with what others count.
 */
export function mayBeLifted(refusals: readonly Refusal[]): boolean {
  const isUsedByOthers = ({ limit, usedUsd, askedUsd, capUsd }: ErrorDetail) =>
    typeof limit === 'string' &&
    !limit.startsWith('maxDailyGasUsd') &&
    Number(usedUsd) > 0 &&
    Number(askedUsd) <= Number(capUsd)
  return refusals.length > 0 && refusals.every(({ details = [] }) => details.some(isUsedByOthers))
}

/** That of one transaction is known without asking the ledger, whose rows have no room for absurd sums. */
export function aboveOne(
  { perTransaction: capUsdMicros }: Pick<SpendLimits, 'perTransaction'>,
  parts: Omit<Asks, 'isExit'>,
  amounts: readonly SpentAmount[] = [],
): Refusal {
  const askedUsdMicros = parts.amountUsdMicros + parts.gasUsdMicros
  const verdict = { granted: false, limit: 'perTransaction', capUsdMicros, usedUsdMicros: 0n } as const
  return limitRefusal({ ...verdict, askedUsdMicros, freesAt: null }, { ...parts, isExit: false, amounts })
}

/** What a call asks of the limits. */
type Asks = {
  readonly amountUsdMicros: bigint
  readonly gasUsdMicros: bigint
  readonly isExit: boolean
  /** What it spends, to say how much of it fits. */
  readonly amounts?: readonly SpentAmount[]
  /** Set where tokens without a price make it count as the whole limit of one transaction, and whether a person must say yes besides. */
  readonly guess?: { readonly tokens: readonly { readonly token: string }[]; readonly needsPerson?: string }
}

export type SpentAmount = { readonly token: Token; readonly amount: bigint }

type Exceeded = Extract<SpendVerdict, { granted: false }>

const names = {
  perTransaction: 'one transaction',
  perSession: 'the session',
  daily: 'any 24 hours',
  principalDaily: 'any 24 hours of this caller',
} as const

/** Of one transaction no window frees up. */
const noWaitHelps = 'Lower the amount: waiting does not change the limit of one transaction.'

function suggestionOf(
  limit: keyof typeof names,
  freesAt: number | null,
  guess: Asks['guess'],
): Pick<Refusal, 'suggestion'> {
  if (limit === 'perTransaction') return { suggestion: noWaitHelps }
  const at = freesAt === null ? null : new Date(freesAt).toISOString()
  const frees =
    limit === 'perSession' ? `the session ends at ${at} if nothing is spent until then` : `the first is freed at ${at}`
  if (guess !== undefined) return { suggestion: guessSuggestion(at === null ? null : frees, guess) }
  if (at === null) return {}
  return { suggestion: `Lower the amount or wait: ${frees}; check_safety_status shows what is left.` }
}

function guessText({ tokens }: NonNullable<Asks['guess']>): string {
  const named = tokens.map(({ token }) => getAddress(token)).join(' and ')
  return `No named source tells what ${named} is worth, so any amount of it counts, with its gas, as the whole limit of one transaction.`
}

function guessSuggestion(frees: string | null, { needsPerson }: NonNullable<Asks['guess']>): string {
  const person = needsPerson === undefined ? '' : '; a person must approve it then'
  const wait = `Wait until that much is left${frees === null ? '' : ` (${frees})`}${person}.`
  return `Another amount counts the same. ${wait} Or ask the operator to name a price source (svc policy add-token): then it counts as what it is worth.`
}

/**
 * What this limit leaves for the amount, in dollars and, in the proportion of the call, in its tokens: of these a little less, for another
 * amount may take another route, whose gas is half as much again, and a smaller trade moves its pool less: it brings more for each token,
 * and counts at what it brings.
 */
function fitsText(leftUsdMicros: bigint, { amountUsdMicros, gasUsdMicros, amounts = [] }: Asks): string {
  if (leftUsdMicros === 0n) return 'It leaves nothing for an amount.'
  const sureUsdMicros = (leastZero(leftUsdMicros - gasUsdMicros / 2n) * 99n) / 100n
  const fitting = amounts.flatMap(({ token, amount }) => {
    const fits = amountUsdMicros === 0n ? 0n : sixDigits((amount * sureUsdMicros) / amountUsdMicros)
    return fits === 0n ? [] : [`${formatAmount(fits, token.decimals)} ${tokenLabel(token)}`]
  })
  // A move of what is in pools has no amount that the caller could lower.
  if (amounts.length === 0) return `It leaves ${usdText(leftUsdMicros)} USD for all that the call counts as.`
  const tokens = fitting.length === 0 ? '' : `, about ${fitting.join(' and ')}`
  return `It leaves ${usdText(leftUsdMicros)} USD${tokens}, for the amount.`
}

/** The first six digits, rounded down. */
function sixDigits(amount: bigint): bigint {
  const unit = 10n ** BigInt(Math.max(0, `${amount}`.length - 6))
  return amount - (amount % unit)
}

function beyondGas(verdict: Extract<Exceeded, { limit: 'dailyGas' }>, { isExit }: Asks): Refusal {
  const { capUsdMicros, usedUsdMicros, askedUsdMicros, freesAt } = verdict
  const leftUsdMicros = leastZero(capUsdMicros - usedUsdMicros)
  const [capUsd, usedUsd, leftUsd, askedUsd] = [capUsdMicros, usedUsdMicros, leftUsdMicros, askedUsdMicros].map(usdText)
  const whose = isExit ? 'Bringing funds home' : 'All calls but those that bring funds home'
  const sums = `${usedUsd} USD are used, ${leftUsd} USD are left, and this call may cost ${askedUsd} USD at worst`
  const frees = freesAt === null ? null : new Date(freesAt).toISOString()
  const limit = isExit ? 'maxDailyGasUsd of ways home' : 'maxDailyGasUsd'
  return {
    code: 'SPENDING_LIMIT_EXCEEDED',
    message: `${whose} may burn ${capUsd} USD of gas in any 24 hours${isExit ? ', what was repaid by what came home left out' : ''}: ${sums}.`,
    details: [{ message: 'limit', limit, capUsd, usedUsd, leftUsd, askedUsd, freesAt: frees }],
    suggestion: `${waitOf(verdict, frees)}${isExit ? ', bring more home at once (gas of at most 5 % of what comes home uses nothing up)' : ''}, or have the operator raise maxDailyGasUsd.`,
  }
}

function waitOf({ askedUsdMicros, capUsdMicros }: Exceeded, frees: string | null): string {
  if (frees !== null) return `Wait until ${frees}, when enough has left the window`
  return askedUsdMicros > capUsdMicros ? 'Wait for cheaper gas' : 'Wait until the calls that are out have ended'
}

function beyondBudget(verdict: Extract<Exceeded, { limit: 'budget' }>): Refusal {
  const { budget, capUsdMicros, usedUsdMicros, askedUsdMicros } = verdict
  const [capUsd, usedUsd, askedUsd] = [capUsdMicros, usedUsdMicros, askedUsdMicros].map(usdText)
  const asks = `this call asks for ${askedUsd} USD`
  const sums = capUsdMicros === 0n ? asks : `${usedUsd} of ${capUsd} USD are used and ${asks}`
  const leftUsd = usdText(leastZero(capUsdMicros - usedUsdMicros))
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
  what: 'Pools alone say what this token is worth, and their price is not where a person expects it (expectedUsd), so it leaves only with a person',
  suggestion:
    'Ask the operator to approve, to say what the token is worth (expectedUsd in priceSources, which svc policy add-token proposes), or to name a feed; unnamedSales of the policy lets it leave without asking.',
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

function leastZero(usdMicros: bigint): bigint {
  return usdMicros > 0n ? usdMicros : 0n
}
