import type { Principal } from '../auth/principal.ts'
import type { SafetyReport } from '../tool.ts'
import type { Engine } from './engine.ts'
import { isPaused } from './kill-switch.ts'
import { isDailyAlert, limitsOf, sessionIdleMs, usdText as usd } from './spend-limit.ts'
import { onStorage } from './storage.ts'

/** What the safety engine would say to a principal's next write: switches, limits, what is used and what is out. */
export async function safetyReport(engine: Engine, principal: Principal): Promise<SafetyReport> {
  const { policy, ledger, breaker, dataDir } = engine
  const [paused, breakerOpen, usage, pendingTransactions] = await onStorage('the safety state cannot be read', () =>
    Promise.all([
      isPaused(dataDir),
      breaker.isOpen(),
      ledger.usage(principal.id, { sessionIdleMs }),
      countPending(engine),
    ]),
  )
  const limits = limitsOf(policy)
  const left = (cap: bigint, used: bigint): string => usd(cap > used ? cap - used : 0n)
  return {
    walletConfigured: true,
    paused,
    breakerOpen,
    allowlistMode: policy.allowlist.mode,
    approvalThresholdUsd: policy.approvalThresholdUsd,
    limitsUsd: { ...policy.limitsUsd },
    spentUsd: { session: usd(usage.sessionUsdMicros), daily: usd(usage.dailyUsdMicros) },
    remainingUsd: {
      session: left(limits.perSession, usage.sessionUsdMicros),
      daily: left(limits.daily, usage.dailyUsdMicros),
    },
    dailyAlert: isDailyAlert(usage.dailyUsdMicros, policy),
    pendingTransactions,
  }
}

async function countPending({ chains, journal, senders }: Engine): Promise<number> {
  const open = await Promise.all(chains.list().map((chain) => journal.open(chain.id, senders(chain).address)))
  return open.reduce((sum, entries) => sum + entries.length, 0)
}
