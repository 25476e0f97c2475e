import type { Kysely, Selectable } from 'kysely'
import type { Schema } from '../schema.ts'
import { requireAmount, amountsByName, type Budget, heldBudgets } from './budget.ts'
import {
  currentSession,
  dayFreesAt,
  gasFreesAt,
  type GasKind,
  type SpentOfDay,
  sumOfBudgets,
  sumOfDay,
  sumOfSession,
} from './spent.ts'

/**
 * Says whether an amount and its gas still fit under every limit at `at`, its gas under that of gas, and what is asked of
 * budgets into those. Of several limits that are exceeded it names the one that leaves least. What only brings funds home is held to
 * the limit of gas and to budgets alone. `own` is an open reservation that all of it takes the place of. Throws `AMOUNT_INVALID`.
 */
export async function weighSpend(
  db: Kysely<Schema>,
  request: CheckRequest,
  at: number,
  own: Own | null = null,
): Promise<SpendVerdict> {
  const { principal, amountUsdMicros, gasUsdMicros = 0n, budgets = [], limits, sessionIdleMs } = request
  requireAmount(amountUsdMicros)
  requireAmount(gasUsdMicros)
  const budgetRefusal = await weighBudgets(db, budgets, at, own?.id ?? null)
  const asked = amountUsdMicros + gasUsdMicros
  const held = own === null ? 0n : own.reserved_usd_micros + own.reserved_gas_usd_micros
  const session = await currentSession(db, principal, sessionIdleMs, at)
  const day = await sumOfDay(db, at, principal)
  const used = {
    perTransaction: 0n,
    perSession: (await sumOfSession(db, principal, session?.id ?? null)).usdMicros - held,
    daily: day.usdMicros - held,
    principalDaily: day.principalUsdMicros - held,
  }
  const exceeded = (['perTransaction', 'perSession', 'principalDaily', 'daily'] as const).flatMap((limit) => {
    const [capUsdMicros, usedUsdMicros] = [limits[limit], used[limit]]
    if (request.isExit === true || capUsdMicros === undefined || usedUsdMicros + asked <= capUsdMicros) return []
    return [{ limit, capUsdMicros, usedUsdMicros }]
  })
  const left = ({ capUsdMicros, usedUsdMicros }: (typeof exceeded)[number]) => capUsdMicros - usedUsdMicros
  const [first, ...others] = exceeded
  if (first !== undefined) {
    // What the tightest leaves fits under all of them.
    const tightest = others.reduce((least, one) => (left(one) < left(least) ? one : least), first)
    const frees = { perTransaction: null, ...(await freeings(db, request, at)) }
    return { granted: false, ...tightest, askedUsdMicros: asked, freesAt: frees[tightest.limit] }
  }
  const gas = await weighGas(db, request, { at, own, gasOf: day.gasOf })
  if (gas.refusal !== null) return gas.refusal
  if (budgetRefusal !== null) return budgetRefusal
  const { perSession, daily, principalDaily } = used
  return { granted: true, used: { session: perSession, daily, principalDaily }, repayment: gas.repayment }
}

/**
 * The earliest moments at which something of a limit is freed, in Unix milliseconds: of a session its end, unless something is spent
 * until then; of a day when the oldest that is settled leaves it. `null` where nothing counts but what is out still.
 */
export async function freeings(
  db: Kysely<Schema>,
  { principal, sessionIdleMs }: Pick<CheckRequest, 'principal' | 'sessionIdleMs'>,
  at: number,
): Promise<Freeings> {
  const session = await currentSession(db, principal, sessionIdleMs, at)
  return {
    perSession: session === undefined ? null : Number(session.last_spend_at) + sessionIdleMs,
    daily: await dayFreesAt(db, at),
    principalDaily: await dayFreesAt(db, at, { principal }),
  }
}

export type Freeings = Readonly<Record<'perSession' | 'daily' | 'principalDaily', number | null>>

type Own = Pick<
  Selectable<Schema['reservation']>,
  'id' | 'reserved_usd_micros' | 'reserved_gas_usd_micros' | 'is_exit' | 'repayment'
>

async function weighGas(
  db: Kysely<Schema>,
  request: CheckRequest,
  { at, own, gasOf }: { readonly at: number; readonly own: Own | null } & Pick<SpentOfDay, 'gasOf'>,
): Promise<WeighedGas> {
  const { gasUsdMicros: askedUsdMicros = 0n, limits, isExit = false, isToRepay = false, isSure = false } = request
  const { dailyGas: capUsdMicros } = limits
  const plain = { refusal: null, repayment: null }
  if (capUsdMicros === undefined || askedUsdMicros === 0n) return plain
  const usedOf = (kind: GasKind, isOwn: boolean) =>
    gasOf(kind) - (isOwn && own !== null ? own.reserved_gas_usd_micros : 0n)
  const isHeld = own !== null && own.is_exit === (isExit ? 1n : 0n)
  const heldAs = own?.repayment ?? null
  for (const repayment of isExit && isToRepay ? (['due', 'sure'] as const) : []) {
    if (repayment === 'sure' && !isSure) continue
    const used = usedOf(`${repayment}-exit`, isHeld && heldAs === repayment)
    if (used <= capUsdMicros) return { refusal: null, repayment }
  }
  const kind = isExit ? 'plain-exit' : 'other'
  const usedUsdMicros = usedOf(kind, isHeld && heldAs === null)
  const above = usedUsdMicros + askedUsdMicros - capUsdMicros
  if (above <= 0n) return plain
  const freesAt = askedUsdMicros > capUsdMicros ? null : await gasFreesAt(db, at, { kind, usdMicros: above })
  const refusal = { granted: false, limit: 'dailyGas', capUsdMicros, usedUsdMicros, askedUsdMicros, freesAt } as const
  return { refusal, repayment: null }
}

