import fs, { mkdtempSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { createRequire, syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Measures one durable commit that changes a row: each records a signature of its own request, since a step is signed at one
 * nonce only. Chain 1 is none that the benchmark writes to. Gives milliseconds, on this disk and under this load.
 */
export function createCommitClock(journal, from) {
  let commits = 0
  return async () => {
    commits += 1
    const hash = `0x${commits.toString(16).padStart(64, '0')}`
    const slot = { requestId: `commit-${commits}`, step: 0, chainId: 1, from, nonce: commits, attempt: 0 }
    const begin = performance.now()
    await journal.recordSigned({ ...slot, rawTransaction: '0x', hash, reservationId: null })
    return performance.now() - begin
  }
}

/**
 * Counts what this process puts on disk for good, in its order: transactions of SQLite and PostgreSQL, by the tables they change, and
 * syncs of files and folders, those of the audit log by the events of their lines. It listens where they leave JavaScript, so that
 * no caller is left out. Begin before the store is opened; whatever else the process writes is counted too. `takeStatements` gives what
 * SQLite is asked, reads too. `stop` ends it.
 */
export async function countDurableCommits() {
  const seen = []
  const statements = []
  const changed = [...listenToSqlite(seen, statements), ...listenToPostgres(seen), ...(await listenToFiles(seen))]
  return {
    take: () => seen.splice(0),
    takeStatements: () => statements.splice(0),
    stop: () => {
      for (const [place, name, before] of changed.toReversed()) place[name] = before
      syncBuiltinESMExports()
    },
  }
}

/** The classes that the store uses. */
const requireOfStore = createRequire(new URL('../../packages/store/package.json', import.meta.url))

/** A transaction that does not wait for the disk is there with the next one that does (decision 0012). */
function listenToSqlite(seen, statements) {
  const { prototype } = requireOfStore('libsql')
  const tables = new Set()
  let waits = true
  return [
    around(prototype, 'exec', (database, exec, sql) => {
      const result = exec.call(database, sql)
      statements.push(sql)
      const [, mode] = /^pragma synchronous = (\w+)/.exec(sql) ?? []
      if (mode !== undefined) waits = mode === 'full'
      if (sql.endsWith('begin immediate')) tables.clear()
      if (sql === 'commit' && tables.size > 0) seen.push({ on: 'SQLite', waits, what: [...tables].join(', ') })
      return result
    }),
    around(prototype, 'prepare', (database, prepare, sql) => {
      const statement = prepare.call(database, sql)
      for (const name of ['run', 'all', 'get']) {
        around(statement, name, (_statement, act, ...values) => {
          noteTable(tables, sql)
          statements.push(sql)
          return act.apply(statement, values)
        })
      }
      return statement
    }),
  ]
}

function listenToPostgres(seen) {
  const { prototype } = requireOfStore('pg').Client
  const tables = new WeakMap()
  const query = (client, act, ...values) => {
    const sql = String(values[0]?.text ?? values[0])
    const changed = tables.get(client) ?? new Set()
    tables.set(client, changed)
    noteTable(changed, sql)
    if (sql === 'commit' || sql === 'rollback') tables.delete(client)
    if (sql === 'commit' && changed.size > 0) {
      seen.push({ on: 'PostgreSQL', waits: true, what: [...changed].join(', ') })
    }
    return act.apply(client, values)
  }
  return [around(prototype, 'query', query)]
}

/** The class of open files has no name; one of its own shows it. What is imported of `node:fs` by name changes with the module. */
async function listenToFiles(seen) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-sync-'))
  const file = await open(join(folder, 'file'), 'w')
  const prototype = Object.getPrototypeOf(file)
  await file.close()
  rmSync(folder, { recursive: true })
  const appended = new Map()
  const note = (descriptor) => {
    seen.push({ on: 'file', waits: true, what: appended.get(descriptor) ?? 'a small file or its folder' })
    appended.delete(descriptor)
  }
  const ofHandle = (handle, sync, ...values) => {
    note(handle.fd)
    return sync.apply(handle, values)
  }
  const ofDescriptor = (_fs, sync, descriptor, ...values) => {
    note(descriptor)
    return sync(descriptor, ...values)
  }
  const changed = [
    around(fs, 'writeFileSync', (_fs, write, descriptor, bytes, ...values) => {
      const events = [...String(bytes).matchAll(/"event":"([^"]+)"/g)].map(([, event]) => event)
      if (events.length > 0) appended.set(descriptor, events.join(', '))
      return write(descriptor, bytes, ...values)
    }),
    around(fs, 'fsync', ofDescriptor),
    around(prototype, 'sync', ofHandle),
    around(prototype, 'datasync', ofHandle),
  ]
  syncBuiltinESMExports()
  return changed
}

/** Puts a function around a method; what is given back tells how it was. */
function around(place, name, act) {
  const before = place[name]
  place[name] = function (...values) {
    return act(this, before, ...values)
  }
  return [place, name, before]
}

function noteTable(tables, sql) {
  const [, table] = /^(?:insert into|update|delete from) "?(\w+)/.exec(sql) ?? []
  if (table !== undefined) tables.add(table)
}
