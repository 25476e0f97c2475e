import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import type { AuditEvent } from './audit.ts'
import { createCircuitBreaker } from './circuit-breaker.ts'
import { pause, resume } from './kill-switch.ts'
import { parsePolicy } from './policy.ts'
import { policyHash } from './policy-hash.ts'
import { createSwitchRecorder } from './switch-recorder.ts'

let dataDir: string
let written: AuditEvent[]
let diskIsFull: boolean
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'switches-'))
  written = []
  diskIsFull = false
})

const policy = parsePolicy({}, { production: false })
const limits = { maxConsecutiveFailures: 1, maxFailuresInWindow: 5, windowMinutes: 60 }
const breaker = () => createCircuitBreaker({ dataDir, limits: () => limits, now: () => Date.UTC(2026, 0, 1) })
const start = (inForce = policy) =>
  createSwitchRecorder({
    dataDir,
    policy: inForce,
    breaker: breaker(),
    audit: {
      append: async (event) => {
        if (diskIsFull) throw new Error('ENOSPC')
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
  await pause(dataDir, { by: 'operator:ada', at: at(1), reason: 'odd' })
  await Promise.all([recorder.look(), recorder.look()])
  expect(taken()).toEqual([{ event: 'pause.on', since: at(1), by: 'operator:ada', reason: 'odd' }])
  await resume(dataDir, { by: 'operator:bob', at: at(2) })
  await recorder.look()
  expect(taken()).toEqual([{ event: 'pause.off', since: at(1), by: 'operator:bob', at: at(2) }])
  await breaker().recordFailure('0xaa')
  await recorder.look()
  expect(taken()).toEqual([{ event: 'breaker.open', since: at(0), cause: expect.stringContaining('0xaa') }])
  await breaker().rearm({ by: 'operator:bob', at: at(3) })
  await recorder.look()
  expect(taken()).toEqual([{ event: 'breaker.rearmed', since: at(0), by: 'operator:bob', at: at(3) }])
  await recorder.look()
  expect(taken()).toEqual([])
})

it('records after a start what happened while no server ran', async () => {
  await start().look()
  taken()
  await pause(dataDir, { by: 'operator:ada', at: at(1), reason: null })
  await start(parsePolicy({ limitsUsd: { daily: '1500' } }, { production: false })).look()
  expect(taken().map(({ event }) => event)).toEqual(['pause.on', 'policy.changed'])
})

it('names nobody where a file was removed by hand, and tells two pauses apart', async () => {
  const recorder = start()
  await pause(dataDir, { by: 'operator:ada', at: at(1), reason: null })
  await recorder.look()
  taken()
  await rm(join(dataDir, 'paused'))
  await pause(dataDir, { by: 'operator:bob', at: at(2), reason: null })
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
  await pause(dataDir, { by: 'operator:ada', at: at(1), reason: null })
  diskIsFull = true
  await expect(recorder.look()).rejects.toThrow('ENOSPC')
  diskIsFull = false
  await recorder.look()
  expect(taken().map(({ event }) => event)).toEqual(['pause.on'])
  await writeFile(join(dataDir, 'recorded.json'), '{"pause":')
  await start().look()
  expect(taken().map(({ event }) => event)).toEqual(['pause.on', 'policy.changed'])
})
