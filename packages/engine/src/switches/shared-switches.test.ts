import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore, type Store } from '@svc/store'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createCircuitBreaker } from './circuit-breaker.ts'
import { isPaused, pause, readPause, readResume, resume, sharePauseFile } from './kill-switch.ts'
import { shareSwitches, type SwitchPlace, unshareSwitches } from './switch-text.ts'

const ada = { by: 'operator:ada', at: '2026-01-01T00:00:00.000Z' }
let store: Store
let a: SwitchPlace
let b: SwitchPlace

beforeEach(async () => {
  store = await openStore({ path: ':memory:', now: Date.now })
  const newPlace = async () => ({
    dataDir: await mkdtemp(join(tmpdir(), 'switches-')),
    sharedSwitches: store.switches,
  })
  ;[a, b] = [await newPlace(), await newPlace()]
})
afterEach(async () => {
  await store.close()
  for (const { dataDir } of [a, b]) await rm(dataDir, { recursive: true })
})

const breakerOf = (place: SwitchPlace) =>
  createCircuitBreaker({
    ...place,
    limits: () => ({ maxConsecutiveFailures: 1, maxFailuresInWindow: 9, windowMinutes: 1 }),
    now: Date.now,
  })

test('a pause from any directory stops all servers, and ends from any', async () => {
  await pause(a, { ...ada, reason: 'odd' })
  expect(await readPause(b)).toEqual({ since: ada.at, by: ada.by, reason: 'odd' })
  expect(await resume(b, { by: 'operator:bob', at: '2026-01-02T00:00:00.000Z' })).toBe(true)
  expect([await isPaused(a), await isPaused(b)]).toEqual([false, false])
  expect(await readResume(a)).toMatchObject({ by: 'operator:bob', past: [{ begun: { reason: 'odd' } }] })
})

test('a pause that is said stops all servers where a file stood already, and outlasts the file', async () => {
  const file = join(a.dataDir, 'paused')
  await writeFile(file, '')
  // The server of that directory does not run, and looks at nothing.
  await pause(a, { ...ada, reason: 'odd' })
  expect(await readPause(b)).toMatchObject({ by: ada.by, reason: 'odd' })
  await rm(file)
  await resume(b, ada)
  await writeFile(file, '')
  await sharePauseFile(a, 'host-a:/data/paused')
  await pause(b, { ...ada, reason: 'odder' })
  await rm(file)
  await sharePauseFile(a, 'host-a:/data/paused')
  expect(await readPause(b)).toMatchObject({ by: ada.by, reason: 'odder' })
})

test('a file that is made by hand stops the other servers too, until it is taken away', async () => {
  const file = join(a.dataDir, 'paused')
  await writeFile(file, '')
  expect([await isPaused(a), await isPaused(b)]).toEqual([true, false])
  await sharePauseFile(a, 'host-a:/data/paused')
  await sharePauseFile(b, 'host-b:/data/paused')
  expect(await readPause(b)).toMatchObject({ by: 'the file host-a:/data/paused', file: 'host-a:/data/paused' })
  await rm(file)
  await sharePauseFile(b, 'host-b:/data/paused')
  expect(await isPaused(b)).toBe(true)
  await sharePauseFile(a, 'host-a:/data/paused')
  expect([await isPaused(a), await isPaused(b)]).toEqual([false, false])
})

test('whatever stands there stops signing, and one that an operator set is not taken away with a file', async () => {
  await store.switches.replace('paused', 'garbage')
  expect(await isPaused(a)).toBe(true)
  await sharePauseFile(a, 'host-a:/data/paused')
  expect(await isPaused(a)).toBe(true)
})

test('the circuit breaker is one for all servers, and one that cannot be read is open', async () => {
  await breakerOf(a).recordFailure('one')
  expect(await breakerOf(b).status()).toMatchObject({ open: true, openedBy: 'failures' })
  expect(await breakerOf(b).rearm(ada)).toBe(true)
  expect(await breakerOf(a).stops()).toBe('nothing')
  await store.switches.replace('breaker', 'garbage')
  expect(await breakerOf(a).stops()).toBe('everything')
})

test('what stood in a directory is taken into the database once, and goes back into the directory that has the state alone', async () => {
  const alone = { dataDir: a.dataDir }
  await breakerOf(alone).trip('before', 'balance')
  await shareSwitches(a.dataDir, store.switches)
  expect(await breakerOf(b).status()).toMatchObject({ open: true, cause: 'before' })
  await breakerOf(b).rearm(ada)
  await shareSwitches(a.dataDir, store.switches)
  expect(await breakerOf(b).stops()).toBe('nothing')
  await breakerOf(b).trip('later', 'drift')
  await unshareSwitches(a.dataDir, store.switches)
  expect(await breakerOf(alone).status()).toMatchObject({ cause: 'later', stops: 'everything' })
  expect(await store.switches.read('breaker')).toBeNull()
})
