import type { Kysely, Selectable, Transaction } from 'kysely'
import type { Engine } from './engine.ts'
import type { Schema } from './schema.ts'

/**
 * What servers that sign callers in share: nonces that were used, the public keys of issued tokens, and who was turned away since. A number,
 * the epoch, grows with each change of keys and revocations, so that whoever looks for one reads a single row. `now` gives Unix milliseconds.
 */
export function createSignIns(engine: Engine, now: () => number): SignIns {
  return {
    spendNonce: (nonce, expiresAt) => engine.write('sign-ins', (trx) => spend(trx, { nonce, expiresAt, at: now() })),
    sharedSecret: (fresh) =>
      engine.write('sign-ins', async (trx) => {
        const known = await valueOf(trx, 'secret')
        if (known !== null) return known
        await setValue(trx, 'secret', fresh)
        return fresh
      }),
    publishKey: ({ kid, publicJwk, acceptedUntil }, rotation) =>
      engine.write('sign-ins', async (trx) => {
        if (rotation !== undefined && Number((await valueOf(trx, 'rotation')) ?? 0) !== rotation) return
        await trx
          .deleteFrom('sign_in_key')
          .where('accepted_until', '<=', BigInt(now() - keptMs))
          .execute()
        const row = { kid, public_jwk: publicJwk, created_at: now(), accepted_until: acceptedUntil }
        await trx
          .insertInto('sign_in_key')
          .values(row)
          .onConflict((conflict) => conflict.column('kid').doUpdateSet({ accepted_until: acceptedUntil }))
          .execute()
        await increase(trx, 'epoch')
      }),
    rotate: ({ overlapMs }) =>
      engine.write('sign-ins', async (trx) => {
        // Without an overlap no clock has a say.
        const until = overlapMs === 0 ? 0 : now() + overlapMs
        await trx
          .updateTable('sign_in_key')
          .set({ accepted_until: until })
          .where('accepted_until', '>', BigInt(until))
          .execute()
        await increase(trx, 'rotation')
        await increase(trx, 'epoch')
      }),
    revoke: ({ subject, by, until }) =>
      engine.write('sign-ins', async (trx) => {
        await trx
          .deleteFrom('sign_in_revocation')
          .where('until', '<=', BigInt(now() - keptMs))
          .execute()
        const { numInsertedOrUpdatedRows } = await trx
          .insertInto('sign_in_revocation')
          .values({ subject, by, until, revoked_at: now() })
          .onConflict((conflict) => conflict.column('subject').doNothing())
          .executeTakeFirst()
        await increase(trx, 'epoch')
        return (numInsertedOrUpdatedRows ?? 0n) > 0n
      }),
    restore: (subject) =>
      engine.write('sign-ins', async (trx) => {
        const { numDeletedRows } = await trx
          .deleteFrom('sign_in_revocation')
          .where('subject', '=', subject)
          .executeTakeFirst()
        await increase(trx, 'epoch')
        return numDeletedRows > 0n
      }),
    epoch: () => engine.read(async (db) => Number((await valueOf(db, 'epoch')) ?? 0)),
    state: () => engine.read(readState),
  }
}

export type SignIns = {
  /** Uses a nonce up. False where it was used before, in whichever process. It is on disk before this resolves. */
  spendNonce(nonce: string, expiresAt: number): Promise<boolean>
  /** The secret that all who share the store have; `fresh` becomes it where there is none yet. */
  sharedSecret(fresh: string): Promise<string>
  /** Makes a key known to all, or accepted for longer: where `rotation` is named, only as long as keys were changed no more often. */
  publishKey(key: Omit<PublishedKey, 'createdAt'>, rotation?: number): Promise<void>
  /** Asks every server to sign with a new key; those of now are accepted for the overlap, and no longer. */
  rotate(change: { readonly overlapMs: number }): Promise<void>
  /** False where it was revoked already; what stood there then stays. */
  revoke(revocation: Omit<Revocation, 'revokedAt'>): Promise<boolean>
  /** Ends a revocation. False where there was none. */
  restore(subject: string): Promise<boolean>
  /** Grows with every change of keys, rotation and revocations. */
  epoch(): Promise<number>
  state(): Promise<SignInState>
}

