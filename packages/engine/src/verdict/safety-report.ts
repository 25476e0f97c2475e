import type { OperationState, Ledger } from '@svc/store'
import type { Principal } from '../call/call.ts'
import type { Engine } from '../context/engine.ts'
import { printable } from '@svc/runtime'
import { readPause } from '../switches/kill-switch.ts'
import { onStorage } from '../call/refusal.ts'
import { budgetNames, dailyValueCaps, limitsOf } from '../spending/budgets.ts'
import type { Policy } from '../policy/policy.ts'
import { isDailyAlert, sessionIdleMs } from '../spending/spend-limit.ts'
import { usdText as usd } from '../call/amounts.ts'

/**
 * What the safety engine would say to a principal's next write: switches, limits, what is used and what is out. `policyFault` says that the
 * engine's policy is the one before a file that is broken now. Throws `STORAGE_UNAVAILABLE`.
 */
export async function safetyReport(
  engine: Engine,
  principal: Principal,
  policyFault: Error | null,
): Promise<SafetyReport> {
  const { policy } = engine
  const [pause, breaker, day, pendingTransactions, waiting] = await onStorage('the safety state cannot be read', () =>
    Promise.all([
      readPause(engine),
      engine.breaker.status(),
      readDayUse(engine, principal.id),
      countPending(engine),
      countWaiting(engine, principal),
    ]),
  )
  return {
    walletConfigured: true,
    paused: pause !== null,
    pause: pause === null ? null : { since: pause.since, reason: escaped(pause.reason) },
    breakerOpen: breaker.open,
    breaker: { open: breaker.open, since: breaker.since, cause: escaped(breaker.cause), stops: breaker.stops },
    policyFault: policyFault?.message ?? null,
    allowlistMode: policy.allowlist.mode,
    unnamedSales: policy.unnamedSales,
    approvalThresholdUsd: policy.approvalThresholdUsd,
    ...day,
    pendingTransactions,
    unreadRequests: [...engine.unread.values()].reduce((sum, count) => sum + count, 0),
    ...waiting,
  }
}

/** A person's or a file's text, fit to be shown. */
function escaped(text: string | null): string | null {
  return text === null ? null : printable(text, 200)
}

async function countWaiting(
  { operations }: Engine,
  { id: principalId }: Principal,
): Promise<Pick<SafetyReport, 'pendingApprovals' | 'scheduledOperations'>> {
  const counts = await operations.count({ principalId, states: ['awaiting_approval', 'scheduled'] })
  const of = (state: OperationState) => counts.find((one) => one.state === state)?.count ?? 0
  return { pendingApprovals: of('awaiting_approval'), scheduledOperations: of('scheduled') }
}

async function countPending({ chains, journal, senders }: Engine): Promise<number> {
  const open = await Promise.all(chains.list().map((chain) => journal.open(chain.id, senders(chain).address)))
  return open.reduce((sum, entries) => sum + entries.length, 0)
}

/** What is used up and left is `null` for a server without a wallet. */
export type SafetyReport = {
  [Name in Exclude<keyof DayUse, 'dailyAlert'>]: DayUse[Name] | null
} & {
  readonly dailyAlert: boolean
  readonly walletConfigured: boolean
  readonly paused: boolean
  /** Since when (ISO 8601) and why, as the operator put it; `null` while nothing is paused. */
  readonly pause: { readonly since: string; readonly reason: string | null } | null
  readonly breakerOpen: boolean
  /** `cause` names no amounts. */
  readonly breaker: {
    readonly open: boolean
    readonly since: string | null
    readonly cause: string | null
    readonly stops: 'nothing' | 'all-but-ways-home' | 'everything'
  }
  /** What is wrong with the policy's file, so that nothing is signed: limits are then those of the policy before. `null` where it is in order. */
  readonly policyFault: string | null
  readonly allowlistMode: 'strict' | 'lenient'
  /** Whether a person is asked before tokens nobody vouches for leave. */
  readonly unnamedSales: 'ask' | 'allow'
  readonly approvalThresholdUsd: string | null
  /** `null`, as in the members below, for a server without a wallet: it does not look. */
  readonly pendingTransactions: number | null
  /** Requests whose transactions are mined, and the receipts cannot be had. */
  readonly unreadRequests: number
  /** Operations of this caller that await a person's word. */
  readonly pendingApprovals: number | null
  /** Operations of this caller that wait for their time. */
  readonly scheduledOperations: number | null
}

