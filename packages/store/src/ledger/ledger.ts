import type { Kysely, Transaction } from 'kysely'
import {
  type BudgetAmount,
  requireBudgetName,
  settleBudgets,
  takeBudgets,
  requireAmount,
  amountsText,
  nativeCurrency,
  type TokenAmounts,
} from './budget.ts'
import { type CheckRequest, freeings, type Freeings, type SpendVerdict, weighSpend } from './weigh-spend.ts'
import type { Engine } from '../engine.ts'
import type { Schema } from '../schema.ts'
import { StoreError } from '../store-error.ts'
import {
  sumOfBudgets,
  sumOfDay,
  sumOfHeld,
  sumOfSession,
  currentSession,
  touchLatestSession,
  touchSession,
} from './spent.ts'
import {
  type HeldReservation,
  heldReservations,
  insertReservation,
  keepReservation,
  lowerReservation,
  type OpenReservation,
  openReservations,
  type Outflow,
  outflowsSince,
  releaseUnsigned,
  requireNothingOut,
  requireReservation,
  requireReserved,
  reservationOf,
  settleReservation,
} from './reservations.ts'
import { countGas, countUnreservedGas, coverGas, type GasCost, uncountedGas, type UncountedGas } from './count-gas.ts'
import { endRevocations, type EndedRevocation } from '../pending-revocations.ts'

/**
 * The spend ledger: what may leave the wallet, counted in bigint millionths of a US dollar before anything is signed.
 * Checks and inserts happen in one serialised transaction, so the caps hold however many requests race.
 */
export function createLedger(engine: Engine, now: () => number): Ledger {
  return {
    reserve: (request) => engine.write('spend', (trx) => reserveIn(trx, request, now()), 'with-next'),
    check: (request) => engine.read((db) => weighSpend(db, request, now())),
    raise: (id, request) => engine.write('spend', (trx) => raiseIn(trx, id, request, now())),
    settle: (id, actualUsdMicros, gas = [], budgets = [], came = {}) =>
      engine.write(
        'spend',
        async (trx) => {
          const { amounts, isRepaid = false, isHeld = false, ended = [] } = came
          await endRevocations(trx, ended)
          await settleIn(trx, id, { actualUsdMicros, gas, budgets, amounts, isRepaid, isHeld }, now())
        },
        'with-next',
      ),
    held: (chainId) => engine.read((db) => heldReservations(db, chainId, now())),
    lower: (id) => engine.write('spend', (trx) => lowerReservation(trx, id)),
    keep: (id) => engine.write('spend', (trx) => keepReservation(trx, id, now())),
    coverGas: (hash, aboveUsdMicros) => engine.write('spend', (trx) => coverGas(trx, hash, aboveUsdMicros)),
    uncountedGas: (chainId) => engine.read((db) => uncountedGas(db, chainId)),
    countGas: (gas) => engine.write('spend', (trx) => countUnreservedGas(trx, gas, now())),
    release: (id) =>
      engine.write('spend', async (trx) => {
        const row = await requireReservation(trx, id)
        if (row.state === 'released') return
        requireReserved(row)
        await requireNothingOut(trx, id)
        await trx.updateTable('reservation').set({ state: 'released', closed_at: now() }).where('id', '=', id).execute()
      }),
    usage: (principal, { sessionIdleMs }) =>
      engine.read(async (db) => {
        const current = await currentSession(db, principal, sessionIdleMs, now())
        const session = await sumOfSession(db, principal, current?.id ?? null)
        const daily = await sumOfDay(db, now(), principal)
        return {
          sessionUsdMicros: session.usdMicros,
          sessionGasUsdMicros: session.gasUsdMicros,
          dailyUsdMicros: daily.usdMicros,
          dailyGasUsdMicros: daily.gasUsdMicros,
          dailyExitGasUsdMicros: daily.gasOf('exit'),
          dailyPlainExitGasUsdMicros: daily.gasOf('plain-exit'),
          dailyDueExitGasUsdMicros: daily.gasOf('due-exit'),
          dailySureExitGasUsdMicros: daily.gasOf('sure-exit'),
          principalDailyUsdMicros: daily.principalUsdMicros,
          heldUsdMicros: await sumOfHeld(db, now()),
          freesAt: await freeings(db, { principal, sessionIdleMs }, now()),
        }
      }),
    budgetUsage: (name) => engine.read((db) => usedOf(db, name, now())),
    open: () => engine.read(openReservations),
    outflows: (chainId, since) => engine.read((db) => outflowsSince(db, chainId, since)),
    releaseUnsigned: () => engine.write('spend', (trx) => releaseUnsigned(trx, now())),
  }
}

