import type { Transaction } from 'kysely'
import type { Engine } from './engine.ts'
import { holdLeadership } from './leadership.ts'
import type { Schema } from './schema.ts'
import { StoreError } from './store-error.ts'

/** What stops signing, for all servers of a database, each as a text under a name. */
export function createSharedSwitches(engine: Engine): SharedSwitches {
  return {
    read: async (name) => (await engine.read((db) => textOf(db, name))) ?? null,
    replace: (name, content) =>
      engine.write(ofAnybody.has(name) ? 'pause' : 'switches', async (trx) => {
        // What is signed is recorded before this commit, or sees it.
        if (name === 'paused') await holdLeadership(trx)
        await put(trx, name, content)
      }),
    compareAndSet: (changes) =>
      engine.write('pause', async (trx) => {
        await holdLeadership(trx)
        for (const { name, expected } of changes) if (((await textOf(trx, name)) ?? null) !== expected) return false
        for (const { name, content } of changes) await put(trx, name, content)
        return true
      }),
  }
}

export type SharedSwitches = {
  /** `null` where nothing stands under the name. */
  read(name: SwitchName): Promise<string | null>
  /** `null` takes away what stands there. Throws `NOT_LEADER` of a server that does not lead, but for pauses. */
  replace(name: SwitchName, content: string | null): Promise<void>
  /** Sets all of them in one commit where each still holds what is expected; else nothing, and answers false. `null` is nothing under the name. */
  compareAndSet(changes: readonly PauseChange[]): Promise<boolean>
}

type PauseChange = {
  readonly name: 'paused' | 'resumed'
  readonly expected: string | null
  readonly content: string | null
}

/** What stands in a data directory as `paused`, `resumed.json`, `breaker.json`, `recorded.json` and `recorded-decisions.json`, and digests of the API keys. */
export type SwitchName = 'paused' | 'resumed' | 'breaker' | 'recorded' | 'decisions' | 'keys'

/** Whoever runs any of the servers may stop all of them. */
const ofAnybody: ReadonlySet<SwitchName> = new Set<SwitchName>(['paused', 'resumed'])

/** Within the commit of a signature. Throws `STORE_PAUSED`. */
export async function requireNoPause(trx: Transaction<Schema>): Promise<void> {
  if ((await textOf(trx, 'paused')) === undefined) return
  throw new StoreError('STORE_PAUSED', 'Signing was paused before this could be recorded.')
}

async function put(trx: Transaction<Schema>, name: SwitchName, content: string | null): Promise<void> {
  if (content === null) {
    await trx.deleteFrom('switch_state').where('name', '=', name).execute()
    return
  }
  await trx
    .insertInto('switch_state')
    .values({ name, content })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ content }))
    .execute()
}

async function textOf(db: Parameters<Parameters<Engine['read']>[0]>[0], name: SwitchName): Promise<string | undefined> {
  const row = await db.selectFrom('switch_state').select('content').where('name', '=', name).executeTakeFirst()
  return row?.content
}
