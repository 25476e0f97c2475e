import { chmod, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { useDevnet } from '@svc/devnet/testing'
import { describe, expect, it } from 'vitest'
import type { Call } from '../call.ts'
import { expectRefused } from './expect-refused.fixture.ts'
import { swapIntent } from './intents.fixture.ts'
import type { Road } from './open-road.fixture.ts'
import { parsePolicy } from './policy.ts'
import { policyHash } from './policy-hash.ts'
import { openPolicySource } from './policy-source.ts'
import { plannedOf, principalOf } from './road-facts.fixture.ts'
import { useRoads } from './use-roads.fixture.ts'

const devnet = useDevnet()
const { open } = useRoads(devnet)

const production = { production: false }
const hashOf = (text: string) => policyHash(parsePolicy(JSON.parse(text), production))
const limited = (perTransaction: string) => JSON.stringify({ limitsUsd: { perTransaction } })

/** A road under a policy file, and what writes that file. */
async function openUnderFile(text: string | null) {
  const path = join(await mkdtemp(join(tmpdir(), 'policy-file-')), 'policy.json')
  const write = async (next: string, mode = 0o600) => {
    await writeFile(`${path}.new`, next)
    await chmod(`${path}.new`, mode)
    await rename(`${path}.new`, path)
  }
  if (text !== null) await write(text)
  const policies = await openPolicySource(path, production)
  const road = await open({ engine: { policy: policies.started, policies } })
  await road.executor.recordSwitches()
  return { road, write, path }
}

const changesOf = async (road: Road) =>
  (await road.auditLines()).flatMap((line) =>
    line['event'] === 'policy.changed' ? [[line['from'], line['policyHash']]] : [],
  )

describe('a policy file that changes while the server runs', () => {
  it('holds for the next call, and both its states are on record before anything is signed', async () => {
    const { road, write } = await openUnderFile(limited('100'))
    await expectRefused(road, swapIntent(road, '100.01'), 'SPENDING_LIMIT_EXCEEDED')
    await write(limited('200'))
    await road.run(swapIntent(road, '100.01'))
    await write(limited('50'))
    await expect(road.run(swapIntent(road, '50.01'))).rejects.toMatchObject({ code: 'SPENDING_LIMIT_EXCEEDED' })
    expect((await road.executor.safetyReport(principalOf())).limitsUsd?.perTransaction).toBe('50')
    const [first, second, third] = ['100', '200', '50'].map((limit) => hashOf(limited(limit)))
    expect(await changesOf(road)).toEqual([
      [null, first],
      [first, second],
      [second, third],
    ])
    const lines = await road.auditLines()
    const intents = lines.filter(({ event }) => event === 'tx.intent')
    expect(intents.length).toBeGreaterThan(0)
    expect(intents.every((line) => line['policyHash'] === second)).toBe(true)
    expect(lines.findIndex((line) => line['policyHash'] === second)).toBeLessThan(lines.indexOf(intents[0]!))
  })

  it.each([
    ['the sweep', (road: Road) => road.executor.reconcile()],
    ['the watch over balances', (road: Road) => road.executor.watchBalances()],
    ['a look at what operators ask', (road: Road) => road.executor.carryOutRequests()],
    ['whoever asks for it', (road: Road) => road.executor.policyNow()],
  ])('holds for %s, without a write', async (_what, run) => {
    const { road, write } = await openUnderFile('{}')
    await write('{"breaker":{"maxFailuresInWindow":7}}')
    await run(road)
    expect(road.executor.policy().breaker.maxFailuresInWindow).toBe(7)
    expect(await changesOf(road)).toHaveLength(2)
  })

  it('keeps nothing from its end while it is broken', async () => {
    const { road, write } = await openUnderFile('{"breaker":{"maxFailuresInWindow":7}}')
    await write('{')
    await expect(road.executor.policyNow()).rejects.toMatchObject({ code: 'POLICY_INVALID' })
    await road.executor.reconcile()
    await road.executor.watchBalances()
    await road.executor.carryOutRequests()
    expect(road.executor.policy().breaker.maxFailuresInWindow).toBe(7)
  })

  it('is recorded once, however many calls meet the change', async () => {
    const { road, write } = await openUnderFile('{}')
    await write('{"approvalThresholdUsd":null}')
    const dry = Array.from({ length: 5 }, () => road.run(swapIntent(road, '1'), { dryRun: true }))
    await Promise.all([...dry, road.executor.safetyReport(principalOf())])
    expect(await changesOf(road)).toHaveLength(2)
  })

  it.each([
    ['is no JSON', (write: Write) => write('{"limitsUsd":')],
    ['has a wrong member', (write: Write) => write('{"limitsUsd":{"daily":-1}}')],
    ['contradicts itself', (write: Write) => write('{"limitsUsd":{"daily":"1"}}')],
    ['is of another version', (write: Write) => write('{"version":2}')],
    ['may be written by others', (write: Write) => write('{}', 0o666)],
    ['is gone', (_write: Write, path: string) => rm(path)],
  ])('stops signing when it %s, until it is mended', async (_what, spoil) => {
    const { road, write, path } = await openUnderFile(limited('100'))
    await spoil(write, path)
    await expectRefused(road, swapIntent(road, '1'), 'POLICY_INVALID')
    await expect(road.run(swapIntent(road, '1'), { dryRun: true })).rejects.toMatchObject({ code: 'POLICY_INVALID' })
    await road.executor.reconcile()
    await write(limited('99'))
    await road.run(swapIntent(road, '1'))
  })

  it('that says the same in other words is no change, and neither is one that says what held without it', async () => {
    const { road, write } = await openUnderFile(null)
    await road.run(swapIntent(road, '1'))
    await write(' {}')
    await road.run(swapIntent(road, '1'), { dryRun: true })
    await write('{"version":1}')
    await road.run(swapIntent(road, '1'))
    expect(await changesOf(road)).toEqual([[null, hashOf('{}')]])
    const intents = (await road.auditLines()).filter(({ event }) => event === 'tx.intent')
    expect(new Set(intents.map((line) => line['policyHash']))).toEqual(new Set([hashOf('{}')]))
  })

  it('is not followed when the change cannot be recorded', async () => {
    const { road, write } = await openUnderFile(limited('100'))
    await write(limited('200'))
    road.hooks.afterAudit = async (event) => {
      if (event === 'policy.changed') throw new Error('no space left')
    }
    await expect(road.run(swapIntent(road, '150'))).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
    expect(road.trace).not.toContain('journal recordSigned')
  })
})

describe('what the policy grants to single callers', () => {
  const grants = { 'api-key:7e57000000000000': { tools: ['execute_swap'], limitsUsd: { perTransaction: '20' } } }
  const other: Partial<Call> = { principal: { ...principalOf(), id: 'key:other' } }

  it('bounds the tools and the amounts of that caller alone', async () => {
    const road = await open({ policy: { principals: grants } })
    await expectRefused(road, swapIntent(road, '20.01'), 'SPENDING_LIMIT_EXCEEDED')
    await expect(road.run(swapIntent(road, '1'), { tool: 'add_liquidity' })).rejects.toMatchObject({
      code: 'PRINCIPAL_NOT_GRANTED',
      details: [{ principal: 'api-key:7e57000000000000', tools: ['execute_swap'] }],
    })
    await road.run(swapIntent(road, '20.01'), { ...other, tool: 'add_liquidity' })
    expect((await road.executor.safetyReport(principalOf())).limitsUsd?.perTransaction).toBe('20')
  })

  it('bounds the day of that caller beside the day of all', async () => {
    const road = await open({ policy: { principals: { 'api-key:7e57000000000000': { limitsUsd: { daily: '30' } } } } })
    await road.run(swapIntent(road, '20'))
    await expect(road.run(swapIntent(road, '20'))).rejects.toMatchObject({ code: 'SPENDING_LIMIT_EXCEEDED' })
    await road.run(swapIntent(road, '20'), other)
    await road.run(swapIntent(road, '5'))
  })

  it('asks a person sooner', async () => {
    const policy = {
      approvalThresholdUsd: '100',
      principals: { 'api-key:7e57000000000000': { approvalThresholdUsd: '10' } },
    }
    const road = await open({ policy })
    const codesOf = async (call: Partial<Call>) =>
      plannedOf(await road.run(swapIntent(road, '11'), { ...call, dryRun: true })).plan.policy.conditions.map(
        ({ code }) => code,
      )
    expect(await codesOf({})).toEqual(['APPROVAL_REQUIRED'])
    expect(await codesOf(other)).toEqual([])
  })
})

type Write = (text: string, mode?: number) => Promise<void>
