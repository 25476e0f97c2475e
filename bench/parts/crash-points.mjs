// Points at which a process may end itself with SIGKILL, put around everything durable or outward that it does: files,
// commits of the store on either engine, requests to the chain. They are put around the platform (node:fs, the database
// drivers, fetch), so the server under test is the one that ships, and every write it makes has a point before and after.
// Import this before anything of the server.
import { createRequire } from 'node:module'
import { reach } from './crash-point.mjs'
import './crash-points-outside.mjs'

export { arm, tracedPoints } from './crash-point.mjs'

// the store -------------------------------------------------------------------------------------------------------------

const fromStore = createRequire(new URL('../../packages/store/package.json', import.meta.url))

/** The write that a transaction is about, by its statements; bookkeeping beside it is left out. */
function writeLabel(sql, parameters) {
  const [, verb, table] = /^\s*(insert into|update|delete from) "(\w+)"/i.exec(sql) ?? []
  if (table === undefined || table === 'spending_session') return null
  if (table === 'idempotency' && /"created_at" <=/.test(sql)) return null
  const states = parameters.filter((value) => typeof value === 'string' && /^[a-z_]{4,12}$/.test(value)).slice(0, 1)
  return [table, verb.split(' ')[0], ...(verb === 'update' ? states : [])].join(' ')
}

function noting(writes, sql, parameters = []) {
  const label = writeLabel(sql, parameters.flat())
  if (label !== null) writes.push(label)
}

const takeLabel = (writes) => {
  const label = writes.at(-1)
  writes.length = 0
  return label === undefined ? null : `store: ${label}`
}

const Database = fromStore('libsql')
const { exec, prepare } = Database.prototype
const writesOf = new WeakMap()
const listOf = (connection) => {
  if (!writesOf.has(connection)) writesOf.set(connection, [])
  return writesOf.get(connection)
}
Database.prototype.prepare = function (sql, ...rest) {
  const statement = prepare.call(this, sql, ...rest)
  for (const method of ['run', 'all', 'get']) {
    const call = statement[method].bind(statement)
    statement[method] = (...parameters) => {
      noting(listOf(this), sql, parameters)
      return call(...parameters)
    }
  }
  return statement
}
Database.prototype.exec = function (sql, ...rest) {
  const label = sql === 'commit' ? takeLabel(listOf(this)) : null
  if (sql === 'rollback') takeLabel(listOf(this))
  if (label !== null) reach(`${label} | before`)
  const value = exec.call(this, sql, ...rest)
  if (label !== null) reach(`${label} | after`)
  return value
}

const { Client } = fromStore('pg')
const { query } = Client.prototype
Client.prototype.query = function (config, ...rest) {
  const text = typeof config === 'string' ? config : config?.text
  if (typeof text !== 'string') return query.call(this, config, ...rest)
  noting(listOf(this), text, [config?.values ?? rest.find(Array.isArray) ?? []])
  const isEnd = /^\s*(commit|rollback)/i.exec(text)?.[1]?.toLowerCase()
  if (isEnd === undefined) return query.call(this, config, ...rest)
  const label = takeLabel(listOf(this))
  const answer = isEnd === 'commit' && label !== null ? label : null
  if (answer !== null) reach(`${answer} | before`)
  const running = query.call(this, config, ...rest)
  if (answer !== null && typeof running?.then === 'function') {
    return running.then((value) => {
      reach(`${answer} | after`)
      return value
    })
  }
  return running
}
