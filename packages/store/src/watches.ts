import { randomUUID } from 'node:crypto'
import type { CreateTableBuilder, Kysely, Selectable, Transaction } from 'kysely'
import type { Engine } from './engine.ts'
import type { Schema } from './schema.ts'
import { StoreError } from './store-error.ts'

/**
 * Positions that are watched for their owners, and the events that came of it. What a look found and what it leaves behind are one
 * commit, so that no event is written twice; each waits there for its webhook until that was accepted. `now` gives Unix milliseconds.
 */
export function createWatches(engine: Engine, now: () => number): Watches {
  return {
    of: (owner) => watchesOf(engine, now, owner),
    async active() {
      const rows = await engine.read((db) =>
        db.selectFrom('watch').selectAll().where('ended_at', 'is', null).orderBy('sequence').execute(),
      )
      return rows.map(toWatch)
    },
    drop: (id) =>
      engine.write('watches', async (trx) => {
        await trx.deleteFrom('watch').where('id', '=', id).execute()
      }),
    record: (id, look) => engine.write('watches', (trx) => recordLook(trx, id, { ...look, at: now() })),
    async claimDeliveries({ limit, waitMs }) {
      const isDue = (db: Kysely<Schema>) =>
        db.selectFrom('watch_event').where('webhook', '=', 'pending').where('next_attempt_at', '<=', BigInt(now()))
      // Asked every second, and mostly there is nothing: that writes nothing.
      const some = await engine.read((db) => isDue(db).select('sequence').limit(1).execute())
      if (some.length === 0) return []
      return engine.write('watches', async (trx) => {
        const inTurn = isDue(trx)
          .selectAll()
          .select(({ fn }) =>
            fn
              .agg<bigint>('row_number')
              .over((over) => over.partitionBy('owner').orderBy('sequence'))
              .as('turn'),
          )
          .as('due')
        const due = await trx.selectFrom(inTurn).selectAll().orderBy('turn').orderBy('sequence').limit(limit).execute()
        const claimed = due.map((row) => toEvent({ ...row, attempts: row.attempts + 1n }))
        for (const { id, attempts } of claimed) {
          const set = { attempts, next_attempt_at: now() + waitMs(attempts) }
          await trx.updateTable('watch_event').set(set).where('id', '=', id).execute()
        }
        return claimed
      })
    },
    settleDelivery: (eventId, webhook) =>
      engine.write('watches', async (trx) => {
        await trx
          .updateTable('watch_event')
          .set({ webhook, next_attempt_at: null, settled_at: now() })
          .where('id', '=', eventId)
          .where('webhook', '=', 'pending')
          .execute()
      }),
  }
}

/**
 * For one owner; `contentBytes` of one event. Those who have more positions than that watch them from several keys. Events whose webhook is
 * still to be taken stay beyond `events`, so that each is tried to its end; `unsettledEvents` is for those of a webhook that was taken away.
 */
export const watchBounds = { watches: 100, events: 500, unsettledEvents: 2_000, contentBytes: 4_096 } as const

export type Watches = {
  of(owner: string): OwnWatches
  /** Whose whatsoever, oldest first: those that go on. */
  active(): Promise<readonly StoredWatch[]>
  /** Ends one of whoever, without a trace. */
  drop(id: string): Promise<void>
  /** Keeps what a look left behind and the events it found, in one commit; gives those. A watch that is gone or ended takes neither. */
  record(id: string, look: WatchLook): Promise<RecordedLook>
  /**
   * Events whose webhook is due: the oldest of each owner, then the second of each, so that many of one keep nobody else's back. That they are tried, and when again (`waitMs` after so many attempts), is on disk before
   * this resolves: a process that is killed while it sends tries them again under the same id.
   */
  claimDeliveries(claim: {
    readonly limit: number
    readonly waitMs: (attempts: number) => number
  }): Promise<readonly StoredWatchEvent[]>
  /** Of one that waits; a settled one stays as it is. */
  settleDelivery(eventId: string, webhook: 'delivered' | 'failed'): Promise<void>
}