export type Ledger = {
  /**
   * Takes the amount and its gas out of the limits and what is asked of budgets out of those, or says which limit, and else
   * which budget, stands in the way, and takes nothing. It counts until it is settled or released, whatever happens to the
   * process; it is on disk with the first signature that draws on it, at the latest. Throws `RESERVATION_EXISTS` for an id
   * used before and `AMOUNT_INVALID` for a negative amount.
   */
  reserve(request: ReserveRequest): Promise<SpendVerdict>
  /** What `reserve` would answer now. Writes nothing. */
  check(request: CheckRequest): Promise<SpendVerdict>
  /**
   * Lifts an open reservation to an amount and its gas, for all of which the limits are asked again; what it held already
   * is not counted twice. Refused, it stays as it was; of both parts, one that is not more than it holds stays. With
   * `gasOutOfAmount` the amount may fall by as much as the gas rises, so that the sum never does. Budgets named are lifted
   * as well, or added; those that are not named stay. What was reserved to bring funds home, and no longer does, is held to
   * every limit; the other way round it stays what it was. Throws `RESERVATION_NOT_OPEN` and `AMOUNT_INVALID`.
   */
  raise(id: string, request: RaiseRequest): Promise<SpendVerdict>
  /**
   * Replaces the reserved amount by what really moved, which may be more, and its gas by what the mined transactions named
   * cost, each counted once however often it is named. Budgets named count what is given here, which may be more than was
   * reserved, or nothing; the others count as reserved. Both count for 24 hours from now. `amounts` is what left, without
   * gas; where it is left out, what might have left stays on record. `isRepaid` says that it brought home what repays its
   * gas. With `isHeld` neither the amount nor a budget falls below what was reserved yet: until `lower` or `keep` it counts as
   * reserved. What was to be revoked and is over by then is noted as `ended` in the same commit. The same amount again changes
   * nothing else, whatever is said of gas and budgets. It is on disk with the next signature, at the latest: a machine that loses its power before
   * that finds the reservation open, as after a crash just before this. Throws `RESERVATION_NOT_OPEN` when it was closed otherwise.
   */
  settle(
    id: string,
    actualUsdMicros: bigint,
    gas?: readonly GasCost[],
    budgets?: readonly BudgetAmount[],
    came?: {
      readonly amounts?: TokenAmounts
      readonly isRepaid?: boolean
      readonly isHeld?: boolean
      readonly ended?: readonly EndedRevocation[]
    },
  ): Promise<void>
  /** What is settled on a chain and held: it counts as it was reserved, and is to fall. What has left the 24 hours is left out. */
  held(chainId: number): Promise<readonly HeldReservation[]>
  /** Lets what is held fall to what it was settled with. The same again changes nothing. */
  lower(id: string): Promise<void>
  /** Lets what is held count as it was reserved for good: for 24 hours from now. */
  keep(id: string): Promise<void>
  /**
   * Holds at least so much gas above what a journalled transaction may cost, in the open reservation that it draws on, and
   * asks no limit: for fees that rise on what is out already, which must never be kept from its end. `hash` is the first
   * attempt. The same again, or less, adds nothing; one that is closed, or draws on none, stays as it is.
   */
  coverGas(hash: string, aboveUsdMicros: bigint): Promise<void>
  /**
   * Transactions mined for good on a chain whose gas no settlement has counted: those that draw on no reservation, or on
   * one that is closed already. The oldest, at most a hundred.
   */
  uncountedGas(chainId: number): Promise<readonly UncountedGas[]>
  /** Counts gas that nothing was reserved for, asking no limit: it is burnt. Each transaction once. */
  countGas(gas: readonly GasCost[]): Promise<void>
  /**
   * Gives the amount back: for a request that certainly had no effect. Throws `RESERVATION_IN_USE` while a signed
   * transaction draws on it that is not `replaced` or `superseded`.
   */
  release(id: string): Promise<void>
  /** What counts against the limits now. */
  usage(principal: string, options: { readonly sessionIdleMs: number }): Promise<SpendUsage>
  /** What counts of a budget now, of all principals together, in millionths of a US dollar. */
  budgetUsage(name: string): Promise<bigint>
  /** Reservations neither settled nor released. */
  open(): Promise<readonly OpenReservation[]>
  /** What may have left the wallet on a chain: settled at `since` (Unix milliseconds) or later, or reserved still. */
  outflows(chainId: number, since: number): Promise<readonly Outflow[]>
  /**
   * Releases every open reservation that no signed transaction ever drew on, and gives their ids. Only for a server
   * that starts: the requests they belonged to died with the process before.
   */
  releaseUnsigned(): Promise<readonly string[]>
}

