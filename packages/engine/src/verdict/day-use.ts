import { budgetNames, dailyValueCaps, limitsOf } from '../spending/budget-names.ts'
import type { Ledger } from '@svc/store'
import type { Policy } from '../policy/policy.ts'
import { isDailyAlert, sessionIdleMs } from '../spending/spend-limit.ts'
import { usdText as usd } from '../call/amounts.ts'

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
