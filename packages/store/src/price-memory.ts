import type { Transaction } from 'kysely'
import type { Engine } from './engine.ts'
import type { Schema } from './schema.ts'

/**
 * What was seen of prices on chains, for a day and a little more. Of a subject it holds one sighting in five minutes, and it
 * holds 4,000 subjects at most: those seen last. `now` gives Unix milliseconds.
 */
export function createPriceMemory(engine: Engine, now: () => number): PriceMemory {
  const nowSeconds = (): number => Math.floor(now() / 1000)
  return {
    async recall(chain, subjects) {
      if (subjects.length === 0) return []
      const rows = await engine.read((db) =>
        db
          .selectFrom('sighting')
          .innerJoin('sighting_subject', 'sighting_subject.id', 'subject_id')
          .select(['subject', 'at_seconds', 'content'])
          .where('chain_id', '=', BigInt(chain.id))
          .where('subject', 'in', subjects)
          .where('at_seconds', '>', BigInt(nowSeconds() - keptSeconds))
          .orderBy('at_seconds')
          .orderBy('subject')
          .execute(),
      )
      return rows.map((row) => ({
        subject: row.subject,
        atSeconds: Number(row.at_seconds),
        values: fromContent(row.content),
      }))
    },
    async keep(chain, sightings) {
      const at = nowSeconds()
      const entries = entriesOf(sightings, at)
      if (entries.length === 0) return
      const work = (trx: Transaction<Schema>) => keepIn(trx, chain.id, entries, at)
      await engine.write('sightings', work, 'with-next')
    },
  }
}

export type PriceMemory = {
  /** What was kept of these subjects on a chain within the last 26 hours, oldest first. */
  recall(chain: { readonly id: number }, subjects: readonly string[]): Promise<readonly Sighting[]>
  /**
   * Keeps what was seen. What is there already in the same five minutes stays, and is replaced only by what was seen in the
   * same second. Left out: what is more than 26 hours from now either way, subjects longer than 160 characters, and values
   * that take more than 2,048 characters of JSON.
   */
  keep(chain: { readonly id: number }, sightings: readonly Sighting[]): Promise<void>
}

/** Something seen on a chain at a time. */
export type Sighting = {
  /** Such as `pool 0x…` or `token 0x…`, in lower case. */
  readonly subject: string
  /** Unix seconds of the block. */
  readonly atSeconds: number
  /** Integers by name, as whoever kept them reads them. */
  readonly values: Readonly<Record<string, bigint>>
}

const keptSeconds = 26 * 60 * 60
const slotSeconds = 5 * 60
const mostSubjects = 4_000
const mostSubjectCharacters = 160
const mostContentCharacters = 2_048

type Entry = {
  readonly subject: string
  readonly slot: number
  readonly at_seconds: number
  readonly content: string
}

async function keepIn(trx: Transaction<Schema>, chainId: number, entries: readonly Entry[], at: number): Promise<void> {
  const ids = await subjectIds(trx, chainId, entries)
  const rows = entries.flatMap(({ subject, slot, at_seconds, content }) => {
    const subject_id = ids.get(subject)
    return subject_id === undefined ? [] : [{ subject_id, slot, at_seconds, content }]
  })
  await trx
    .insertInto('sighting')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['subject_id', 'slot'])
        .doUpdateSet({ content: (row) => row.ref('excluded.content') })
        .whereRef('sighting.at_seconds', '=', 'excluded.at_seconds'),
    )
    .execute()
  await forget(trx, BigInt(at - keptSeconds))
}

/** Of known and new subjects; each is noted as seen by now. */
async function subjectIds(
  trx: Transaction<Schema>,
  chain_id: number,
  entries: readonly Entry[],
): Promise<ReadonlyMap<string, bigint>> {
  // Entries are ordered by time, so the newest of a subject counts.
  const seen = new Map(entries.map(({ subject, at_seconds }) => [subject, at_seconds]))
  const rows = await trx
    .insertInto('sighting_subject')
    .values([...seen].map(([subject, seen_at]) => ({ chain_id, subject, seen_at })))
    .onConflict((conflict) =>
      conflict.columns(['chain_id', 'subject']).doUpdateSet((update) => ({
        seen_at: update
          .case()
          .when('excluded.seen_at', '>', update.ref('sighting_subject.seen_at'))
          .then(update.ref('excluded.seen_at'))
          .else(update.ref('sighting_subject.seen_at'))
          .end(),
      })),
    )
    .returning(['id', 'subject'])
    .execute()
  return new Map(rows.map(({ id, subject }) => [subject, id]))
}

/** What is too old, and the subjects beyond the number there may be, with all that was seen of them. */
async function forget(trx: Transaction<Schema>, until: bigint): Promise<void> {
  await trx.deleteFrom('sighting').where('at_seconds', '<=', until).execute()
  const first = await trx
    .selectFrom('sighting_subject')
    .select(['seen_at', 'id'])
    .orderBy('seen_at', 'desc')
    .orderBy('id', 'desc')
    .offset(mostSubjects)
    .limit(1)
    .executeTakeFirst()
  if (first === undefined) return
  await trx
    .deleteFrom('sighting_subject')
    .where((where) =>
      where.or([
        where('seen_at', '<', first.seen_at),
        where.and([where('seen_at', '=', first.seen_at), where('id', '<=', first.id)]),
      ]),
    )
    .execute()
}

/** One of each subject and slot, oldest first: the first of the slot, and of two in one second the later one. */
function entriesOf(sightings: readonly Sighting[], at: number): readonly Entry[] {
  const entries = new Map<string, Entry>()
  for (const { subject, atSeconds, values } of [...sightings].sort((one, other) => one.atSeconds - other.atSeconds)) {
    const content = toContent(values)
    const isNear = Math.abs(atSeconds - at) < keptSeconds
    if (!isNear || subject.length > mostSubjectCharacters || content.length > mostContentCharacters) continue
    const slot = Math.floor(atSeconds / slotSeconds)
    const first = entries.get(`${slot} ${subject}`)
    if (first !== undefined && first.at_seconds !== atSeconds) continue
    entries.set(`${slot} ${subject}`, { subject, slot, at_seconds: atSeconds, content })
  }
  return [...entries.values()]
}

function toContent(values: Sighting['values']): string {
  return JSON.stringify(Object.fromEntries(Object.entries(values).map(([name, value]) => [name, value.toString()])))
}

function fromContent(content: string): Sighting['values'] {
  const values = JSON.parse(content) as Readonly<Record<string, string>>
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, BigInt(value)]))
}
