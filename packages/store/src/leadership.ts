import { type Kysely, sql, type Transaction } from 'kysely'
import type { Durability, Engine, Lock } from './engine.ts'
import type { Schema } from './schema.ts'
import { StoreError } from './store-error.ts'

/**
 * Which of the servers of a database writes. Each that takes the lead counts the epoch up, and every commit of what only the leader may
 * write looks whether the epoch is still its own: one that stood still while another took the lead writes nothing after that commit,
 * whatever it believes. Between processes of which none leads (commands beside a server) nothing is looked at.
 */
export function createLeadership(engine: Engine, fence: Fence): Leadership {
  return {
    lead: async (who, head) => {
      const led = await engine.write('leadership', async (trx) => {
        const before = await trx.selectFrom('leadership').selectAll().forUpdate().executeTakeFirst()
        const epoch = (before?.epoch ?? 0n) + 1n
        const row = { id: 1n, epoch, holder: who.holder, place: who.place, since: BigInt(who.at) }
        const audit = { audit_seq: before?.audit_seq ?? null, audit_hash: before?.audit_hash ?? null }
        await trx
          .insertInto('leadership')
          .values({ ...row, ...audit })
          .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
          .execute()
        return { epoch, before: before === undefined ? null : leaderOf(before) }
      })
      fence.lead(led.epoch, head, led.before?.head ?? null)
      return led
    },
    follow: () => fence.follow(),
    onOvertaken: (hear) => fence.onOvertaken(hear),
    read: async () => {
      const row = await engine.read((db) => db.selectFrom('leadership').selectAll().executeTakeFirst())
      return row === undefined ? null : leaderOf(row)
    },
    // The look that every fenced commit begins with is all there is to do.
    keep: () => engine.write('switches', async () => undefined),
    async resign() {
      await engine.write('switches', (trx) => trx.updateTable('leadership').set({ holder: null }).execute())
      fence.follow()
    },
  }
}

export type Leadership = {
  /**
   * Takes the lead: from this commit on nothing is written by a server that led before. `head` gives the end of the audit log, which is
   * kept with each commit from then on. Only for whoever holds the lease of the server.
   */
  lead(who: LeaderName & { readonly at: number }, head: () => AuditHead | null): Promise<Led>
  /** From now on this store refuses what only the leader may write, with `NOT_LEADER`. */
  follow(): void
  /** Called back, within the commit that finds out, when another has taken the lead; from then on this store refuses as a follower's does. */
  onOvertaken(hear: () => void): void
  /** Who led last; `null` where nobody ever did. */
  read(): Promise<Leader | null>
  /** Keeps the end of the audit log. Throws `NOT_LEADER` where another has taken the lead. */
  keep(): Promise<void>
  /** Ends in good order, so that whoever starts next goes by its own settings. */
  resign(): Promise<void>
}

export type LeaderName = {
  /** For a person: which process on which machine. */
  readonly holder: string
  /** The id of the server, which its data directory keeps, so that one that starts again knows its own. */
  readonly place: string
}

export type Leader = Omit<LeaderName, 'holder'> & {
  readonly epoch: bigint
  /** `null` after one that ended in good order. */
  readonly holder: string | null
  /** Unix milliseconds. */
  readonly since: number
  /** Where its audit log stood with its last commit. */
  readonly head: AuditHead | null
}

export type Led = { readonly epoch: bigint; readonly before: Leader | null }

/** Number and hash of a line of the audit log. */
export type AuditHead = { readonly seq: number; readonly hash: string }

/** What of the engine only the leader may write. What followers share as well, such as prices, limits of rates and sign-ins, is not in it. */
const fencedLocks: ReadonlySet<Lock> = new Set<Lock>([
  'spend',
  'idempotency',
  'operations',
  'memory',
  'watches',
  'tasks',
  'switches',
])

/** The engine, each of whose fenced commits begins with a look at the epoch. */
export function fencedEngine(engine: Engine, fence: Fence): Engine {
  return {
    ...engine,
    write: (lock, work, durability?: Durability) =>
      committed(fence, (looked) =>
        engine.write(
          lock,
          async (trx) => {
            if (fencedLocks.has(lock)) looked.kept = await fence.require(trx)
            return work(trx)
          },
          durability,
        ),
      ),
  }
}

