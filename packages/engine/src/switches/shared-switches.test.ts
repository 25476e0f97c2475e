import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore, type Store } from '@svc/store'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createCircuitBreaker } from './circuit-breaker.ts'
import { isPaused, pause, readPause, readResume, resume, sharePauseFile } from './kill-switch.ts'
import { shareSwitches, type SwitchPlace, unshareSwitches } from './switch-text.ts'

const ada = { by: 'operator:ada', at: '2026-01-01T00:00:00.000Z' }
const bob = { by: 'operator:bob', at: '2026-01-02T00:00:00.000Z' }
// Two containers of one name and one path.
const ofA = { file: 'host:/data/paused', server: 'id-a' }
const ofB = { file: 'host:/data/paused', server: 'id-b' }
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
  expect(await resume(b, bob)).toMatchObject({ ended: { reason: 'odd' }, standing: null })
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
  await sharePauseFile(a, ofA)
  await pause(b, { ...ada, reason: 'odder' })
  await rm(file)
  await sharePauseFile(a, ofA)
  expect(await readPause(b)).toMatchObject({ by: ada.by, reason: 'odder' })
})

test('a file that is made by hand stops the other servers too, until it is taken away', async () => {
  const file = join(a.dataDir, 'paused')
  await writeFile(file, '')
  expect([await isPaused(a), await isPaused(b)]).toEqual([true, false])
  await sharePauseFile(a, ofA)
  await sharePauseFile(b, ofB)
  expect(await readPause(b)).toMatchObject({ by: 'the file host:/data/paused', ...ofA })
  await rm(file)
  await sharePauseFile(b, ofB)
  expect(await isPaused(b)).toBe(true)
  await sharePauseFile(a, ofA)
  expect([await isPaused(a), await isPaused(b)]).toEqual([false, false])
})

test('whatever stands there stops signing, and one that an operator set is not taken away with a file', async () => {
  await store.switches.replace('paused', 'garbage')
  expect(await isPaused(a)).toBe(true)
  await sharePauseFile(a, ofA)
  expect(await isPaused(a)).toBe(true)
})

test('a pause that is set while another one is ended stays, and whoever ended that one is given it', async () => {
  await pause(a, { ...ada, reason: 'odd' })
  const read = store.switches.read.bind(store.switches)
  let isBetween = true
  /** Between the look of one operator and what comes of it, another one ends the pause and a third pauses again. */
  const slow = async (name: Parameters<typeof read>[0]) => {
    const text = await read(name)
    if (name === 'resumed' && isBetween) {
      isBetween = false
      await resume(b, bob)
      await pause(b, { by: 'operator:cy', at: '2026-01-03T00:00:00.000Z', reason: 'odder' })
    }
    return text
  }
  const slowly = { ...a, sharedSwitches: { ...store.switches, read: slow } }
  const stands = { by: 'operator:cy', reason: 'odder' }
  expect(await resume(slowly, { by: 'operator:dan', at: '2026-01-04T00:00:00.000Z' })).toMatchObject({
    ended: null,
    standing: stands,
  })
  expect(await readPause(a)).toMatchObject(stands)
  expect(await readResume(a)).toMatchObject({ by: bob.by, past: [{ begun: { reason: 'odd' } }] })
})

test('where a pause was ended and noted by others meanwhile, what is noted is kept', async () => {
  await pause(a, { ...ada, reason: 'odd' })
  await resume(a, bob)
  await pause(a, { ...ada, at: '2026-01-05T00:00:00.000Z', reason: 'odder' })
  await resume(b, { ...bob, at: '2026-01-06T00:00:00.000Z' })
  expect((await readResume(a))?.past.map(({ begun }) => begun.reason)).toEqual(['odd', 'odder'])
})

test('a file that is taken away ends no pause that an operator has set over it meanwhile', async () => {
  const file = join(a.dataDir, 'paused')
  await writeFile(file, '')
  await sharePauseFile(a, ofA)
  await rm(file)
  const read = store.switches.read.bind(store.switches)
  const slow = async (name: Parameters<typeof read>[0]) => {
    const text = await read(name)
    await pause(b, { ...ada, reason: 'odd' })
    return text
  }
  await sharePauseFile({ ...a, sharedSwitches: { ...store.switches, read: slow } }, ofA)
  expect(await readPause(b)).toMatchObject({ by: ada.by, reason: 'odd' })
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
