import type { Budget } from '@svc/store'
import type { Policy } from '../policy/policy.ts'
import { usdText } from '../call/amounts.ts'
import {
  budgetNames,
  dailyValueCaps,
  isForAPerson,
  isOfUnanchored,
  isOfUnnamed,
  poolBudgetName,
} from '../spending/budgets.ts'
import { bandWidthBps, tokensIn } from '../value/trusted-value.ts'
import { valueBounds } from '../value/value-refusals.ts'
import type { WeighedIntent } from '../value/weighed-report.ts'
import type { ErrorCode } from '@svc/amm'
import type { Refusal } from '../call/refusal.ts'

/**
 * What the rules of value say to a call, from how it was weighed: its simulation, the width of the bands, the price of the
 * pool, price impact, loss, and the budgets of a day. Without a weighing they say what holds, and are `unknown`.
 */
export function valueChecks(question: ValueQuestion): readonly PolicyCheck[] {
  const { weighed } = question
  return [...(weighed === null ? [] : [simulationCheck(weighed)]), ...boundChecks(question), ...budgetChecks(question)]
}

export type ValueQuestion = {
  readonly policy: Policy
  readonly chainId: number
  readonly tool: string | null
  /** `null` where the chain was not asked. */
  readonly weighed: WeighedIntent | null
  /** What counts of each budget already, by its name; one that is missing has nothing. */
  readonly used: ReadonlyMap<string, bigint>
}

function simulationCheck(weighed: WeighedIntent): PolicyCheck {
  const says = 'the simulation shows what the intent declares, and nothing else leaves'
  if (weighed.status === 'weighed') {
    const { refusals, blockNumber, playedBy } = weighed
    const codes = [...new Set(refusals.map(({ code }) => code))]
    return checkOf(null, refusals, codes, {
      says,
      asked: `played at block ${blockNumber} by ${playedBy}`,
      change: null,
    })
  }
  const { code, message } = weighed
  const isUnasked = code.startsWith('RPC_')
  const verdict = isUnasked ? 'unknown' : 'deny'
  const asked = `could not be played: ${message}`
  return { rule: null, says, asked, verdict, code: isUnasked ? null : code, because: [], change: null }
}

function boundChecks({ policy, chainId, tool, weighed }: ValueQuestion): readonly PolicyCheck[] {
  const call = weighed?.status === 'weighed' ? weighed : null
  const bounds = call?.value.bounds ?? valueBounds(policy, chainId, [tool ?? ''], [])
  const says = {
    maxPriceBandBps: `the sources of a price lie at most ${policy.maxPriceBandBps} bps apart`,
    maxPoolDeviationBps: `a deposit's pool is at most ${bounds.maxPoolDeviationBps} bps off the trusted price, beside its band`,
    maxPriceImpactBps: `a trade is at most ${bounds.maxPriceImpactBps} bps worse than the trusted price, beside fees and band`,
    maxLossBps: `a call loses at most ${bounds.maxLossBps} bps of what leaves, beside the fee of the pool and the band`,
  } as const
  const rules = Object.keys(says) as readonly (keyof typeof says)[]
  return rules.map((rule): PolicyCheck => {
    if (call === null) return unweighed(rule, says[rule], weighed)
    const { code, asked } = askedOf(rule, call)
    const change = code === 'PRICE_UNAVAILABLE' ? sourceFix : `raise ${rule}, or set it in valueRules`
    return checkOf(rule, call.value.refusals, [code], { says: says[rule], asked: asked(), change })
  })
}

const sourceFix = 'look at what each source says, name others in priceSources (svc policy add-token), or wait'

type Weighed = Extract<WeighedIntent, { readonly status: 'weighed' }>

function askedOf(rule: BoundRule, { value, priced }: Weighed) {
  const asked = {
    maxPriceBandBps: { code: 'PRICE_UNAVAILABLE', asked: () => widthsText(value, priced) },
    maxPoolDeviationBps: {
      code: 'POOL_PRICE_OFF_MARKET',
      asked: () => (value.pools.length === 0 ? 'no pool' : value.pools.join(', ')),
    },
    maxPriceImpactBps: {
      code: 'PRICE_IMPACT_EXCEEDED',
      asked: () => (value.priceImpactBps === null ? 'no trade to measure' : `${value.priceImpactBps} bps`),
    },
    maxLossBps: { code: 'VALUE_LOSS_EXCEEDED', asked: () => lossText(value) },
  } as const
  return asked[rule]
}

type BoundRule = 'maxPriceBandBps' | 'maxPoolDeviationBps' | 'maxPriceImpactBps' | 'maxLossBps'

function widthsText({ simulated: { leaves, arrives } }: Weighed['value'], priced: Weighed['priced']): string {
  const texts = [...new Set([...tokensIn(leaves), ...tokensIn(arrives)])].map((key) => {
    const entry = priced.get(key)
    return `${entry?.token.symbol ?? key} ${entry?.band == null ? (entry?.doubt ?? 'unnamed') : `${bandWidthBps(entry.band)} bps`}`
  })
  return texts.length === 0 ? 'no token' : texts.join(', ')
}

function lossText({ isExit, worst, lossBps, allowedBps, bandBps }: Weighed['value']): string {
  if (isExit) return 'it only brings funds home, which is not held to prices'
  const [out, back] = [usdText(worst.outUsdMicros), usdText(worst.inUsdMicros)]
  return `at worst ${out} USD leave and ${back} USD come back: ${lossBps} bps of ${allowedBps} (${bandBps} bps of doubt about prices)`
}

