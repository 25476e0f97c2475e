import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { expect, test } from 'vitest'
import { layPostgresProgram, startPostgres } from './start-postgres.ts'
import { usePostgres } from './use-postgres.ts'

const postgres = usePostgres({ ownServer: true })

test('keeps what was committed over a kill and a restart, on the same URL under another pid', async () => {
  const { url, pid } = postgres()
  await query(url, 'create table kept (value int)')
  await query(url, 'insert into kept values (7)')
  await postgres().kill()
  await expect(query(url, 'select 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  expect(postgres().pid).toBeNull()
  await postgres().restart()
  expect(await query(url, 'select value from kept')).toEqual([{ value: 7 }])
  expect(postgres().pid).not.toBe(pid)
  await postgres().restart()
  expect(await query(url, 'select value from kept')).toEqual([{ value: 7 }])
})

test('is as durable as a server in production', async () => {
  for (const setting of ['fsync', 'synchronous_commit', 'full_page_writes']) {
    expect(await query(postgres().url, `show ${setting}`)).toEqual([{ [setting]: 'on' }])
  }
})

test('keeps the tables of schemas apart', async () => {
  const [one, other] = [await postgres().newSchema(), await postgres().newSchema()]
  await query(one, 'create table mine (value int)')
  await query(other, 'create table mine (value text)')
  expect(await query(one, 'select current_schema() as name')).not.toEqual(
    await query(other, 'select current_schema() as name'),
  )
})

test('uses the server that is named, in a database of its own that it drops again', async () => {
  const named = await startPostgres({ env: { SVC_TEST_DATABASE_URL: postgres().url } })
  const [database] = await query(named.url, 'select current_database() as name')
  expect(database).toEqual({ name: expect.stringMatching(/^svc_test_/) })
  await expect(named.kill()).rejects.toThrow('not ours to kill')
  await named.stop()
  const left = await query(postgres().url, "select datname from pg_database where datname like 'svc_test%'")
  expect(left).toEqual([])
})

test('goes with a killed process that started it, and its folder too', async () => {
  // A temporary directory of its own: other test files come and go in ours. The server's user must get through it.
  const own = await mkdtemp(join(tmpdir(), 'svc-own-'))
  await chmod(own, 0o711)
  const built = JSON.stringify(new URL('../../dist/testing.js', import.meta.url).href)
  const program = `const { startPostgres } = await import(${built})
console.log((await startPostgres({ ownServer: true })).pid)
setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    env: { ...process.env, TMPDIR: own },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line]: unknown[] = await once(child.stdout, 'data')
  const pid = Number(String(line))
  expect(await readdir(own)).not.toEqual([])
  child.kill('SIGKILL')
  await expect.poll(() => isRunning(pid)).toBe(false)
  await expect.poll(() => readdir(own)).toEqual([])
})

test('says how to get one where npm installed none', async () => {
  await expect(layPostgresProgram('nowhere', null)).rejects.toThrow('SVC_TEST_DATABASE_URL')
})

test('is reached without loading anything of the chain', async () => {
  const built = JSON.stringify(new URL('../../dist/testing.js', import.meta.url).href)
  const hook = `import { register } from 'node:module'
register('data:text/javascript,' + encodeURIComponent(
  'export async function load(url, context, next) { if (/viem|start-devnet/.test(url)) throw new Error(url); return next(url, context) }'))
await import(${built})
console.log('loaded')`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', hook])
  expect(stdout.trim()).toBe('loaded')
})

async function query(url: string, statement: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}

/** A process that ended may be left in the table for a while; its entry says so. */
async function isRunning(pid: number): Promise<boolean> {
  const entry = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null)
  return entry !== null && !/\) [ZX] /.test(entry)
}
