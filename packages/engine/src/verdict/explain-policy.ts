import type { Intent } from '@svc/amm'
import { readBounds } from '../calldata/call-bounds.ts'
import { knownContracts } from '../calldata/known-contracts.ts'
import { grantOf, grantRefusals, policyFor } from '../policy/grants.ts'
import { checkOf, type PolicyCheck, valueChecks } from './value-checks.ts'
import { type PolicyContext, policyVerdict, tokensOf } from './policy-verdict.ts'
import { usdMicros } from '../policy/policy.ts'
import type { Refusal } from '../call/refusal.ts'
import { isRepaidGas } from '../spending/spend-limit.ts'
import { limitsOf } from '../spending/budgets.ts'
import { usdText } from '../call/amounts.ts'
import type { WeighedIntent } from '../value/weighed-report.ts'

/**
 * Says for one intent what each rule of the policy is, what was asked, and what comes of it, in the order in which the
 * pipeline of a write asks. The same functions decide. Without `weighed` neither simulation nor prices are looked at and the
 * rules of value are `unknown`; without `spendUsdMicros` the limits are, without `gasUsdMicros` they are asked for the amount
 * alone, and without `used` nothing counts as spent before.
 */
export function explainPolicy(question: PolicyQuestion, context: Omit<PolicyContext, 'known'>): readonly PolicyCheck[] {
  const { intent, principalId, tool, weighed, used } = question
  const policy = principalId === null ? context.policy : policyFor(context.policy, principalId)
  const known = knownContracts(context.chain, policy)
  const asked = { ...context, policy, known }
  const { refusals: ruled, tokenAllowlistPassed } = policyVerdict(intent, asked)
  const refusals = [...ruled, ...readBounds(intent, context.chain, known).refusals]
  const tools = [...(tool === null ? [] : [tool]), ...(intent.tools ?? [])]
  const caller = principalId === null ? [] : tools.flatMap((one) => grantRefusals(one, principalId, policy))
  const rules = ruleChecks(intent, refusals, asked, tokenAllowlistPassed)
  return [
    checkOf(`principals.${principalId ?? '<principal id>'}.tools`, caller, ['PRINCIPAL_NOT_GRANTED'], {
      says: grantText(question, asked),
      asked: `${tool ?? 'an unnamed tool'} called by ${principalId ?? 'nobody in particular'}`,
      change: 'add the tool to the list of this caller',
    }),
    ...rules,
    ...unexplainedChecks(refusals, rules),
    ...valueChecks({ policy, chainId: context.chain.id, tool, weighed, used: used?.budgets ?? new Map() }),
    ...limitChecks(question, asked),
    gasCheck(question, asked),
    ...waitChecks(question, asked),
  ]
}

export type PolicyQuestion = {
  /** `null` where it is not known: the caller's grants are then left out. */
  readonly tool: string | null
  readonly principalId: string | null
  readonly intent: Intent
  /** Millionths of a US dollar; `null` where nobody has priced the intent. */
  readonly spendUsdMicros: bigint | null
  /** What gas may cost at worst, as the pipeline reserves it beside; `null` where it is not known. */
  readonly gasUsdMicros: bigint | null
  /** What counts against the limits already; `null`: nothing. */
  readonly used: {
    readonly session: bigint
    readonly daily: bigint
    readonly principalDaily: bigint
    /** Of gas, what bringing funds home cost, and everything else. */
    readonly exitGas: bigint
    /** Of ways home that were to repay it and have not. */
    readonly dueExitGas: bigint
    /** And of those that passed as sure to repay it. */
    readonly sureExitGas: bigint
    readonly gas: bigint
    /** Of the budgets of value, by name; one that is missing has nothing. */
    readonly budgets: ReadonlyMap<string, bigint>
  } | null
  /** What the chain says of it now; `null` where it was not asked. */
  readonly weighed: WeighedIntent | null
}

