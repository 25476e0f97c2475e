import type { ExpressionBuilder, Selectable, Transaction } from 'kysely'
import type { Engine } from './engine.ts'
import type { Schema } from './schema.ts'
import { StoreError } from './store-error.ts'
import { sumOfDay, sumOfSession } from './spent.ts'
import { currentSession, latestSession, type Session } from './spending-session.ts'
import { requireAmount, weighSpend } from './weigh-spend.ts'

/**
 * The spend ledger: what may leave the wallet, counted in bigint millionths of a US dollar before anything is signed.
 * Checks and inserts happen in one serialised transaction, so the caps hold however many requests race.
 */
export function createLedger(engine: Engine, now: () => number): Ledger {
  return {
    reserve: (request) => engine.write('spend', (trx) => reserveIn(trx, request, now())),
    check: (request) => engine.read((db) => weighSpend(db, request, now())),
    raise: (id, request) => engine.write('spend', (trx) => raiseIn(trx, id, request, now())),
    settle: (id, actualUsdMicros) =>
      engine.write('spend', async (trx) => {
        requireAmount(actualUsdMicros)
        const row = await requireReservation(trx, id)
        if (row.state === 'settled' && row.settled_usd_micros === actualUsdMicros) return
        requireReserved(row)
        await close(trx, id, 'settled', actualUsdMicros, now())
        await countInLatestSession(trx, row, now())
      }),
    release: (id) =>
      engine.write('spend', async (trx) => {
        const row = await requireReservation(trx, id)
        if (row.state === 'released') return
        requireReserved(row)
        await requireNothingOut(trx, id)
        await close(trx, id, 'released', null, now())
      }),
    usage: (principal, { sessionIdleMs }) =>
      engine.read(async (db) => {
        const session = await currentSession(db, principal, sessionIdleMs, now())
        return {
          sessionUsdMicros: await sumOfSession(db, principal, session?.id ?? null),
          dailyUsdMicros: await sumOfDay(db, now()),
          principalDailyUsdMicros: await sumOfDay(db, now(), { principal }),
        }
      }),
    async open() {
      const rows = await engine.read((db) =>
        db.selectFrom('reservation').selectAll().where('state', '=', 'reserved').execute(),
      )
      return rows.map((row) => ({
        id: row.id,
        requestId: row.request_id,
        principal: row.principal,
        chainId: Number(row.chain_id),
        amountUsdMicros: row.reserved_usd_micros,
        reservedAt: Number(row.reserved_at),
      }))
    },
    async outflows(chainId, since) {
      const rows = await engine.read((db) =>
        db
          .selectFrom('reservation')
          .select(['state', 'reserved_usd_micros', 'settled_usd_micros', 'closed_at'])
          .where('chain_id', '=', BigInt(chainId))
          .where((where) =>
            where.or([
              where('state', '=', 'reserved'),
              where.and([where('state', '=', 'settled'), where('closed_at', '>=', BigInt(since))]),
            ]),
          )
          .execute(),
      )
      return rows.map((row) => ({
        usdMicros: row.settled_usd_micros ?? row.reserved_usd_micros,
        settledAt: row.closed_at === null ? null : Number(row.closed_at),
      }))
    },
    releaseUnsigned: () => engine.write('spend', (trx) => releaseUnsignedIn(trx, now())),
  }
}