/** One owner's. No watch of another is read or changed by it. */
export type OwnWatches = {
  /** The oldest that has ended goes for it where there are too many; `null`, and nothing done, where all go on. */
  add(watch: NewWatch): Promise<StoredWatch | null>
  /** Newest first, ended ones too. */
  list(): Promise<readonly StoredWatch[]>
  byId(id: string): Promise<StoredWatch | null>
  /** What it was; `null` where there is none of this id. Its events stay. */
  cancel(id: string): Promise<StoredWatch | null>
  /** Newest first. */
  events(query: { readonly watchId?: string | undefined; readonly limit: number }): Promise<readonly StoredWatchEvent[]>
}

export type NewWatch = {
  /** JSON: who asked, and with which rights. */
  readonly principal: string
  readonly chainId: number
  readonly version: 'v3' | 'v4'
  readonly positionId: string
  /** JSON, as is `state`; what they mean is their writer's business. */
  readonly conditions: string
  readonly state: string
}

export type StoredWatch = NewWatch & {
  readonly id: string
  readonly owner: string
  /** Unix milliseconds, as all times here. */
  readonly createdAt: number
  readonly endedAt: number | null
}

export type WatchLook = {
  readonly state: string
  readonly hasEnded: boolean
  readonly events: readonly { readonly kind: string; readonly content: string }[]
  /** Whether the events are to go out as webhooks. */
  readonly awaitsWebhook: boolean
}

export type RecordedLook = {
  readonly events: readonly StoredWatchEvent[]
  /** How many older ones went for them before their webhook was taken or given up. */
  readonly undelivered: number
}

export type StoredWatchEvent = {
  readonly id: string
  readonly watchId: string
  readonly owner: string
  readonly kind: string
  /** JSON. */
  readonly content: string
  readonly createdAt: number
  /** `none` where there was no webhook when it came about. */
  readonly webhook: 'none' | 'pending' | 'delivered' | 'failed'
  readonly attempts: number
}

