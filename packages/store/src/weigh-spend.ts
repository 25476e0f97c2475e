import type { Kysely, Selectable } from 'kysely'
import type { CheckRequest } from './check-request.ts'
import { requireAmount } from './require-amount.ts'
import type { Schema } from './schema.ts'
import type { SpendVerdict } from './spend-verdict.ts'
import { sumOfDay, sumOfSession } from './spent.ts'
import { currentSession } from './spending-session.ts'
import { weighBudgets } from './weigh-budgets.ts'

/**
 * Says whether an amount and its gas still fit under every limit at `at`, and what is asked of budgets into those. `own`
 * is an open reservation that all of it takes the place of. Throws `AMOUNT_INVALID`.
 */
export async function weighSpend(
  db: Kysely<Schema>,
  request: CheckRequest,
  at: number,
  own: Pick<Selectable<Schema['reservation']>, 'id' | 'reserved_usd_micros' | 'reserved_gas_usd_micros'> | null = null,
): Promise<SpendVerdict> {
  const { principal, amountUsdMicros, gasUsdMicros = 0n, budgets = [], limits, sessionIdleMs } = request
  requireAmount(amountUsdMicros)
  requireAmount(gasUsdMicros)
  const budgetRefusal = await weighBudgets(db, budgets, at, own?.id ?? null)
  const asked = amountUsdMicros + gasUsdMicros
  const held = own === null ? 0n : own.reserved_usd_micros + own.reserved_gas_usd_micros
  const session = await currentSession(db, principal, sessionIdleMs, at)
  const used = {
    perTransaction: 0n,
    perSession: (await sumOfSession(db, principal, session?.id ?? null)).usdMicros - held,
    daily: (await sumOfDay(db, at)).usdMicros - held,
    principalDaily: (await sumOfDay(db, at, { principal })).usdMicros - held,
  }
  for (const limit of ['perTransaction', 'perSession', 'principalDaily', 'daily'] as const) {
    const [capUsdMicros, usedUsdMicros] = [limits[limit], used[limit]]
    if (capUsdMicros !== undefined && usedUsdMicros + asked > capUsdMicros) {
      return { granted: false, limit, capUsdMicros, usedUsdMicros, askedUsdMicros: asked }
    }
  }
  if (budgetRefusal !== null) return budgetRefusal
  const { perSession, daily, principalDaily } = used
  return { granted: true, used: { session: perSession, daily, principalDaily } }
}