/** What of a policy's limits and budgets is used up and left, of any 24 hours by all callers and of the session by one. */
export async function readDayUse(parts: DayUseParts, principalId: string): Promise<DayUse> {
  const { policy, ledger } = parts
  const [usage, value] = await Promise.all([ledger.usage(principalId, { sessionIdleMs }), readValueUse(parts)])
  const limits = limitsOf(policy)
  const { dailyGasUsdMicros: gas, dailyExitGasUsdMicros: exitGas } = usage
  const ofGas = (used: bigint) => ({ used: usd(used), cap: usd(limits.dailyGas) })
  const left = (cap: bigint, used: bigint): string => usd(cap > used ? cap - used : 0n)
  return {
    limitsUsd: { ...policy.limitsUsd },
    spentUsd: { session: usd(usage.sessionUsdMicros), daily: usd(usage.dailyUsdMicros) },
    heldUsd: usd(usage.heldUsdMicros),
    gasUsd: { session: usd(usage.sessionGasUsdMicros), daily: usd(usage.dailyGasUsdMicros) },
    remainingUsd: {
      session: left(limits.perSession, usage.sessionUsdMicros),
      daily: left(limits.daily, usage.dailyUsdMicros),
    },
    freesAt: { session: isoOrNull(usage.freesAt.perSession), daily: isoOrNull(usage.freesAt.daily) },
    valueUsd: {
      ...value,
      gas: ofGas(gas - exitGas),
      exitGas: ofGas(usage.dailyPlainExitGasUsdMicros),
      dueExitGas: ofGas(usage.dailyDueExitGasUsdMicros),
      sureExitGas: ofGas(usage.dailySureExitGasUsdMicros),
    },
    dailyAlert: isDailyAlert(usage.dailyUsdMicros, policy),
  }
}

type DayUseParts = { readonly policy: Policy; readonly ledger: Pick<Ledger, 'usage' | 'budgetUsage'> }

export type DayUse = {
  /** Decimal US dollars. */
  readonly limitsUsd: { readonly perTransaction: string; readonly perSession: string; readonly daily: string }
  /** Amounts and gas together. */
  readonly spentUsd: { readonly session: string; readonly daily: string }
  /** How much of the day will be free again once the blocks of earlier calls are deep: what these might have spent and have not. */
  readonly heldUsd: string
  /** How much of it is gas. */
  readonly gasUsd: { readonly session: string; readonly daily: string }
  readonly remainingUsd: { readonly session: string; readonly daily: string }
  /** When first something is freed, as ISO 8601; `null` where waiting frees nothing. */
  readonly freesAt: { readonly session: string | null; readonly daily: string | null }
  /**
   * What any 24 hours have taken, and may take, of what may be lost in value (the most that calls could have lost, as slippage and
   * prices permitted it, and no loss that was made), spent on tokens without a source, at prices of the
   * moment, and burnt as gas: by everything but what brings funds home, by that, by what was to repay its gas and has not, and by
   * removals that passed after those.
   */
  readonly valueUsd: Readonly<
    Record<
      'lossAtMost' | 'speculative' | 'coldStart' | 'gas' | 'exitGas' | 'dueExitGas' | 'sureExitGas',
      { readonly used: string; readonly cap: string }
    >
  >
  readonly dailyAlert: boolean
}

function isoOrNull(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}

async function readValueUse({
  policy,
  ledger,
}: DayUseParts): Promise<Pick<DayUse['valueUsd'], 'lossAtMost' | 'speculative' | 'coldStart'>> {
  const caps = dailyValueCaps(policy)
  const use = async (name: keyof typeof budgetNames) => {
    return { used: usd(await ledger.budgetUsage(budgetNames[name])), cap: usd(caps[name]) }
  }
  const [lossAtMost, speculative, coldStart] = await Promise.all([use('loss'), use('speculative'), use('coldStart')])
  return { lossAtMost, speculative, coldStart }
}