function ruleChecks(
  intent: Intent,
  refusals: readonly Refusal[],
  { chain, policy, known }: PolicyContext,
  tokenAllowlistPassed: boolean,
): readonly PolicyCheck[] {
  const at = `under "${chain.id}"`
  const numberOf = (...lists: readonly Readonly<Record<string, readonly unknown[]>>[]): number =>
    lists.reduce((sum, byChain) => sum + (byChain[chain.id]?.length ?? 0), 0)
  const list = (texts: readonly string[]): string => (texts.length === 0 ? 'none' : texts.join(', '))
  const tokens = checkOf('allowlist', refusals, ['TOKEN_NOT_ALLOWLISTED'], {
    says: `${policy.allowlist.mode}, ${known.tokens.size} tokens of ${chain.name} listed`,
    asked: list([...new Set(tokensOf(intent))]),
    change: `add the token to allowlist.tokens ${at}`,
  })
  return [
    checkOf(null, refusals, ['UNSAFE_TRANSACTION', 'ATOMIC_EXECUTION_UNAVAILABLE'], {
      says: 'what is never signed: unlimited approvals, calls without a purpose, deposits that are not declared, atomicity the wallet does not have',
      asked: `${intent.calls.length} ${intent.calls.length === 1 ? 'call' : 'calls'}, ${intent.atomicity}`,
      change: null,
    }),
    checkOf('contracts', refusals, ['CONTRACT_NOT_ALLOWED'], {
      says: `the AMM's own contracts and ${numberOf(policy.contracts, policy.twammHooks, policy.vaults)} others`,
      asked: list(intent.calls.map(({ label, to, data }) => `"${label}" ${to} ${data.slice(0, 10)}`)),
      change: `add the contract to contracts ${at}, or a vault to vaults; calls that move a token directly are never allowed`,
    }),
    ...orderCheck(intent, refusals, { chain, known }),
    ...hookCheck(intent, refusals),
    checkOf('recipients', refusals, ['RECIPIENT_NOT_ALLOWED'], {
      says: `the wallet and ${known.recipients.size} others`,
      asked: list(intent.recipients),
      change: `add the address to recipients ${at}`,
    }),
    checkOf('spenders', refusals, ['SPENDER_NOT_ALLOWED'], {
      says: `the AMM's own contracts and ${numberOf(policy.spenders, policy.twammHooks, policy.vaults)} others`,
      asked: list(intent.approvals.map(({ amount, token, spender }) => `${amount} of ${token} for ${spender}`)),
      change: `add the address to spenders ${at}`,
    }),
    checkOf('slippageBps.cap', refusals, ['SLIPPAGE_TOO_HIGH'], {
      says: `at most ${policy.slippageBps.cap} bps`,
      asked: intent.slippageBps === null ? 'none' : `${intent.slippageBps} bps`,
      change: 'raise slippageBps.cap',
    }),
    checkOf('deadlineSeconds.cap', refusals, ['DEADLINE_TOO_LONG'], {
      says: `at most ${policy.deadlineSeconds.cap} seconds from now`,
      asked: intent.deadline === null ? 'none' : new Date(intent.deadline * 1000).toISOString(),
      change: 'raise deadlineSeconds.cap',
    }),
    tokens.verdict === 'allow' && !tokenAllowlistPassed ? { ...tokens, verdict: 'noted' } : tokens,
  ]
}

/** Only of calls to a hook: most policies name none. */
function orderCheck(
  { calls }: Intent,
  refusals: readonly Refusal[],
  { chain, known }: Pick<PolicyContext, 'chain' | 'known'>,
): readonly PolicyCheck[] {
  const own = calls.filter(({ to }) => known.surfaces.get(to.toLowerCase()) === 'twammHook')
  if (own.length === 0) return []
  return [
    checkOf('twammHooks', refusals, ['NO_TWAMM_HOOK'], {
      says: `orders over time in the pools it names: ${known.twammPools.size}`,
      asked: own.map(({ label }) => `"${label}"`).join(', '),
      change: `add the pool to its hook in twammHooks under "${chain.id}"`,
    }),
  ]
}

/** Only of deposits into pools with a hook. */
function hookCheck({ chainId, deposits = [] }: Intent, refusals: readonly Refusal[]): readonly PolicyCheck[] {
  const hooked = deposits.flatMap(({ hooks, pool }) => (hooks === null ? [] : [`${pool} with ${hooks}`]))
  if (hooked.length === 0) return []
  return [
    checkOf(`valueRules.pools.${chainId}`, refusals, ['HOOK_NOT_SUPPORTED'], {
      says: 'deposits into pools whose hook may keep them only where it names the pool',
      asked: hooked.join(', '),
      change: `name the pool in valueRules.pools under "${chainId}"`,
    }),
  ]
}

/** What refuses a call and belongs to no check above: nothing that a write is refused for may be missing here. */
function unexplainedChecks(refusals: readonly Refusal[], rules: readonly PolicyCheck[]): readonly PolicyCheck[] {
  const explained = new Set(rules.map(({ code }) => code))
  const codes = new Set(refusals.map(({ code }) => code).filter((code) => !explained.has(code)))
  return [...codes].map((code) =>
    checkOf(null, refusals, [code], { says: 'what is refused under every policy', asked: 'this call', change: null }),
  )
}

function limitChecks(question: PolicyQuestion, { policy }: PolicyContext): readonly PolicyCheck[] {
  const { spendUsdMicros, gasUsdMicros, used } = question
  const isExit = bringsHome(question)
  const { perTransaction, perSession, daily, principalDaily } = policy.limitsUsd
  const limits = [
    ['perTransaction', 'one transaction', perTransaction, 0n],
    ['perSession', 'the session', perSession, used?.session ?? 0n],
    ['principalDaily', 'any 24 hours of this caller', principalDaily, used?.principalDaily ?? 0n],
    ['daily', 'any 24 hours', daily, used?.daily ?? 0n],
  ] as const
  return limits.flatMap(([name, what, cap, before]): readonly PolicyCheck[] => {
    if (cap === undefined) return []
    const rule = name === 'principalDaily' ? 'principals.<principal id>.limitsUsd.daily' : `limitsUsd.${name}`
    const says = `at most ${cap} USD in ${what}, of which ${usdText(before)} USD are used`
    const base = { rule, says, because: [], change: null }
    if (isExit) return [{ ...base, asked: 'nothing: it only brings funds home', verdict: 'allow', code: null }]
    if (spendUsdMicros === null) return [{ ...base, asked: 'not priced', verdict: 'unknown', code: null }]
    const gas = gasUsdMicros === null ? 'gas left out' : `and ${usdText(gasUsdMicros)} USD for gas at worst`
    const asked = `${usdText(spendUsdMicros)} USD, ${gas}`
    if (before + spendUsdMicros + (gasUsdMicros ?? 0n) <= usdMicros(cap))
      return [{ ...base, asked, verdict: 'allow', code: null }]
    const change = name === 'perTransaction' ? `raise ${rule}` : `raise ${rule}, or wait until the window frees up`
    return [{ ...base, asked, verdict: 'deny', code: 'SPENDING_LIMIT_EXCEEDED', change }]
  })
}

