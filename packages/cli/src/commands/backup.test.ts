import { chmod, copyFile, mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createCircuitBreaker, neverCounted, pause, readPause, verifyAuditLog } from '@svc/engine/switches'
import { acquireServerLock, openStore } from '@svc/store'
import { settings } from '@svc/tool-server'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openAuditLog } from '../../../engine/src/audit/audit.ts'
import { openDirectory } from '../../../tool-server/src/operator/operations.fixture.ts'
import { walletSecrets, isFileName } from '../backup-manifest.ts'
import { callCommand } from '../calls.fixture.ts'

let place: Awaited<ReturnType<typeof openDirectory>>
let target: string
let newDirectory: string
beforeEach(async () => {
  place = await openDirectory([{}, { state: 'scheduled', executeAfter: Date.now() + 60_000 }])
  await chmod(place.dataDir, 0o700)
  ;[target, newDirectory] = [`${place.dataDir}-backup`, `${place.dataDir}-restored`]
  const env = `# ours\nSVC_API_KEY_READ=svc_read_1\nPRIVATE_KEY=0x${'5a'.repeat(32)}\nWALLET_APP_SECRET=hush\n`
  await put('.env', env)
  await put('.env.bak', 'PRIVATE_KEY=old\n')
  await put('owner-key.txt', 'lifts the policy\n')
  await put('policy.json', '{"limitsUsd":{"daily":"300","perSession":"300","perTransaction":"100"}}')
  const log = await openAuditLog({ path: join(place.dataDir, 'audit.jsonl'), now: Date.now })
  for (const index of [1, 2, 3]) await log.append({ event: 'tx.intent', index })
  await log.close()
})
afterEach(() => place.store.close())

const put = (name: string, text: string) => writeFile(join(place.dataDir, name), text, { mode: 0o600 })
const backup = (...words: readonly string[]) => callCommand(['backup', target, ...words, '--data-dir', place.dataDir])
const restore = (...words: readonly string[]) => callCommand(['restore', target, ...words, '--data-dir', newDirectory])
const textOf = (...parts: readonly string[]) => readFile(join(...parts), 'utf8')

describe('svc backup', () => {
  it('takes state, switches, policy, keys and audit log beside the open store, and says what it left out', async () => {
    await pause(place, { by: 'operator:ada', at: '2026-01-31T08:00:00.000Z', reason: 'odd transfers' })
    const made = await backup()
    expect(made).toMatchObject({ code: 0, stderr: '' })
    expect(made.stdout).toMatch(/: \d+ rows of \d+ tables \(SQLite\) and the audit log up to number 3, as of 20/)
    expect(made.stdout.match(/^Left out: \S+/gm)).toEqual([
      'Left out: PRIVATE_KEY',
      'Left out: WALLET_APP_SECRET',
      'Left out: .env.bak',
      'Left out: owner-key.txt',
    ])
    expect(await textOf(target, 'files', '.env')).toBe('# ours\nSVC_API_KEY_READ=svc_read_1\n')
    expect((await readdir(join(target, 'files'))).toSorted()).toEqual(['.env', 'audit.jsonl', 'paused', 'policy.json'])
    expect((await stat(target)).mode & 0o777).toBe(0o700)
    expect(await readdir(join(target, '..'))).not.toContainEqual(expect.stringContaining('.part-'))
    expect(await restore('--check')).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Whole: /) })
    expect(await backup()).toMatchObject({ code: 1, stderr: expect.stringContaining('is there already') })
  })

  it('leaves out secrets of the wallet that are put out of use, and says what keys of a wallet in the making are', async () => {
    const secret = `PRIVATE_KEY=0x${'6b'.repeat(32)}`
    const lines = [`# ${secret}`, `#${secret}`, `# export ${secret}`, `## PRIVATE_KEY = ${secret}`]
    await put('.env', ['# ours', ...lines, 'NOT_THE_PRIVATE_KEY=1', '# PRIVATE_KEY is elsewhere', ''].join('\n'))
    await put('wallet-in-the-making.json', '{}')
    const made = await backup()
    expect(made).toMatchObject({ code: 0, stderr: '' })
    expect(await textOf(target, 'files', '.env')).toBe('# ours\nNOT_THE_PRIVATE_KEY=1\n# PRIVATE_KEY is elsewhere\n')
    expect(made.stdout.match(/^Left out: PRIVATE_KEY/gm)).toHaveLength(lines.length)
    expect(made.stdout).toContain('wallet-in-the-making.json (keys of a wallet that is being made: finish that first')
  })

  it('takes the secrets of the wallet where it is asked to, and says what that means', async () => {
    const made = await backup('--with-wallet-secrets')
    expect(made.stdout).toContain('whoever has it can sign')
    expect(await textOf(target, 'files', '.env')).toContain('PRIVATE_KEY=0x5a')
  })

  it('says that the chain of the audit log is broken, and takes the backup all the same', async () => {
    await put('audit.jsonl', (await textOf(place.dataDir, 'audit.jsonl')).replace('"index":2', '"index":7'))
    const made = await backup()
    expect(made).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('broken, in the log itself: audit.jsonl, line 2'),
    })
    expect(await restore('--check')).toMatchObject({ code: 0 })
  })

  it('takes a chains file of any name that a person can read, and refuses one that it could not restore', async () => {
    const chainsFile = (name: string) => ({ SVC_CHAINS_FILE: join(place.dataDir, name) })
    const taken = (name: string) => callCommand(['backup', target, '--data-dir', place.dataDir], chainsFile(name))
    await put('my chains.json', '[]')
    await put('odd\u202e.json', '[]')
    expect(await taken('odd\u202e.json')).toMatchObject({ code: 1, stderr: expect.stringContaining('Rename it') })
    expect(await taken('my chains.json')).toMatchObject({ code: 0, stderr: '' })
    expect(await restore('--check')).toMatchObject({ code: 0 })
    expect(await restore()).toMatchObject({ code: 0 })
    expect(await textOf(newDirectory, 'my chains.json')).toBe('[]')
  })

  it.each(['.', '..', 'a/b', 'a\\b', '', 'a\u0000'])('knows %j for no name of a file', (name) => {
    expect(isFileName(name)).toBe(false)
  })

  it('knows every setting that signs', () => {
    const signs = settings.filter(({ name, secret }) => secret && /^(WALLET_|PRIVATE_KEY)/.test(name))
    expect(signs.map(({ name }) => name).toSorted()).toEqual([...walletSecrets].toSorted())
  })
})

