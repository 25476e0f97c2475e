import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Postgres, startPostgres } from '@svc/devnet/testing'
import { openStore } from '../open-store.ts'
import { Client } from 'pg'
import { afterEach, describe, expect, test } from 'vitest'

const deploy = join(import.meta.dirname, '../../../../deploy')
const passwords = { TOOL_SERVER_DB_PASSWORD: `it's "a" $1 \\ :'x'`, SUPPORT_API_DB_PASSWORD: 'another' }

let postgres: Postgres
afterEach(() => postgres.stop())

/** The words of psql that the files use; the rest goes to the database as it stands. */
async function runFile(file: string): Promise<void> {
  let client = await enter('postgres', 'postgres')
  const variables = new Map<string, string>()
  const lines = readFileSync(join(deploy, file), 'utf8').split('\n')
  for (const line of lines.filter((one) => one !== '' && !one.startsWith('--'))) {
    const [word, first = '', second = ''] = line.split(' ')
    if (word === '\\getenv') variables.set(first, new Map(Object.entries(passwords)).get(second) ?? '')
    else if (word === '\\connect') {
      await client.end()
      client = await enter('postgres', first)
    } else await client.query(line.replaceAll(/:'(\w+)'/g, (_, name) => client.escapeLiteral(valueOf(variables, name))))
  }
  await client.end()
}

function valueOf(variables: ReadonlyMap<string, string>, name: unknown): string {
  const value = variables.get(String(name))
  if (value === undefined) throw new TypeError(`${String(name)} is read before it is set`)
  return value
}

function urlOf(role: string, database: string): string {
  const url = new URL(postgres.url)
  url.username = role
  url.pathname = `/${database}`
  return url.href
}

async function enter(role: string, database: string): Promise<Client> {
  const client = new Client({ connectionString: urlOf(role, database) })
  client.on('error', () => {})
  await client.connect()
  return client
}

const rolesOf = async () => {
  const client = await enter('postgres', 'postgres')
  const { rows } = await client.query<{ rolname: string; is: boolean; password: string | null }>(
    "select rolname, rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls as is, rolpassword as password from pg_authid where rolcanlogin and rolname <> 'postgres' order by 1",
  )
  await client.end()
  return rows.map(({ rolname, is, password }) => [rolname, is, password?.startsWith('SCRAM-SHA-256$') ?? false])
}

/** Whether the services find what they need there. */
async function serves(role: string, database: string): Promise<void> {
  const store = await openStore({ url: urlOf(role, database), now: Date.now })
  expect(await store.operations.byId('none')).toBeNull()
  await store.close()
}

const denied = { code: '42501' }

describe('the database of a compose file', () => {
  test('gives each service a role and a database of its own, and nobody the superuser', async () => {
    postgres = await startPostgres({ ownServer: true })
    await runFile('tool-server/databases.sql')
    expect(await rolesOf()).toEqual([
      ['support_api', false, true],
      ['svc', false, true],
    ])
    await serves('svc', 'svc')
    await serves('support_api', 'support_api')
    for (const [role, database] of [
      ['svc', 'support_api'],
      ['support_api', 'svc'],
      ['svc', 'postgres'],
      ['support_api', 'template1'],
    ] as const)
      await expect(enter(role, database), `${role} in ${database}`).rejects.toMatchObject(denied)
    const client = await enter('support_api', 'support_api')
    for (const statement of ['drop database svc', 'create database more', 'create role more', 'create schema more'])
      await expect(client.query(statement), `it may ${statement}`).rejects.toMatchObject(denied)
    await client.end()
  })

  test('of the support API alone does the same', async () => {
    postgres = await startPostgres({ ownServer: true })
    await runFile('support-api/databases.sql')
    expect(await rolesOf()).toEqual([['support_api', false, true]])
    await serves('support_api', 'support_api')
    await expect(enter('support_api', 'postgres')).rejects.toMatchObject(denied)
  })
})
