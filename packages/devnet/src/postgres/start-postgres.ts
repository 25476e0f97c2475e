import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmod, chown, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { initPostgres, runPostgres, type PostgresProcess, layPostgresProgram, serverUser } from './postgres-process.ts'

/**
 * Gives a database on a real PostgreSQL with ordinary settings: on the server that `SVC_TEST_DATABASE_URL` names, else on
 * one of its own, in a folder of the temporary directory. Throws an error that says how to get a server when there is
 * neither.
 */
export async function startPostgres(options: PostgresOptions = {}): Promise<Postgres> {
  const { ownServer = false, env = process.env } = options
  const named = env['SVC_TEST_DATABASE_URL']
  return named && !ownServer ? await useNamedServer(named) : await startOwnServer()
}

export type PostgresOptions = {
  /** For tests that kill it: a server of its own, whatever the environment names. */
  readonly ownServer?: boolean
  readonly env?: Readonly<Record<string, string | undefined>>
}

export type Postgres = {
  readonly url: string
  /** Of the server's first process; `null` when the server is not ours. It changes with a restart. */
  readonly pid: number | null
  /** A URL of the same database under which its tables stand apart from all others. */
  newSchema(): Promise<string>
  /** SIGKILL to the server's first process; settles when it is gone. */
  kill(): Promise<void>
  /** Starts the server again on the same data and port, ending it first when it runs. */
  restart(): Promise<void>
  /** Ends the server, or drops the database, and takes away what it left. */
  stop(): Promise<void>
}

async function startOwnServer(): Promise<Postgres> {
  const user = serverUser()
  const folder = await mkdtemp(join(tmpdir(), 'svc-postgres-'))
  const place = { folder, user }
  const remove = () => rm(folder, { recursive: true, force: true, maxRetries: 5 })
  let running: PostgresProcess | null = null
  try {
    await chmod(folder, 0o755)
    await layPostgresProgram(folder)
    await mkdir(join(folder, 'data'), { mode: 0o700 })
    if (user !== null) await chown(join(folder, 'data'), user.uid, user.gid)
    await initPostgres(place)
    const port = await freePort()
    const start = () => runPostgres(place, { port, readyTimeoutMs: 30_000 })
    running = await start()
    const url = `postgres://postgres@127.0.0.1:${port}/postgres`
    const end = async (signal: 'SIGINT' | 'SIGKILL') => {
      await running?.end(signal)
      running = null
    }
    return {
      url,
      get pid() {
        return running?.pid ?? null
      },
      newSchema: () => newSchema(url),
      kill: () => end('SIGKILL'),
      restart: async () => {
        await end('SIGINT')
        running = await start()
      },
      stop: async () => {
        await end('SIGINT')
        await remove()
      },
    }
  } catch (error) {
    await running?.end('SIGKILL')
    await remove()
    throw error
  }
}

async function useNamedServer(server: string): Promise<Postgres> {
  const name = `svc_test_${randomBytes(6).toString('hex')}`
  await run(server, `create database ${name}`)
  const database = new URL(server)
  database.pathname = `/${name}`
  const notOurs = async () => {
    throw new Error('SVC_TEST_DATABASE_URL names this server, so it is not ours to kill. Ask for an own one.')
  }
  return {
    url: database.href,
    pid: null,
    newSchema: () => newSchema(database.href),
    kill: notOurs,
    restart: notOurs,
    stop: () => run(server, `drop database if exists ${name} with (force)`),
  }
}

async function newSchema(url: string): Promise<string> {
  const name = `test_${randomBytes(6).toString('hex')}`
  await run(url, `create schema ${name}`)
  const own = new URL(url)
  own.searchParams.set('options', `-c search_path=${name}`)
  // A plus sign would not be read as the space it stands for.
  return own.href.replaceAll('+', '%20')
}

async function run(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('The system gave no port.')
  return address.port
}
