import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { usePostgres } from '@svc/devnet/testing'
import { createCircuitBreaker, neverCounted } from '@svc/engine/switches'
import { openStore, type Store } from '@svc/store'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { callCommand } from '../calls.fixture.ts'

const otherId = randomUUID()
const postgres = usePostgres()
let store: Store
let url: string
let [a, b] = ['', '']

beforeEach(async () => {
  url = await postgres().newSchema()
  store = await openStore({ url, now: Date.now })
  ;[a, b] = [newDirectory(), newDirectory()]
})
afterEach(async () => {
  await store.close()
  for (const directory of [a, b]) rmSync(directory, { recursive: true })
})

/** As a server leaves it that has the state elsewhere. */
function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'svc-shared-'))
  writeFileSync(join(directory, 'server.lock'), '')
  return directory
}

const svc = (name: 'pause' | 'resume' | 'status', dataDir: string, ...words: readonly string[]) =>
  callCommand([name, ...words, '--data-dir', dataDir], { SVC_DATABASE_URL: url })

it('a pause from one directory is that of all, and ends from another; so does an open breaker', async () => {
  const paused = await svc('pause', a, '--reason', 'odd')
  expect(paused.stdout).toContain('nor by any other server on its database')
  expect((await svc('status', b)).stdout).toMatch(/^Signing is paused since .* because "odd"/)
  expect(await svc('resume', b)).toMatchObject({ code: 0, stdout: 'Resumed.\n' })
  expect(JSON.parse((await svc('status', a, '--json')).stdout)).toMatchObject({ pause: null, leader: null })
  const place = { dataDir: a, sharedSwitches: store.switches }
  await createCircuitBreaker({ ...place, limits: () => neverCounted, now: Date.now }).trip('odd', 'balance')
  expect((await svc('resume', b)).code).toBe(1)
  expect((await svc('resume', b, '--rearm')).stdout).toContain('Re-armed the circuit breaker')
})

it('names the file of another directory that would pause all of them again', async () => {
  const decision = {
    by: 'the file',
    at: new Date().toISOString(),
    reason: null,
    file: 'host-c:/data/paused',
    server: otherId,
  }
  await store.switches.replace('paused', JSON.stringify(decision))
  expect(await svc('resume', b)).toMatchObject({ code: 1, stdout: expect.stringContaining('host-c:/data/paused') })
})

it('stops the server of the directory where the database cannot be reached', async () => {
  const away = await callCommand(['pause', '--data-dir', a], { SVC_DATABASE_URL: 'postgres://svc@127.0.0.1:1/svc' })
  expect(away).toMatchObject({ code: 0, stdout: expect.not.stringContaining('any other server') })
  expect((await svc('status', a)).stdout).toMatch(/^Signing is paused/)
})

it('says which server writes', async () => {
  const id = randomUUID()
  writeFileSync(join(a, 'server.id'), `${id}\n`)
  const who = { holder: 'process 7 on host-a', place: id, at: 1_000 }
  await store.leadership!.lead(who, () => null)
  const since = '1970-01-01T00:00:01.000Z'
  expect((await svc('status', a)).stdout).toContain(
    `Led last since ${since}: process 7 on host-a, server ${id}, the server of this directory.`,
  )
  expect(JSON.parse((await svc('status', b, '--json')).stdout).leader).toEqual({
    holder: who.holder,
    serverId: id,
    since,
    isHere: false,
  })
})
