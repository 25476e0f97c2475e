import type { Kysely } from 'kysely'
import type { CheckRequest } from './check-request.ts'
import type { Schema } from './schema.ts'
import type { SpendVerdict } from './spend-verdict.ts'
import { sumOfDay, sumOfSession } from './spent.ts'
import { currentSession } from './spending-session.ts'
import { StoreError } from './store-error.ts'

/**
 * Says whether an amount and its gas still fit under every limit at `at`. `own` is an open reservation that they take
 * the place of. Throws `AMOUNT_INVALID`.
 */
export async function weighSpend(
  db: Kysely<Schema>,
  request: CheckRequest,
  at: number,
  own: { readonly reserved_usd_micros: bigint; readonly reserved_gas_usd_micros: bigint } | null = null,
): Promise<SpendVerdict> {
  const { principal, amountUsdMicros, gasUsdMicros = 0n, limits, sessionIdleMs } = request
  requireAmount(amountUsdMicros)
  requireAmount(gasUsdMicros)
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
  const { perSession, daily, principalDaily } = used
  return { granted: true, used: { session: perSession, daily, principalDaily } }
}

/** Throws `AMOUNT_INVALID` for what is negative or above a trillion dollars. */
export function requireAmount(amountUsdMicros: bigint): void {
  if (amountUsdMicros >= 0n && amountUsdMicros <= largestAmountUsdMicros) return
  throw new StoreError('AMOUNT_INVALID', 'An amount is between 0 and 1e12 US dollars.')
}

/** The most one amount or one gas cost may be: a trillion dollars, far above any cap, and sums of many stay within 64 bits. */
export const largestAmountUsdMicros = 10n ** 18n