/** @param tables with the number of each row */
export async function createWatchTables(
  db: Kysely<unknown>,
  watch: CreateTableBuilder<'watch', 'sequence'>,
  event: CreateTableBuilder<'watch_event', 'sequence'>,
): Promise<void> {
  await watch
    .addColumn('id', 'text', (column) => column.notNull().unique())
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('principal', 'text', (column) => column.notNull())
    .addColumn('chain_id', 'bigint', (column) => column.notNull())
    .addColumn('version', 'text', (column) => column.notNull())
    .addColumn('position_id', 'text', (column) => column.notNull())
    .addColumn('conditions', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('ended_at', 'bigint')
    .execute()
  await db.schema.createIndex('watch_of').on('watch').columns(['owner', 'sequence']).execute()
  await event
    .addColumn('id', 'text', (column) => column.notNull().unique())
    .addColumn('watch_id', 'text', (column) => column.notNull())
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('content', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('webhook', 'text', (column) => column.notNull())
    .addColumn('attempts', 'bigint', (column) => column.notNull())
    .addColumn('next_attempt_at', 'bigint')
    .addColumn('settled_at', 'bigint')
    .execute()
  await db.schema.createIndex('watch_event_of').on('watch_event').columns(['owner', 'sequence']).execute()
  await db.schema.createIndex('watch_event_due').on('watch_event').columns(['webhook', 'next_attempt_at']).execute()
}

function watchesOf(engine: Engine, now: () => number, owner: string): OwnWatches {
  return {
    add: (watch) =>
      engine.write('watches', async (trx) => {
        if (!(await makesRoom(trx, owner))) return null
        const at = now()
        const row = {
          id: randomUUID(),
          owner,
          principal: watch.principal,
          chain_id: watch.chainId,
          version: watch.version,
          position_id: watch.positionId,
          conditions: watch.conditions,
          state: watch.state,
          created_at: at,
          ended_at: null,
        }
        return toWatch(await trx.insertInto('watch').values(row).returningAll().executeTakeFirstOrThrow())
      }),
    async list() {
      const rows = await engine.read((db) =>
        db.selectFrom('watch').selectAll().where('owner', '=', owner).orderBy('sequence', 'desc').execute(),
      )
      return rows.map(toWatch)
    },
    async byId(id) {
      const row = await engine.read((db) =>
        db.selectFrom('watch').selectAll().where('owner', '=', owner).where('id', '=', id).executeTakeFirst(),
      )
      return row === undefined ? null : toWatch(row)
    },
    cancel: (id) =>
      engine.write('watches', async (trx) => {
        const own = trx.deleteFrom('watch').where('owner', '=', owner).where('id', '=', id)
        const row = await own.returningAll().executeTakeFirst()
        return row === undefined ? null : toWatch(row)
      }),
    async events({ watchId, limit }) {
      const rows = await engine.read((db) => {
        const all = db.selectFrom('watch_event').selectAll().where('owner', '=', owner)
        const of = watchId === undefined ? all : all.where('watch_id', '=', watchId)
        return of.orderBy('sequence', 'desc').limit(limit).execute()
      })
      return rows.map(toEvent)
    },
  }
}

async function recordLook(
  trx: Transaction<Schema>,
  id: string,
  { at, state, hasEnded, events, awaitsWebhook }: WatchLook & { readonly at: number },
): Promise<RecordedLook> {
  const set = { state, ...(hasEnded && { ended_at: at }) }
  const own = trx.updateTable('watch').set(set).where('id', '=', id).where('ended_at', 'is', null)
  const watch = await own.returning('owner').executeTakeFirst()
  if (watch === undefined || events.length === 0) return { events: [], undelivered: 0 }
  const rows = events.map(({ kind, content }) => {
    if (Buffer.byteLength(content) > watchBounds.contentBytes)
      throw new StoreError('RECORD_TOO_LARGE', `An event holds at most ${watchBounds.contentBytes} bytes.`)
    const webhook = awaitsWebhook ? ('pending' as const) : ('none' as const)
    const next = awaitsWebhook ? at : null
    const fresh = { attempts: 0, next_attempt_at: next, settled_at: null, created_at: at }
    return { id: randomUUID(), watch_id: id, owner: watch.owner, kind, content, webhook, ...fresh }
  })
  const written = await trx.insertInto('watch_event').values(rows).returningAll().execute()
  return { events: written.map(toEvent), undelivered: await forgetOldest(trx, watch.owner) }
}

async function makesRoom(trx: Transaction<Schema>, owner: string): Promise<boolean> {
  const rows = await trx
    .selectFrom('watch')
    .select(['sequence', 'ended_at'])
    .where('owner', '=', owner)
    .orderBy('sequence')
    .execute()
  if (rows.length < watchBounds.watches) return true
  const ended = rows.find(({ ended_at: at }) => at !== null)
  if (ended === undefined) return false
  await trx.deleteFrom('watch').where('sequence', '=', ended.sequence).execute()
  return true
}

/** Gives how many went whose webhook was pending. */
async function forgetOldest(trx: Transaction<Schema>, owner: string): Promise<number> {
  const beyond = (count: number) => {
    const own = trx.selectFrom('watch_event').select('sequence').where('owner', '=', owner)
    return own.orderBy('sequence', 'desc').offset(count).limit(1).executeTakeFirst()
  }
  const upTo = (sequence: bigint) =>
    trx.deleteFrom('watch_event').where('owner', '=', owner).where('sequence', '<=', sequence)
  const old = await beyond(watchBounds.events)
  if (old === undefined) return 0
  await upTo(old.sequence).where('webhook', '!=', 'pending').execute()
  const unsettled = await beyond(watchBounds.unsettledEvents)
  return unsettled === undefined ? 0 : Number((await upTo(unsettled.sequence).executeTakeFirst()).numDeletedRows)
}

function toWatch(row: Selectable<Schema['watch']>): StoredWatch {
  return {
    id: row.id,
    owner: row.owner,
    principal: row.principal,
    chainId: Number(row.chain_id),
    version: row.version,
    positionId: row.position_id,
    conditions: row.conditions,
    state: row.state,
    createdAt: Number(row.created_at),
    endedAt: row.ended_at === null ? null : Number(row.ended_at),
  }
}

function toEvent(row: Selectable<Schema['watch_event']>): StoredWatchEvent {
  return {
    id: row.id,
    watchId: row.watch_id,
    owner: row.owner,
    kind: row.kind,
    content: row.content,
    createdAt: Number(row.created_at),
    webhook: row.webhook,
    attempts: Number(row.attempts),
  }
}