type WeighedGas = { readonly refusal: GasRefusal | null; readonly repayment: Repayment }

type Repayment = 'due' | 'sure' | null

/**
 * The first budget that has too little left at `at`, or `null`. What an open reservation `ownId` holds of a budget is not
 * counted twice, and never falls. What takes nothing is never refused. Throws `AMOUNT_INVALID`.
 */
async function weighBudgets(
  db: Kysely<Schema>,
  budgets: readonly Budget[],
  at: number,
  ownId: string | null,
): Promise<BudgetRefusal | null> {
  const amounts = amountsByName(budgets)
  if (amounts.size === 0) return null
  const held = ownId === null ? new Map<string, bigint>() : await heldBudgets(db, ownId)
  const used = await sumOfBudgets(db, at)
  for (const { name, capUsdMicros } of budgets) {
    const own = held.get(name) ?? 0n
    const amount = amounts.get(name) ?? 0n
    const askedUsdMicros = amount > own ? amount : own
    const usedUsdMicros = (used.get(name) ?? 0n) - own
    if (askedUsdMicros > 0n && usedUsdMicros + askedUsdMicros > capUsdMicros) {
      return { granted: false, limit: 'budget', budget: name, capUsdMicros, usedUsdMicros, askedUsdMicros }
    }
  }
  return null
}

/**
 * `used` is what counted before this request, in millionths of a US dollar. `repayment` is `due` or `sure` where its gas passes because what comes
 * home is to repay it.
 */
export type SpendVerdict =
  | { readonly granted: true; readonly used: SpendUsed; readonly repayment: Repayment }
  | LimitRefusal
  | GasRefusal
  | BudgetRefusal

/** Unix milliseconds of when the first of what is used is freed; `null` where waiting frees nothing, as of one transaction. */
type LimitRefusal = Exceeded & {
  readonly limit: Exclude<keyof SpendLimits, 'dailyGas'>
  readonly freesAt: number | null
}

/** Unix milliseconds of when enough has left the window, as far as it is known; `null` where waiting does not help. */
type GasRefusal = Exceeded & { readonly limit: 'dailyGas'; readonly freesAt: number | null }

/** `budget` is the name of the one that has too little left. */
type BudgetRefusal = Exceeded & { readonly limit: 'budget'; readonly budget: string }

type SpendUsed = { readonly session: bigint; readonly daily: bigint; readonly principalDaily: bigint }

type Exceeded = {
  readonly granted: false
  readonly capUsdMicros: bigint
  readonly usedUsdMicros: bigint
  readonly askedUsdMicros: bigint
}

/** What the limits are asked. */
export type CheckRequest = {
  readonly principal: string
  readonly chainId: number
  readonly amountUsdMicros: bigint
  /** What gas may cost beside it, at worst; 0 where it is left out. */
  readonly gasUsdMicros?: bigint
  /** What it takes out of budgets beside the limits, without gas. A budget it takes nothing out of never refuses it. */
  readonly budgets?: readonly Budget[]
  readonly limits: SpendLimits
  /**
   * Whether it only brings funds home: then the limits are not asked, and its gas is held to a `dailyGas` of its own. All of it
   * counts as spent nevertheless.
   */
  readonly isExit?: boolean
  /**
   * Whether what it is to bring home repays its gas: then it also passes, whatever its gas, as long as the gas of such calls that
   * did not repay it is within another `dailyGas`.
   */
  readonly isToRepay?: boolean
  /**
   * Whether no stranger can keep what it is to bring from coming. Where such calls that strangers made fail have used that other `dailyGas`
   * up, it passes all the same, as long as the gas of such sure ones that did not repay it is within a third.
   */
  readonly isSure?: boolean
  /** A session closes after this long without a spend; 30 min by default of the policy. */
  readonly sessionIdleMs: number
}

/** Caps in millionths of a US dollar. They come with each request, so that one principal's may be tighter than another's. */
export type SpendLimits = {
  readonly perTransaction: bigint
  /** Of one principal, from its first spend until it has been idle. Protocol sessions do not matter. */
  readonly perSession: bigint
  /** Of all principals of the wallet together, in any 24 hours up to now: it protects the owner. */
  readonly daily: bigint
  /** Of the one principal, in the same 24 hours. Without it only `daily` counts. */
  readonly principalDaily?: bigint
  /**
   * Of gas alone, of all principals, in the same 24 hours: so much for what brings funds home, and as much for everything else.
   * Without it gas has no limit of its own.
   */
  readonly dailyGas?: bigint
}
