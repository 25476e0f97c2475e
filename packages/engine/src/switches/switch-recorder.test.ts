import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import type { AuditEvent } from '../audit/audit.ts'
import { createCircuitBreaker } from './circuit-breaker.ts'
import { pause, resume } from './kill-switch.ts'
import { parsePolicy, policyHash } from '../policy/policy.ts'
import { createSwitchRecorder } from './switch-recorder.ts'

let dataDir: string
let written: AuditEvent[]
/** After so many more lines the disk is full. */
let linesLeft: number
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'switches-'))
  written = []
  linesLeft = Infinity
})

const policy = parsePolicy({}, { production: false })
const limits = { maxConsecutiveFailures: 1, maxFailuresInWindow: 5, windowMinutes: 60 }
const breaker = (hour = 0) =>
  createCircuitBreaker({ dataDir, limits: () => limits, now: () => Date.UTC(2026, 0, 1, hour) })
const start = (inForce = policy) =>
  createSwitchRecorder({
    dataDir,
    policy: inForce,
    breaker: breaker(),
    audit: {
      append: async (event) => {
        if (linesLeft-- <= 0) throw new Error('ENOSPC')
        written.push(event)
      },
    },
    log: { warn: () => {} },
  })
const taken = () => written.splice(0)
const at = (hour: number) => `2026-01-01T0${hour}:00:00.000Z`

it('records what an operator did, once, and who it was', async () => {
  const recorder = start()
  await recorder.look()
  expect(taken()).toEqual([{ event: 'policy.changed', from: null, policyHash: policyHash(policy) }])
  await pause({ dataDir }, { by: 'operator:ada', at: at(1), reason: 'odd' })
  await Promise.all([recorder.look(), recorder.look()])
  expect(taken()).toEqual([{ event: 'pause.on', since: at(1), by: 'operator:ada', reason: 'odd' }])
  await resume({ dataDir }, { by: 'operator:bob', at: at(2) })
  await recorder.look()
  expect(taken()).toEqual([{ event: 'pause.off', since: at(1), by: 'operator:bob', at: at(2) }])
  await breaker().recordFailure('0xaa')
  await recorder.look()
  expect(taken()).toEqual([
    { event: 'breaker.open', since: at(0), cause: expect.stringContaining('0xaa'), openedBy: 'failures' },
  ])
  await breaker().rearm({ by: 'operator:bob', at: at(3) })
  await recorder.look()
  expect(taken()).toEqual([{ event: 'breaker.rearmed', since: at(0), by: 'operator:bob', at: at(3) }])
  await recorder.look()
  expect(taken()).toEqual([])
})

it('records after a start what happened while no server ran', async () => {
  await start().look()
  taken()
  await pause({ dataDir }, { by: 'operator:ada', at: at(1), reason: null })
  await start(parsePolicy({ limitsUsd: { daily: '1500' } }, { production: false })).look()
  expect(taken().map(({ event }) => event)).toEqual(['pause.on', 'policy.changed'])
})

it('names nobody where a file was removed by hand, and tells two pauses apart', async () => {
  const recorder = start()
  await pause({ dataDir }, { by: 'operator:ada', at: at(1), reason: null })
  await recorder.look()
  taken()
  await rm(join(dataDir, 'paused'))
  await pause({ dataDir }, { by: 'operator:bob', at: at(2), reason: null })
  await recorder.look()
  expect(taken()).toEqual([
    { event: 'pause.off', since: at(1), by: null, at: null },
    { event: 'pause.on', since: at(2), by: 'operator:bob', reason: null },
  ])
})

it('repeats what it could not write, and what a damaged record may have lost', async () => {
  const recorder = start()
  await recorder.look()
  taken()
  await pause({ dataDir }, { by: 'operator:ada', at: at(1), reason: null })
  linesLeft = 0
  await expect(recorder.look()).rejects.toThrow('ENOSPC')
  linesLeft = Infinity
  await recorder.look()
  expect(taken().map(({ event }) => event)).toEqual(['pause.on'])
  await writeFile(join(dataDir, 'recorded.json'), '{"pause":')
  await start().look()
  expect(taken().map(({ event }) => event)).toEqual(['pause.on', 'policy.changed'])
})

const ada = 'operator:ada'
const bob = 'operator:bob'

async function moveBetweenTwoLooks(): Promise<void> {
  await pause({ dataDir }, { by: ada, at: at(1), reason: 'odd' })
  await breaker(2).trip('the balance fell', 'balance')
  await resume({ dataDir }, { by: bob, at: at(3) })
  await breaker().rearm({ by: ada, at: at(4) })
  await breaker(5).recordFailure('0xaa')
  await pause({ dataDir }, { by: bob, at: at(6), reason: null })
  await breaker().rearm({ by: bob, at: at(7) })
  await resume({ dataDir }, { by: ada, at: at(8) })
  await pause({ dataDir }, { by: ada, at: at(9), reason: null })
}

const movedBetweenTwoLooks = [
  { event: 'pause.on', since: at(1), by: ada, reason: 'odd' },
  { event: 'breaker.open', since: at(2), cause: 'the balance fell', openedBy: 'balance' },
  { event: 'pause.off', since: at(1), by: bob, at: at(3) },
  { event: 'breaker.rearmed', since: at(2), by: ada, at: at(4) },
  { event: 'breaker.open', since: at(5), cause: expect.stringContaining('0xaa'), openedBy: 'failures' },
  { event: 'pause.on', since: at(6), by: bob, reason: null },
  { event: 'breaker.rearmed', since: at(5), by: bob, at: at(7) },
  { event: 'pause.off', since: at(6), by: ada, at: at(8) },
  { event: 'pause.on', since: at(9), by: ada, reason: null },
]