export type ReserveRequest = CheckRequest & {
  readonly id: string
  readonly requestId: string
  /** What may leave, with its gas at worst among native currency. */
  readonly amounts?: TokenAmounts
}

export type RaiseRequest = Pick<
  CheckRequest,
  'amountUsdMicros' | 'gasUsdMicros' | 'budgets' | 'isExit' | 'isToRepay' | 'isSure' | 'limits' | 'sessionIdleMs'
> & {
  /** For an amount that is what gas leaves of a limit. */
  readonly gasOutOfAmount?: boolean
}

/** Amounts and gas together, and the gas among it. */
export type SpendUsage = {
  readonly sessionUsdMicros: bigint
  readonly sessionGasUsdMicros: bigint
  readonly dailyUsdMicros: bigint
  readonly dailyGasUsdMicros: bigint
  /** Of that, what bringing funds home cost. */
  readonly dailyExitGasUsdMicros: bigint
  /** Of that, what was not asked to repay its gas. */
  readonly dailyPlainExitGasUsdMicros: bigint
  /** Of that, what was to repay its gas and has not. */
  readonly dailyDueExitGasUsdMicros: bigint
  /** Of that, what passed as sure to repay its gas and has not. */
  readonly dailySureExitGasUsdMicros: bigint
  readonly principalDailyUsdMicros: bigint
  /** Of the day, what is to fall once blocks are deep. */
  readonly heldUsdMicros: bigint
  /** The earliest moments at which something of a limit is freed. */
  readonly freesAt: Freeings
}

type Settlement = {
  readonly actualUsdMicros: bigint
  readonly gas: readonly GasCost[]
  readonly budgets: readonly BudgetAmount[]
  readonly amounts: TokenAmounts | undefined
  readonly isRepaid: boolean
  readonly isHeld: boolean
}

async function reserveIn(trx: Transaction<Schema>, request: ReserveRequest, at: number): Promise<SpendVerdict> {
  const known = await reservationOf(trx, { id: request.id })
  if (known !== undefined) throw new StoreError('RESERVATION_EXISTS', `Reservation ${request.id} was made before.`)
  const verdict = await weighSpend(trx, request, at)
  if (!verdict.granted) return verdict
  const sessionId = await touchSession(trx, request.principal, request.sessionIdleMs, at)
  await insertReservation(trx, {
    id: request.id,
    request_id: request.requestId,
    principal: request.principal,
    chain_id: request.chainId,
    session_id: sessionId,
    reserved_usd_micros: request.amountUsdMicros,
    reserved_gas_usd_micros: request.gasUsdMicros ?? 0n,
    is_exit: request.isExit === true ? 1n : 0n,
    repayment: verdict.repayment,
    amounts: request.amounts === undefined ? null : amountsText(request.amounts),
    reserved_at: at,
  })
  await takeBudgets(trx, request.id, request.budgets ?? [])
  return verdict
}

