import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'libsql'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openStore } from './open-store.ts'
import { acquireServerLock } from './server-lock.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'store-'))
})

afterEach(() => rm(folder, { recursive: true }))

describe('files', () => {
  test('belong to their owner alone', async () => {
    const path = join(folder, 'data', 'state.db')
    const store = await openStore({ path, now: Date.now })
    const lock = await acquireServerLock(join(folder, 'data'))
    await store.idempotency.begin({ principalId: 'a', key: 'k', bodyHash: 'b', requestId: 'r' })
    expect((await stat(join(folder, 'data'))).mode & 0o777).toBe(0o700)
    const files = await readdir(join(folder, 'data'))
    expect(files).toContain('state.db-wal')
    expect(files).toContain('server.lock')
    const modes = files.map(async (file) => [file, (await stat(join(folder, 'data', file))).mode & 0o777])
    expect(await Promise.all(modes)).toEqual(files.map((file) => [file, 0o600]))
    lock.release()
    await store.close()
  })

  test('made open by someone else are closed', async () => {
    const path = join(folder, 'state.db')
    await writeFile(path, '', { mode: 0o644 })
    await (await openStore({ path, now: Date.now })).close()
    expect((await stat(path)).mode & 0o777).toBe(0o600)
  })

  test('are in write-ahead mode and synced in full', async () => {
    const path = join(folder, 'state.db')
    const store = await openStore({ path, now: Date.now })
    const database = new Database(path)
    expect(database.prepare('pragma journal_mode').all([])).toEqual([{ journal_mode: 'wal' }])
    database.close()
    await store.close()
  })

  test.each([
    ['deleted', (path: string) => rm(path)],
    ['replaced', (path: string) => rm(path).then(() => writeFile(path, ''))],
  ])('%s under an open store take no reservation and no signature', async (_what, harm) => {
    const path = join(folder, 'state.db')
    const store = await openStore({ path, now: Date.now })
    const limits = { perTransaction: 10n, perSession: 10n, daily: 10n }
    const spend = { requestId: 'r', principal: 'p', chainId: 1, amountUsdMicros: 1n, limits, sessionIdleMs: 1000 }
    expect(await store.ledger.reserve({ ...spend, id: 'a' })).toMatchObject({ granted: true })
    await harm(path)
    await expect(store.ledger.reserve({ ...spend, id: 'b' })).rejects.toMatchObject({ code: 'STORE_REPLACED' })
    const slot = { requestId: 'r', step: 0, chainId: 1, from: '0x01', nonce: 0, attempt: 0 } as const
    const entry = { ...slot, rawTransaction: '0x02', hash: '0x03', reservationId: null } as const
    await expect(store.journal.recordSigned(entry)).rejects.toMatchObject({ code: 'STORE_REPLACED' })
    await store.close()
  })

  test('of a newer version are refused and left alone', async () => {
    const path = join(folder, 'state.db')
    await (await openStore({ path, now: Date.now })).close()
    const database = new Database(path)
    database.exec("insert into kysely_migration (name, timestamp) values ('9999-later', '2030')")
    database.close()
    await expect(openStore({ path, now: Date.now })).rejects.toMatchObject({ code: 'STORE_SCHEMA_UNKNOWN' })
  })
})

describe('one server to a data directory', () => {
  test('a second lock is refused at once, and given after release', async () => {
    const lock = await acquireServerLock(folder)
    await expect(acquireServerLock(folder)).rejects.toMatchObject({ code: 'DATA_DIR_LOCKED' })
    lock.release()
    lock.release()
    ;(await acquireServerLock(folder)).release()
  })

  test('leaves the state to commands beside it', async () => {
    const lock = await acquireServerLock(folder)
    const stores = [0, 1].map(() => openStore({ path: join(folder, 'state.db'), now: Date.now }))
    const [server, command] = await Promise.all(stores)
    await server!.idempotency.begin({ principalId: 'a', key: 'k', bodyHash: 'b', requestId: 'r' })
    expect(await command!.idempotency.begin({ principalId: 'a', key: 'k', bodyHash: 'c', requestId: 'r' })).toEqual({
      state: 'conflict',
    })
    await Promise.all([server!.close(), command!.close()])
    lock.release()
  })
})

test('a folder in place of the file is an error, not a new place', async () => {
  const path = join(folder, 'state.db')
  await mkdir(path)
  await expect(openStore({ path, now: Date.now })).rejects.toMatchObject({ code: 'EISDIR' })
})