export type Ledger = {
  /**
   * Takes the amount out of the limits, or says which limit stands in the way. It counts until it is settled or
   * released, whatever happens to the process. Throws `RESERVATION_EXISTS` for an id used before and `AMOUNT_INVALID`
   * for a negative amount.
   */
  reserve(request: ReserveRequest): Promise<SpendVerdict>
  /** What `reserve` would answer now. Writes nothing. */
  check(request: CheckRequest): Promise<SpendVerdict>
  /**
   * Lifts an open reservation to an amount, for all of which the limits are asked again; what it held already is not
   * counted twice. Refused, it stays as it was; an amount that is not more than it holds changes nothing. Throws
   * `RESERVATION_NOT_OPEN` and `AMOUNT_INVALID`.
   */
  raise(id: string, request: RaiseRequest): Promise<SpendVerdict>
  /**
   * Replaces the reserved amount by what really moved, which may be more. The same settlement again changes nothing.
   * Throws `RESERVATION_NOT_OPEN` when it was closed otherwise.
   */
  settle(id: string, actualUsdMicros: bigint): Promise<void>
  /**
   * Gives the amount back: for a request that certainly had no effect. Throws `RESERVATION_IN_USE` while a signed
   * transaction draws on it that is not `replaced`, `superseded` or `reverted`.
   */
  release(id: string): Promise<void>
  /** What counts against the limits now. */
  usage(principal: string, options: { readonly sessionIdleMs: number }): Promise<SpendUsage>
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

export type ReserveRequest = CheckRequest & { readonly id: string; readonly requestId: string }

export type CheckRequest = {
  readonly principal: string
  readonly chainId: number
  readonly amountUsdMicros: bigint
  readonly limits: SpendLimits
  /** A session closes after this long without a spend; 30 min by default of the policy. */
  readonly sessionIdleMs: number
}

export type RaiseRequest = Pick<CheckRequest, 'amountUsdMicros' | 'limits' | 'sessionIdleMs'>

/** Caps in millionths of a US dollar. They come with each request, so that one principal's may be tighter than another's. */
export type SpendLimits = {
  readonly perTransaction: bigint
  /** Of one principal, from its first spend until it has been idle. Protocol sessions do not matter. */
  readonly perSession: bigint
  /** Of all principals of the wallet together, in any 24 hours up to now: it protects the owner. */
  readonly daily: bigint
  /** Of the one principal, in the same 24 hours. Without it only `daily` counts. */
  readonly principalDaily?: bigint
}

/** `used` is what counted before this request, in millionths of a US dollar. */
export type SpendVerdict =
  | { readonly granted: true; readonly used: SpendUsed }
  | {
      readonly granted: false
      readonly limit: keyof SpendLimits
      readonly capUsdMicros: bigint
      readonly usedUsdMicros: bigint
      readonly askedUsdMicros: bigint
    }

export type SpendUsed = { readonly session: bigint; readonly daily: bigint; readonly principalDaily: bigint }

export type SpendUsage = {
  readonly sessionUsdMicros: bigint
  readonly dailyUsdMicros: bigint
  readonly principalDailyUsdMicros: bigint
}

/** `settledAt` in Unix milliseconds, `null` while it is reserved. */
export type Outflow = { readonly usdMicros: bigint; readonly settledAt: number | null }

export type OpenReservation = {
  readonly id: string
  readonly requestId: string
  readonly principal: string
  readonly chainId: number
  readonly amountUsdMicros: bigint
  readonly reservedAt: number
}

type Reservation = Selectable<Schema['reservation']>

async function reserveIn(trx: Transaction<Schema>, request: ReserveRequest, at: number): Promise<SpendVerdict> {
  const known = await trx.selectFrom('reservation').select('id').where('id', '=', request.id).executeTakeFirst()
  if (known !== undefined) throw new StoreError('RESERVATION_EXISTS', `Reservation ${request.id} was made before.`)
  const verdict = await weighSpend(trx, request, at)
  if (!verdict.granted) return verdict
  const sessionId = await touchSession(trx, request, at)
  await trx
    .insertInto('reservation')
    .values({
      id: request.id,
      request_id: request.requestId,
      principal: request.principal,
      chain_id: request.chainId,
      session_id: sessionId,
      reserved_usd_micros: request.amountUsdMicros,
      state: 'reserved',
      reserved_at: at,
    })
    .execute()
  return verdict
}

async function raiseIn(trx: Transaction<Schema>, id: string, request: RaiseRequest, at: number): Promise<SpendVerdict> {
  const row = await requireReservation(trx, id)
  requireReserved(row)
  const { principal, reserved_usd_micros: held } = row
  const asked = { ...request, principal, chainId: Number(row.chain_id) }
  const verdict = await weighSpend(trx, asked, at, row)
  if (!verdict.granted || request.amountUsdMicros <= held) return verdict
  const session_id = await touchSession(trx, asked, at)
  await trx
    .updateTable('reservation')
    .set({ session_id, reserved_usd_micros: request.amountUsdMicros })
    .where('id', '=', id)
    .execute()
  return verdict
}

async function touchSession(trx: Transaction<Schema>, request: CheckRequest, at: number): Promise<bigint> {
  const session = await currentSession(trx, request.principal, request.sessionIdleMs, at)
  if (session !== undefined) {
    await extend(trx, session, at)
    return session.id
  }
  const { id } = await trx
    .insertInto('spending_session')
    .values({ principal: request.principal, opened_at: at, last_spend_at: at })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** What settles late counts in the session that is open by then, and keeps it open from here. */
async function countInLatestSession(trx: Transaction<Schema>, row: Reservation, at: number): Promise<void> {
  const latest = await latestSession(trx, row.principal)
  if (latest === undefined) return
  await trx.updateTable('reservation').set({ session_id: latest.id }).where('id', '=', row.id).execute()
  await extend(trx, latest, at)
}

async function extend(trx: Transaction<Schema>, session: Session, at: number): Promise<void> {
  const last_spend_at = Math.max(Number(session.last_spend_at), at)
  await trx.updateTable('spending_session').set({ last_spend_at }).where('id', '=', session.id).execute()
}

async function close(
  trx: Transaction<Schema>,
  id: string,
  state: 'settled' | 'released',
  settled: bigint | null,
  at: number,
): Promise<void> {
  const change = { state, settled_usd_micros: settled, closed_at: at }
  await trx.updateTable('reservation').set(change).where('id', '=', id).execute()
}

async function requireReservation(trx: Transaction<Schema>, id: string): Promise<Reservation> {
  const row = await trx.selectFrom('reservation').selectAll().where('id', '=', id).executeTakeFirst()
  if (row === undefined) throw new StoreError('RESERVATION_NOT_OPEN', `There is no reservation ${id}.`)
  return row
}

function requireReserved(row: Reservation): void {
  if (row.state === 'reserved') return
  throw new StoreError('RESERVATION_NOT_OPEN', `Reservation ${row.id} is ${row.state} already.`)
}

async function requireNothingOut(trx: Transaction<Schema>, id: string): Promise<void> {
  const out = await trx
    .selectFrom('journal')
    .select('hash')
    .where('reservation_id', '=', id)
    .where('state', 'in', ['signed', 'broadcast', 'mined', 'final', 'refused'])
    .executeTakeFirst()
  if (out === undefined) return
  throw new StoreError('RESERVATION_IN_USE', `Transaction ${out.hash} draws on reservation ${id}; settle it instead.`)
}

async function releaseUnsignedIn(trx: Transaction<Schema>, at: number): Promise<readonly string[]> {
  const rows = await trx
    .updateTable('reservation')
    .set({ state: 'released', closed_at: at })
    .where('state', '=', 'reserved')
    .where((where) => where.not(where.exists(drawing(where))))
    .returning('id')
    .execute()
  return rows.map((row) => row.id)
}

function drawing(where: ExpressionBuilder<Schema, 'reservation'>) {
  return where.selectFrom('journal').select('hash').whereRef('journal.reservation_id', '=', 'reservation.id')
}
