import type { OperationState } from '@svc/store'
import type { Principal } from '../call/call.ts'
import type { Engine } from '../context/engine.ts'
import { printable } from '@svc/runtime'
import { readPause } from '../switches/kill-switch.ts'
import { onStorage } from '../call/refusal.ts'
import { type DayUse, readDayUse } from './day-use.ts'

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