export type SignInState = {
  readonly epoch: number
  /** How often servers were asked to change their keys. */
  readonly rotation: number
  /** Newest first; those whose time is over may still be among them. */
  readonly keys: readonly PublishedKey[]
  readonly revocations: readonly Revocation[]
}

export type PublishedKey = {
  readonly kid: string
  /** JSON. Whoever holds the private key keeps it in memory. */
  readonly publicJwk: string
  /** Unix milliseconds, as all times here. */
  readonly createdAt: number
  readonly acceptedUntil: number
}

export type Revocation = {
  /** Whom or what it is about, for example `jti:…`. */
  readonly subject: string
  readonly by: string
  readonly revokedAt: number
  /** When nothing is left that it is about; `null`: it stands until it is ended. */
  readonly until: number | null
}

/** @param db where the tables are made */
export async function createSignInTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('sign_in_state')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('value', 'text', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('sign_in_nonce')
    .addColumn('nonce', 'text', (column) => column.primaryKey())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('sign_in_nonce_age').on('sign_in_nonce').column('expires_at').execute()
  await db.schema
    .createTable('sign_in_key')
    .addColumn('kid', 'text', (column) => column.primaryKey())
    .addColumn('public_jwk', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('accepted_until', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('sign_in_revocation')
    .addColumn('subject', 'text', (column) => column.primaryKey())
    .addColumn('by', 'text', (column) => column.notNull())
    .addColumn('revoked_at', 'bigint', (column) => column.notNull())
    .addColumn('until', 'bigint')
    .execute()
}

/** What is over is kept a little, so that a clock which jumps ahead and comes back makes nothing valid twice. */
const keptMs = 60 * 60 * 1_000

async function spend(
  trx: Transaction<Schema>,
  { nonce, expiresAt, at }: { readonly nonce: string; readonly expiresAt: number; readonly at: number },
): Promise<boolean> {
  await trx
    .deleteFrom('sign_in_nonce')
    .where('expires_at', '<=', BigInt(at - keptMs))
    .execute()
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('sign_in_nonce')
    .values({ nonce, expires_at: expiresAt })
    .onConflict((conflict) => conflict.column('nonce').doNothing())
    .executeTakeFirst()
  return (numInsertedOrUpdatedRows ?? 0n) > 0n
}

/** The epoch first: what changes while the rest is read is read again with the next one. */
async function readState(db: Kysely<Schema>): Promise<SignInState> {
  const epoch = Number((await valueOf(db, 'epoch')) ?? 0)
  const rotation = Number((await valueOf(db, 'rotation')) ?? 0)
  const keys = await db.selectFrom('sign_in_key').selectAll().orderBy('created_at', 'desc').execute()
  const revocations = await db.selectFrom('sign_in_revocation').selectAll().orderBy('revoked_at').execute()
  return { epoch, rotation, keys: keys.map(toKey), revocations: revocations.map(toRevocation) }
}

type ValueName = 'epoch' | 'rotation' | 'secret'

async function valueOf(db: Kysely<Schema>, name: ValueName): Promise<string | null> {
  const row = await db.selectFrom('sign_in_state').select('value').where('name', '=', name).executeTakeFirst()
  return row?.value ?? null
}

async function setValue(trx: Transaction<Schema>, name: ValueName, value: string): Promise<void> {
  await trx
    .insertInto('sign_in_state')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute()
}

async function increase(trx: Transaction<Schema>, name: ValueName): Promise<void> {
  await setValue(trx, name, `${Number((await valueOf(trx, name)) ?? 0) + 1}`)
}

function toKey(row: Selectable<Schema['sign_in_key']>): PublishedKey {
  const { kid, public_jwk: publicJwk, created_at: createdAt, accepted_until: acceptedUntil } = row
  return { kid, publicJwk, createdAt: Number(createdAt), acceptedUntil: Number(acceptedUntil) }
}

function toRevocation(row: Selectable<Schema['sign_in_revocation']>): Revocation {
  const { subject, by, revoked_at: revokedAt, until } = row
  return { subject, by, revokedAt: Number(revokedAt), until: until === null ? null : Number(until) }
}