describe('svc restore', () => {
  it('brings all of it back, paused with the reason, and says what to look at before signing goes on', async () => {
    const limits = () => neverCounted
    await createCircuitBreaker({ dataDir: place.dataDir, limits, now: Date.now }).trip('odd', 'balance')
    await backup()
    const made = await restore()
    expect(made).toMatchObject({ code: 0, stderr: '' })
    expect(made.stdout).toContain('Not in the backup: PRIVATE_KEY, WALLET_APP_SECRET.')
    expect(await readPause({ dataDir: newDirectory })).toMatchObject({
      by: expect.stringMatching(/^operator:/),
      reason: expect.stringMatching(
        /^restored from the backup of 20.*: what was signed, spent and revoked since is not in it$/,
      ),
    })
    const breaker = createCircuitBreaker({ dataDir: newDirectory, limits, now: Date.now })
    expect(await breaker.status()).toMatchObject({ open: true, cause: 'odd' })
    expect(await verifyAuditLog(newDirectory)).toMatchObject({ lines: 3, broken: null })
    expect(await textOf(newDirectory, 'policy.json')).toBe(await textOf(place.dataDir, 'policy.json'))
    const store = await openStore({ path: join(newDirectory, 'state.db'), now: Date.now })
    expect(await store.operations.byId('op-1')).toMatchObject({ state: 'awaiting_approval' })
    await store.close()
    const modes = (await readdir(newDirectory)).map(async (name) => (await stat(join(newDirectory, name))).mode & 0o77)
    expect(new Set(await Promise.all(modes))).toEqual(new Set([0]))
  })

  it('says that signing was paused before, too', async () => {
    await pause(place, { by: 'operator:ada', at: '2026-01-31T08:00:00.000Z', reason: 'odd transfers' })
    await backup()
    await restore()
    expect(await readPause({ dataDir: newDirectory })).toMatchObject({
      reason: expect.stringMatching(/it was paused when .* made$/),
    })
  })

  it('is paused wherever its state is opened from, until svc resume there', async () => {
    await backup()
    await restore()
    const other = `${newDirectory}-other`
    await mkdir(other, { mode: 0o700 })
    await copyFile(join(newDirectory, 'state.db'), join(other, 'state.db'))
    const restored = async () => {
      const store = await openStore({ path: join(other, 'state.db'), now: Date.now })
      const copy = await store.restored.read()
      await store.close()
      return copy
    }
    expect(await restored()).toMatchObject({ reason: expect.stringMatching(/^restored from the backup of 20/) })
    const resumed = await callCommand(['resume', '--data-dir', other])
    expect(resumed).toMatchObject({ code: 0, stdout: expect.stringContaining('Released what was restored from') })
    expect(await restored()).toBeNull()
    expect(await readPause({ dataDir: other })).toBeNull()
  })

  it('refuses a directory that holds anything, and one on which a server runs', async () => {
    await backup()
    await mkdir(newDirectory)
    await writeFile(join(newDirectory, 'photos'), '')
    expect(await restore()).toMatchObject({ code: 1, stderr: expect.stringContaining('holds photos.') })
    const empty = `${newDirectory}-2`
    const lock = await acquireServerLock(empty)
    const refused = await callCommand(['restore', target, '--data-dir', empty])
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(`Another server runs on ${empty}.`) })
    lock.release()
    expect(await readdir(empty)).toEqual(['server.lock'])
    expect(await callCommand(['restore', target, '--data-dir', empty])).toMatchObject({ code: 0 })
  })

  it.each([
    [
      'a file that was changed',
      'files/policy.json',
      (text: string) => text.replace('300', '900'),
      'policy.json of the',
    ],
    [
      'a table that was cut off',
      'state/operation.jsonl',
      (text: string) => text.slice(0, -9),
      'operation.jsonl of the',
    ],
    [
      'a manifest that was changed',
      'manifest.json',
      (text: string) => text.replace('"seq": 3', '"seq": 2'),
      'manifest.json',
    ],
  ])('finds out %s, and brings nothing back', async (_what, path, change, named) => {
    await backup()
    await writeFile(join(target, path), change(await textOf(target, path)))
    for (const tried of [await restore('--check'), await restore()]) {
      expect(tried).toMatchObject({ code: 1, stderr: expect.stringContaining(named) })
      expect(tried.stderr).toContain('damaged')
    }
    await expect(readdir(newDirectory)).rejects.toThrow('ENOENT')
  })

  it('begins anew where it was cut off, and no server starts until it is done', async () => {
    await backup()
    await mkdir(join(newDirectory, 'restoring'), { recursive: true, mode: 0o700 })
    await writeFile(join(newDirectory, 'state.db'), 'half of it')
    await writeFile(join(newDirectory, 'paused'), '')
    const wallet = { PRIVATE_KEY: `0x${'5a'.repeat(32)}`, SVC_MCP_PROFILE: 'full' }
    for (const environment of [wallet, { SVC_MCP_PROFILE: 'data' }]) {
      const serve = ['serve', '--transport', 'http', '--data-dir', newDirectory] as const
      const started = await callCommand(serve, { ...environment, SVC_LISTEN: '127.0.0.1:0' })
      expect(started).toMatchObject({ code: 1, stderr: expect.stringContaining('RESTORE_UNFINISHED') })
    }
    expect((await readdir(newDirectory)).toSorted()).toEqual(['paused', 'restoring', 'state.db'])
    expect(await restore()).toMatchObject({ code: 0, stderr: '' })
    expect(await readdir(newDirectory)).not.toContain('restoring')
    const store = await openStore({ path: join(newDirectory, 'state.db'), now: Date.now })
    expect(await store.operations.byId('op-1')).not.toBeNull()
    await store.close()
  })

  it.each([
    ['of no backup', 'owner-key.txt', ['paused', 'state.db']],
    ['with the name of one that was not moved there yet', '.env', []],
    ['that stands in the folder of the restore as well', '.env', ['paused', 'restoring/.env']],
  ])('begun anew, it removes no file %s', async (_what, name, others) => {
    await backup()
    await mkdir(join(newDirectory, 'restoring'), { recursive: true, mode: 0o700 })
    for (const one of [name, ...others]) await writeFile(join(newDirectory, one), 'kept', { mode: 0o600 })
    expect(await restore()).toMatchObject({ code: 1, stderr: expect.stringContaining(`holds ${name}, which`) })
    for (const one of [name, ...others]) expect(await textOf(newDirectory, one)).toBe('kept')
    await rename(join(newDirectory, name), `${newDirectory}-kept`)
    expect(await restore()).toMatchObject({ code: 0, stderr: '' })
  })
})