/** What a commit has kept of the audit log is known to be kept once it has ended. */
async function committed<Result>(fence: Fence, write: (looked: Looked) => Promise<Result>): Promise<Result> {
  const looked: Looked = { kept: null }
  const result = await write(looked)
  if (looked.kept !== null) fence.keep(looked.kept)
  return result
}

type Looked = { kept: Kept | null }

type Kept = { readonly epoch: bigint; readonly head: AuditHead }

/** Which epoch a store writes in. */
export function createFence(): Fence {
  let role: Role = anybody
  let hear = (): void => undefined
  return {
    epoch: () => (typeof role === 'string' ? 0n : role.epoch),
    lead: (epoch, head, kept) => void (role = { epoch, head, kept }),
    follow: () => void (role = 'follower'),
    onOvertaken: (listener) => void (hear = listener),
    keep: ({ epoch, head }) => {
      if (typeof role !== 'string' && role.epoch === epoch) role.kept = head
    },
    async require(trx) {
      if (role === anybody) return null
      if (role === 'follower') throw notLeader()
      const asked = role
      const { epoch } = asked
      const head = asked.head()
      const isNew = head !== null && head.hash !== asked.kept?.hash
      const [row] = await (isNew ? keepHead(trx, epoch, head) : lookAt(trx, epoch))
      if (row === undefined) {
        // What began under an earlier lead says nothing of the one that there is now.
        if (role === asked) {
          role = 'follower'
          hear()
        }
        throw notLeader()
      }
      return isNew ? { epoch, head } : null
    },
  }
}

export type Fence = {
  /** 0 for a store that never led. */
  epoch(): bigint
  lead(epoch: bigint, head: () => AuditHead | null, kept: AuditHead | null): void
  follow(): void
  onOvertaken(hear: () => void): void
  /** Throws `NOT_LEADER` where another leads. What of the audit log stands in the transaction now; `null` for nothing new. */
  require(trx: Transaction<Schema>): Promise<Kept | null>
  /** That is committed. */
  keep(kept: Kept): void
}

type Role = typeof anybody | 'follower' | { epoch: bigint; head: () => AuditHead | null; kept: AuditHead | null }

const anybody = 'anybody'

/** Shared with others that only look, and waited for by whoever takes the lead. */
function lookAt(trx: Transaction<Schema>, epoch: bigint) {
  return trx.selectFrom('leadership').select('epoch').where('epoch', '=', epoch).forShare().execute()
}

function keepHead(trx: Transaction<Schema>, epoch: bigint, { seq, hash }: AuditHead) {
  return (
    trx
      .updateTable('leadership')
      // Of commits that overtake each other, the later line stands.
      .set(({ eb }) => ({
        audit_seq: sql<bigint>`greatest(coalesce(audit_seq, 0), ${BigInt(seq)})`,
        audit_hash: eb.case().when('audit_seq', '>', BigInt(seq)).then(eb.ref('audit_hash')).else(hash).end(),
      }))
      .where('epoch', '=', epoch)
      .returning('epoch')
      .execute()
  )
}

function notLeader(): StoreError {
  return new StoreError('NOT_LEADER', 'Another server leads on this database, so nothing was written here.')
}

function leaderOf(row: Schema['leadership']): Leader {
  const { epoch, holder, place, since, audit_seq: seq, audit_hash: hash } = row
  const head = seq === null || hash === null ? null : { seq: Number(seq), hash }
  return { epoch, holder, place, since: Number(since), head }
}

/** Has a commit wait for those that look at the epoch, and they for it. */
export async function holdLeadership(trx: Transaction<Schema>): Promise<void> {
  await sql`update leadership set epoch = epoch`.execute(trx)
}

export async function createLeadershipTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('leadership')
    .addColumn('id', 'bigint', (column) => column.primaryKey())
    .addColumn('epoch', 'bigint', (column) => column.notNull())
    .addColumn('holder', 'text')
    .addColumn('place', 'text', (column) => column.notNull())
    .addColumn('since', 'bigint', (column) => column.notNull())
    .addColumn('audit_seq', 'bigint')
    .addColumn('audit_hash', 'text')
    .execute()
  await db.schema
    .createTable('switch_state')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('content', 'text', (column) => column.notNull())
    .execute()
}