it.each([
  ['between two looks', false],
  ['while no server ran', true],
])('records what began and ended %s, in order and once', async (_when, isRestarted) => {
  const before = start()
  await before.look()
  taken()
  await moveBetweenTwoLooks()
  await (isRestarted ? start() : before).look()
  expect(taken()).toEqual(movedBetweenTwoLooks)
  await start().look()
  expect(taken()).toEqual([])
  await resume({ dataDir }, { by: bob, at: '2026-01-01T10:00:00.000Z' })
  await start().look()
  expect(taken()).toEqual([{ event: 'pause.off', since: at(9), by: bob, at: '2026-01-01T10:00:00.000Z' }])
})

it('records what was known to hold as ended before it records what came after', async () => {
  const recorder = start()
  await pause({ dataDir }, { by: ada, at: at(1), reason: null })
  await breaker(1).trip('the balance fell', 'balance')
  await recorder.look()
  taken()
  await rm(join(dataDir, 'paused'))
  await breaker().rearm({ by: ada, at: at(2) })
  await pause({ dataDir }, { by: bob, at: at(3), reason: null })
  await resume({ dataDir }, { by: bob, at: at(4) })
  await breaker(5).trip('and again', 'balance')
  await recorder.look()
  expect(taken()).toEqual([
    { event: 'pause.off', since: at(1), by: null, at: null },
    { event: 'breaker.rearmed', since: at(1), by: ada, at: at(2) },
    { event: 'pause.on', since: at(3), by: bob, reason: null },
    { event: 'pause.off', since: at(3), by: bob, at: at(4) },
    { event: 'breaker.open', since: at(5), cause: 'and again', openedBy: 'balance' },
  ])
})

it('records once that an open breaker stops more than before', async () => {
  await breaker(1).trip('the balance fell', 'balance')
  await start().look()
  taken()
  await breaker(2).trip('it ended worse', 'drift')
  await start().look()
  await start().look()
  const cause = 'the balance fell; then it ended worse'
  expect(taken()).toEqual([{ event: 'breaker.open', since: at(1), cause, openedBy: 'drift' }])
})

it('repeats all of it after a crash halfway', async () => {
  await start().look()
  taken()
  await moveBetweenTwoLooks()
  linesLeft = 4
  await expect(start().look()).rejects.toThrow('ENOSPC')
  expect(taken()).toHaveLength(4)
  linesLeft = Infinity
  await start().look()
  expect(taken()).toEqual(movedBetweenTwoLooks)
})

it('takes a pause for standing whose end was written down and not carried out', async () => {
  const recorder = start()
  await recorder.look()
  taken()
  await pause({ dataDir }, { by: ada, at: at(1), reason: null })
  const paused = await readFile(join(dataDir, 'paused'), 'utf8')
  await resume({ dataDir }, { by: ada, at: at(2) })
  await writeFile(join(dataDir, 'paused'), paused)
  await recorder.look()
  expect(taken()).toEqual([{ event: 'pause.on', since: at(1), by: ada, reason: null }])
  await resume({ dataDir }, { by: bob, at: at(3) })
  await recorder.look()
  expect(taken()).toEqual([{ event: 'pause.off', since: at(1), by: bob, at: at(3) }])
})

it('reads files that were written before they held what has ended', async () => {
  const write = (name: string, value: object) => writeFile(join(dataDir, name), JSON.stringify(value))
  const standing = { since: at(1), by: ada, reason: null }
  await write('recorded.json', { pause: standing, breakerOpenSince: at(2), policyHash: policyHash(policy) })
  await write('resumed.json', { by: bob, at: at(3), reason: null })
  const rearmed = { by: ada, at: at(4) }
  await write('breaker.json', { consecutiveFailures: 0, failedAt: [], openedAt: null, cause: null, rearmed })
  await start().look()
  expect(taken()).toEqual([
    { event: 'pause.off', since: at(1), by: bob, at: at(3) },
    { event: 'breaker.rearmed', since: at(2), by: ada, at: at(4) },
  ])
})

it('records how the policy broke, once for each way, and that it is mended, also by a restart', async () => {
  const recorder = start()
  await recorder.look()
  taken()
  for (const _ of [1, 2]) await recorder.policyBroke(['limitsUsd.daily: wrong'])
  await recorder.look()
  await recorder.policyBroke(['bogus: there is no such member'])
  expect(taken()).toEqual([
    { event: 'policy.invalid', problems: ['limitsUsd.daily: wrong'] },
    { event: 'policy.invalid', problems: ['bogus: there is no such member'] },
  ])
  const other = parsePolicy({ maxLossBps: 50 }, { production: false })
  await recorder.look(other)
  expect(taken()).toEqual([
    { event: 'policy.mended', policyHash: policyHash(other) },
    { event: 'policy.changed', from: policyHash(policy), policyHash: policyHash(other) },
  ])
  linesLeft = 0
  await expect(recorder.policyBroke(['gone'])).rejects.toThrow('ENOSPC')
  linesLeft = Infinity
  await recorder.look()
  expect(taken()).toEqual([{ event: 'policy.invalid', problems: ['gone'] }])
  await start(other).look()
  expect(taken()).toEqual([{ event: 'policy.mended', policyHash: policyHash(other) }])
})