function unweighed(rule: string, says: string, weighed: WeighedIntent | null): PolicyCheck {
  const asked = weighed === null ? notLookedAt : 'not weighed'
  return { rule, says, asked, verdict: 'unknown', code: null, because: [], change: null }
}

const notLookedAt = 'not looked at'

function budgetChecks({ policy, chainId, weighed, used }: ValueQuestion): readonly PolicyCheck[] {
  const caps = dailyValueCaps(policy)
  const daily = [
    ['maxDailyLossUsd', budgetNames.loss, caps.loss],
    ['speculativeUsd', budgetNames.speculative, caps.speculative],
    ['coldStartUsd', budgetNames.coldStart, caps.coldStart],
    ['poolPricedUsd', budgetNames.poolPriced, caps.poolPriced],
  ] as const
  const asks = weighed?.status === 'weighed' ? weighed : null
  const pools = asks?.value.bounds.pools ?? []
  const rules = new Map<string, string>([
    ...daily.map(([rule, name]) => [name, rule] as const),
    ...pools.map(
      ({ pool }) => [poolBudgetName(chainId, pool), `valueRules.pools.${chainId}.${pool}.budgetUsd`] as const,
    ),
  ])
  // An exit asks for nothing of any of them.
  const named = new Set(asks?.budgets.map(({ name }) => name))
  const missing = daily.flatMap(([, name, capUsdMicros]) =>
    named.has(name) ? [] : [{ name, capUsdMicros, usdMicros: 0n }],
  )
  return [...missing, ...(asks?.budgets ?? [])].map((budget): PolicyCheck => {
    const before = used.get(budget.name) ?? 0n
    const rule = rules.get(budget.name) ?? 'priceSources'
    const says = `${budgetTexts[budget.name] ?? otherText(budget.name)}: at most ${usdText(budget.capUsdMicros)} USD in any 24 hours, of which ${usdText(before)} USD are used`
    if (asks === null) return unweighed(rule, says, weighed)
    return budgetCheck(budget, { rule, says, before })
  })
}

function budgetCheck(
  { name, usdMicros, capUsdMicros }: Budget,
  { rule, says, before }: { readonly rule: string; readonly says: string; readonly before: bigint },
): PolicyCheck {
  const asked = `${usdText(usdMicros)} USD`
  if (usdMicros === 0n || before + usdMicros <= capUsdMicros) {
    return { rule, says, asked, verdict: 'allow', code: null, because: [], change: null }
  }
  if (isForAPerson(name)) {
    const change = 'approve it with svc approvals, or name a feed for the token in priceSources'
    return { rule, says, asked, verdict: 'ask', code: 'APPROVAL_REQUIRED', because: [], change }
  }
  const code = name === budgetNames.loss ? 'VALUE_LOSS_EXCEEDED' : 'SPENDING_LIMIT_EXCEEDED'
  const change = `raise ${rule}, or wait until the window frees up`
  return { rule, says, asked, verdict: 'deny', code, because: [], change }
}

const budgetTexts: Readonly<Record<string, string>> = {
  [budgetNames.loss]: 'value that all calls lose',
  [budgetNames.speculative]: 'spent on tokens without a named price source',
  [budgetNames.coldStart]: 'spent at prices of the moment',
  [budgetNames.poolPriced]: 'moved of tokens that pools alone price, without a person',
}

function otherText(name: string): string {
  if (isOfUnnamed(name)) return 'a token without a named source that leaves, without a person'
  if (isOfUnanchored(name))
    return 'a token that pools alone price, and not where a person expects it, that leaves, without a person'
  return isForAPerson(name)
    ? 'a token that pools alone price, a tenth of their depth without a person'
    : 'spent in this pool'
}

/** Makes the check of one rule out of the refusals that are its own, by their codes. */
export function checkOf(
  rule: string | null,
  refusals: readonly Refusal[],
  codes: readonly ErrorCode[],
  { says, asked, change }: CheckTexts,
): PolicyCheck {
  const own = refusals.filter(({ code }) => codes.includes(code))
  const because = own.map(({ message, details = [] }) => {
    const facts = details.flatMap((detail) =>
      Object.entries(detail).flatMap(([name, fact]) => (name === 'message' || name === 'field' ? [] : [fact])),
    )
    return facts.length === 0 ? message : `${message} (${facts.map(String).join(', ')})`
  })
  const code = own[0]?.code ?? null
  return { rule, says, asked, verdict: code === null ? 'allow' : 'deny', code, because, change: code ? change : null }
}

export type CheckTexts = Pick<PolicyCheck, 'says' | 'asked' | 'change'>

export type PolicyCheck = {
  /** The member of the policy; `null` for what no policy allows. */
  readonly rule: string | null
  /** What the policy says there. */
  readonly says: string
  readonly asked: string
  /** `noted`: recorded and let through. `ask`: a person decides. `wait`: not before its delay is over. */
  readonly verdict: 'allow' | 'noted' | 'ask' | 'wait' | 'deny' | 'unknown'
  /** The code a call would get; `null` where it passes. */
  readonly code: ErrorCode | null
  /** What exactly is in the way. */
  readonly because: readonly string[]
  /** How the operator could let it pass; `null` where it passes or nothing could. */
  readonly change: string | null
}