async function raiseIn(trx: Transaction<Schema>, id: string, request: RaiseRequest, at: number): Promise<SpendVerdict> {
  const row = await requireReservation(trx, id)
  requireReserved(row)
  const { principal, reserved_usd_micros: held, reserved_gas_usd_micros: heldGas } = row
  const gasUsdMicros = larger(request.gasUsdMicros ?? 0n, heldGas)
  const least = request.gasOutOfAmount === true ? held - (gasUsdMicros - heldGas) : held
  const amountUsdMicros = larger(request.amountUsdMicros, least)
  requireAmount(request.amountUsdMicros)
  requireAmount(request.gasUsdMicros ?? 0n)
  const isExit = row.is_exit === 1n && request.isExit === true
  const asked = { ...request, principal, chainId: Number(row.chain_id), amountUsdMicros, gasUsdMicros, isExit }
  const verdict = await weighSpend(trx, asked, at, row)
  if (!verdict.granted) return verdict
  await takeBudgets(trx, id, request.budgets ?? [])
  const is_exit = isExit ? 1n : 0n
  const { repayment } = verdict
  const isSame = is_exit === row.is_exit && repayment === row.repayment
  if (amountUsdMicros === held && gasUsdMicros === heldGas && isSame) return verdict
  const session_id = await touchSession(trx, principal, request.sessionIdleMs, at)
  await trx
    .updateTable('reservation')
    .set({
      session_id,
      reserved_usd_micros: amountUsdMicros,
      reserved_gas_usd_micros: gasUsdMicros,
      is_exit,
      repayment,
    })
    .where('id', '=', id)
    .execute()
  return verdict
}

async function settleIn(
  trx: Transaction<Schema>,
  id: string,
  { actualUsdMicros, gas, budgets, amounts: left, isRepaid, isHeld }: Settlement,
  at: number,
): Promise<void> {
  requireAmount(actualUsdMicros)
  const row = await requireReservation(trx, id)
  if (row.state === 'settled' && (row.lowered_usd_micros ?? row.settled_usd_micros) === actualUsdMicros) return
  requireReserved(row)
  const counted = await countGas(trx, gas)
  const settled_gas_usd_micros = counted.reduce((sum, { usdMicros }) => sum + usdMicros, 0n)
  const amounts = left === undefined ? row.amounts : amountsText(withGas(left, counted))
  const settled_usd_micros = isHeld ? larger(actualUsdMicros, row.reserved_usd_micros) : actualUsdMicros
  const isAnyHeld = await settleBudgets(trx, id, budgets, isHeld)
  const lowered_usd_micros = isAnyHeld || actualUsdMicros < settled_usd_micros ? actualUsdMicros : null
  // What settles late counts in the session that is open by then, and keeps it open from here.
  const session_id = await touchLatestSession(trx, row.principal, at)
  const repayment = isRepaid ? 'done' : row.repayment
  const change = { settled_usd_micros, settled_gas_usd_micros, lowered_usd_micros, amounts, session_id, repayment }
  await settleReservation(trx, { id, ...change, closed_at: at })
}

async function usedOf(db: Kysely<Schema>, name: string, at: number): Promise<bigint> {
  requireBudgetName(name)
  return (await sumOfBudgets(db, at)).get(name) ?? 0n
}

function withGas(left: TokenAmounts, gas: readonly GasCost[]): TokenAmounts {
  const native = gas.reduce((sum, { wei }) => sum + wei, left.get(nativeCurrency) ?? 0n)
  return new Map([...left, [nativeCurrency, native]])
}

function larger(one: bigint, other: bigint): bigint {
  return one > other ? one : other
}