function gasCheck(question: PolicyQuestion, { policy }: PolicyContext): PolicyCheck {
  const { gasUsdMicros, used } = question
  const isExit = bringsHome(question)
  const { dailyGas } = limitsOf(policy)
  const before = (isExit ? used?.exitGas : used?.gas) ?? 0n
  const whose = isExit
    ? 'gas of all calls that only bring funds home (those that repay it left out)'
    : 'gas of all other calls'
  const says = `${whose}: at most ${usdText(dailyGas)} USD in any 24 hours, of which ${usdText(before)} USD are used`
  const base = { rule: 'maxDailyGasUsd', says, because: [], change: null }
  if (gasUsdMicros === null) return { ...base, asked: 'not priced', verdict: 'unknown', code: null }
  const asked = `${usdText(gasUsdMicros)} USD at worst`
  const home = question.weighed?.status === 'weighed' ? question.weighed.value.homeUsdMicros : 0n
  const isRepaid = isRepaidGas({ isExit, homeUsdMicros: home, gasUsdMicros }, policy)
  const isSure = question.weighed?.status === 'weighed' && question.weighed.value.isSureHome
  const toRepay = [used?.dueExitGas ?? 0n, ...(isSure ? [used?.sureExitGas ?? 0n] : [])]
  if ((isRepaid && toRepay.some((sum) => sum <= dailyGas)) || before + gasUsdMicros <= dailyGas)
    return { ...base, asked, verdict: 'allow', code: null }
  const change = 'raise maxDailyGasUsd, or wait until the window frees up'
  return { ...base, asked, verdict: 'deny', code: 'SPENDING_LIMIT_EXCEEDED', change }
}

/** As far as it was looked at. */
function bringsHome({ weighed }: PolicyQuestion): boolean {
  return weighed?.status === 'weighed' && weighed.isWayHome
}

function waitChecks({ intent, spendUsdMicros }: PolicyQuestion, { policy }: PolicyContext): readonly PolicyCheck[] {
  const { approvalThresholdUsd: threshold, proxyDelay, delaySeconds } = policy
  const says = threshold === null ? 'no amount needs a person' : `a person is asked above ${threshold} USD`
  const unpriced = spendUsdMicros === null && threshold !== null
  const isAbove = spendUsdMicros !== null && threshold !== null && spendUsdMicros > usdMicros(threshold)
  const seconds = proxyDelay ? delaySeconds[intent.riskTier] : 0
  const delay = proxyDelay ? `${seconds} seconds` : 'delays are not kept'
  return [
    {
      rule: 'approvalThresholdUsd',
      says,
      asked: spendUsdMicros === null ? 'not priced' : `${usdText(spendUsdMicros)} USD`,
      verdict: unpriced ? 'unknown' : isAbove ? 'ask' : 'allow',
      code: isAbove ? 'APPROVAL_REQUIRED' : null,
      because: [],
      change: isAbove ? 'approve it with svc approvals, or raise approvalThresholdUsd' : null,
    },
    {
      rule: `delaySeconds.${intent.riskTier}`,
      says: delay,
      asked: `a call of the risk tier "${intent.riskTier}"`,
      verdict: seconds > 0 ? 'wait' : 'allow',
      code: seconds > 0 ? 'DELAY_REQUIRED' : null,
      because: [],
      change: seconds > 0 ? `lower delaySeconds.${intent.riskTier}` : null,
    },
    ...(isAbove || seconds > 0 ? [roomCheck(policy)] : []),
  ]
}

/** Whether one more may wait depends on how many do, which is not looked at here. */
function roomCheck({ approvals: { maxWaiting } }: PolicyContext['policy']): PolicyCheck {
  return {
    rule: 'approvals.maxWaiting',
    says: `at most ${maxWaiting} operations of one caller wait at once`,
    asked: 'one more; how many wait is not looked at here',
    verdict: 'unknown',
    code: null,
    because: [],
    change: null,
  }
}

function grantText({ principalId }: PolicyQuestion, { policy }: PolicyContext): string {
  const tools = principalId === null ? undefined : grantOf(policy, principalId)?.tools
  if (tools === undefined) return 'every tool its key allows'
  return tools.length === 0 ? 'no write tool' : tools.join(', ')
}
