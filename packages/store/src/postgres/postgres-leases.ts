import { Client } from 'pg'
import { heldLease, type HeldLease, type Lease, leaseHeld, type LeaseRequest, type Leases } from '../leases.ts'
import { postgresError } from './postgres-dialect.ts'

/**
 * Leases as advisory locks of one session of their own: the database frees them the moment the session ends. The session
 * is made for the first lease, watched while there is one, and made anew after it was lost.
 */
export function createPostgresLeases(url: string): Leases & { close(): Promise<void> } {
  let session: Promise<Session> | null = null
  let turn: Promise<unknown> = Promise.resolve()

  const currentSession = async (): Promise<Session> => {
    session ??= openSession(url, () => {
      session = null
    })
    const opening = session
    return opening.catch((error: unknown) => {
      if (session === opening) session = null
      throw postgresError(error)
    })
  }
  return {
    acquire(request) {
      const acquired = turn.then(async () => (await currentSession()).acquire(request))
      turn = acquired.catch(() => {})
      return acquired
    },
    async close() {
      const ending = session
      session = null
      await ending?.then((open) => open.end()).catch(() => {})
    },
  }
}

type Session = {
  acquire(request: LeaseRequest): Promise<Lease>
  end(): Promise<void>
}

async function openSession(url: string, onEnd: () => void): Promise<Session> {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: 10_000,
    query_timeout: 5_000,
    keepAlive: true,
  })
  const held = new Map<string, HeldLease>()
  let isOver = false
  /** When what was answered last was asked, by a clock that stands still for nobody. */
  let askedAt = performance.now()
  const loseAll = () => {
    if (isOver) return
    isOver = true
    clearInterval(watch)
    onEnd()
    for (const { lose } of held.values()) lose()
    held.clear()
  }
  const end = async () => {
    loseAll()
    await client.end().catch(() => {})
  }
  // Whatever goes wrong on the session, its locks can no longer be counted on.
  client.on('error', () => void end())
  client.on('end', loseAll)
  const ask = async (text: string, values: readonly unknown[]) => {
    const now = performance.now()
    const answer = await client.query<Record<string, unknown>>(text, [...values]).catch(async (error: unknown) => {
      await end()
      throw postgresError(error)
    })
    askedAt = now
    return answer
  }
  const fresh = {
    is: () => performance.now() - askedAt < trustedMs,
    ask: () => ask('select 1', []).catch(() => undefined),
  }
  const watch = setInterval(() => void ask('select 1', []).catch(() => {}), watchEveryMs)
  watch.unref()
  try {
    await client.connect()
  } catch (error) {
    clearInterval(watch)
    throw error
  }
  return {
    async acquire({ name, holder, within = 'database' }) {
      const key = [name, within === 'store']
      if (held.has(name)) throw leaseHeld(name, holder)
      const { rows } = await ask(acquiring, [...key, `${leasePrefix}${holder}`])
      if (rows[0]?.['got'] !== true) throw leaseHeld(name, await holderOf(ask, key))
      const free = async () => {
        held.delete(name)
        await ask(`select pg_advisory_unlock(${leaseKey})`, key)
      }
      const made = heldLease(name, free, fresh)
      held.set(name, made)
      return made.lease
    },
    end,
  }
}

/** A connection that died without a word is noticed after this long and the time a query may take, 5 s. */
const watchEveryMs = 1_000

/**
 * So long after a question that was answered a lease counts as held: shorter than the database keeps it for a session that is silent (6 s,
 * counted from after that question), so that who stood still knows that it may have lost it before another can have it.
 */
const trustedMs = 4_000

const leaseKey =
  "hashtextextended('svc lease ' || case when $2::bool then current_schema() || ' ' else '' end || $1::text, 0)"
/**
 * Names the holder, and lets the database free what a machine held that went away without a word, after half a minute,
 * and what a process holds that stands still, after six seconds: one that runs asks every second.
 */
const acquiring = `select set_config('application_name', $3, false), set_config('tcp_keepalives_idle', '10', false),
  set_config('tcp_keepalives_interval', '5', false), set_config('tcp_keepalives_count', '3', false),
  set_config('tcp_user_timeout', '25000', false), set_config('idle_session_timeout', '6000', false),
  pg_try_advisory_lock(${leaseKey}) as got`
const leasePrefix = 'svc lease '

/** As far as the database tells: it shows the names of sessions of the same user. */
async function holderOf(
  ask: (text: string, values: readonly unknown[]) => Promise<{ rows: Record<string, unknown>[] }>,
  key: readonly unknown[],
): Promise<string | null> {
  const { rows } = await ask(
    `select a.application_name as holder from pg_locks l join pg_stat_activity a using (pid)
      where l.locktype = 'advisory' and l.granted and l.objsubid = 1
      and ((l.classid::bigint << 32) | l.objid::bigint) = ${leaseKey}`,
    key,
  )
  const holder = rows[0]?.['holder']
  return typeof holder === 'string' && holder.startsWith(leasePrefix) ? holder.slice(leasePrefix.length) : null
}
