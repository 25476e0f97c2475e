import { chmod, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { useDevnet } from '@svc/devnet/testing'
import { describe, expect, it } from 'vitest'
import type { Call } from '../call/call.ts'
import { expectRefused } from '../fixtures/expect-refused.fixture.ts'
import { swapIntent } from '../fixtures/intents.fixture.ts'
import type { Pipeline } from '../fixtures/open-pipeline.fixture.ts'
import { parsePolicy, policyHash } from './policy.ts'
import { openPolicySource } from './policy-source.ts'
import { plannedOf, principalOf } from '../fixtures/pipeline-facts.fixture.ts'
import { usePipelines } from '../fixtures/use-pipelines.fixture.ts'

const devnet = useDevnet()
const { open } = usePipelines(devnet)

const production = { production: false }
const hashOf = (text: string) => policyHash(parsePolicy(JSON.parse(text), production))
const limited = (perTransaction: string) => JSON.stringify({ limitsUsd: { perTransaction } })

/** A pipeline under a policy file, and what writes that file. */
async function openUnderFile(text: string | null) {
  const path = join(await mkdtemp(join(tmpdir(), 'policy-file-')), 'policy.json')
  const write = async (next: string, mode = 0o600) => {
    await writeFile(`${path}.new`, next)
    await chmod(`${path}.new`, mode)
    await rename(`${path}.new`, path)
  }
  if (text !== null) await write(text)
  const policies = await openPolicySource(path, production)
  const pipeline = await open({ engine: { policy: policies.started, policies } })
  await pipeline.executor.recordSwitches()
  return { pipeline, write, path }
}

const changesOf = async (pipeline: Pipeline) =>
  (await pipeline.auditLines()).flatMap((line) =>
    line['event'] === 'policy.changed' ? [[line['from'], line['policyHash']]] : [],
  )

describe('a policy file that changes while the server runs', () => {
  it('holds for the next call, and both its states are on record before anything is signed', async () => {
    const { pipeline, write } = await openUnderFile(limited('100'))
    await expectRefused(pipeline, swapIntent(pipeline, '100.01'), 'SPENDING_LIMIT_EXCEEDED')
    await write(limited('200'))
    await pipeline.run(swapIntent(pipeline, '100.01'))
    await write(limited('50'))
    await expect(pipeline.run(swapIntent(pipeline, '50.01'))).rejects.toMatchObject({ code: 'SPENDING_LIMIT_EXCEEDED' })
    expect((await pipeline.executor.safetyReport(principalOf())).limitsUsd?.perTransaction).toBe('50')
    const [first, second, third] = ['100', '200', '50'].map((limit) => hashOf(limited(limit)))
    expect(await changesOf(pipeline)).toEqual([
      [null, first],
      [first, second],
      [second, third],
    ])
    const lines = await pipeline.auditLines()
    const intents = lines.filter(({ event }) => event === 'tx.intent')
    expect(intents.length).toBeGreaterThan(0)
    expect(intents.every((line) => line['policyHash'] === second)).toBe(true)
    expect(lines.findIndex((line) => line['policyHash'] === second)).toBeLessThan(lines.indexOf(intents[0]!))
  })

  it.each([
    ['the sweep', (pipeline: Pipeline) => pipeline.executor.reconcile()],
    ['the watch over balances', (pipeline: Pipeline) => pipeline.executor.watchBalances()],
    ['a look at what operators ask', (pipeline: Pipeline) => pipeline.executor.carryOutRequests()],
    ['whoever asks for it', (pipeline: Pipeline) => pipeline.executor.policyNow()],
  ])('holds for %s, without a write', async (_what, run) => {
    const { pipeline, write } = await openUnderFile('{}')
    await write('{"breaker":{"maxFailuresInWindow":7}}')
    await run(pipeline)
    expect(pipeline.executor.policy().breaker.maxFailuresInWindow).toBe(7)
    expect(await changesOf(pipeline)).toHaveLength(2)
  })

  it('keeps nothing from its end while it is broken', async () => {
    const { pipeline, write } = await openUnderFile('{"breaker":{"maxFailuresInWindow":7}}')
    await write('{')
    await expect(pipeline.executor.policyNow()).rejects.toMatchObject({ code: 'POLICY_INVALID' })
    await pipeline.executor.reconcile()
    await pipeline.executor.watchBalances()
    await pipeline.executor.carryOutRequests()
    expect(pipeline.executor.policy().breaker.maxFailuresInWindow).toBe(7)
  })

  it('is recorded once, however many calls meet the change', async () => {
    const { pipeline, write } = await openUnderFile('{}')
    await write('{"approvalThresholdUsd":null}')
    const dry = Array.from({ length: 5 }, () => pipeline.run(swapIntent(pipeline, '1'), { dryRun: true }))
    await Promise.all([...dry, pipeline.executor.safetyReport(principalOf())])
    expect(await changesOf(pipeline)).toHaveLength(2)
  })

  it.each([
    ['is no JSON', (write: Write) => write('{"limitsUsd":')],
    ['has a wrong member', (write: Write) => write('{"limitsUsd":{"daily":-1}}')],
    ['contradicts itself', (write: Write) => write('{"limitsUsd":{"daily":"1"}}')],
    ['is of another version', (write: Write) => write('{"version":2}')],
    ['may be written by others', (write: Write) => write('{}', 0o666)],
    ['is gone', (_write: Write, path: string) => rm(path)],
  ])('stops signing when it %s, until it is mended', async (_what, spoil) => {
    const { pipeline, write, path } = await openUnderFile(limited('100'))
    await spoil(write, path)
    await expectRefused(pipeline, swapIntent(pipeline, '1'), 'POLICY_INVALID')
    await expect(pipeline.run(swapIntent(pipeline, '1'), { dryRun: true })).rejects.toMatchObject({
      code: 'POLICY_INVALID',
    })
    const reported = async () => pipeline.executor.safetyReport(principalOf())
    const limitsUsd = expect.objectContaining({ perTransaction: '100' })
    expect(await reported()).toMatchObject({ policyFault: expect.stringMatching(/^The policy file /), limitsUsd })
    await pipeline.executor.reconcile()
    await write(limited('99'))
    await pipeline.run(swapIntent(pipeline, '1'))
    expect(await reported()).toMatchObject({ policyFault: null, limitsUsd: { perTransaction: '99' } })
    const lines = (await pipeline.auditLines()).filter(({ event }) => String(event).startsWith('policy.'))
    expect(lines.slice(1)).toMatchObject([
      { event: 'policy.invalid', problems: expect.arrayContaining([expect.any(String)]) },
      { event: 'policy.mended', policyHash: hashOf(limited('99')) },
      { event: 'policy.changed', policyHash: hashOf(limited('99')) },
    ])
  })

  it('that says the same in other words is no change, and neither is one that says what held without it', async () => {
    const { pipeline, write } = await openUnderFile(null)
    await pipeline.run(swapIntent(pipeline, '1'))
    await write(' {}')
    await pipeline.run(swapIntent(pipeline, '1'), { dryRun: true })
    await write('{"version":1}')
    await pipeline.run(swapIntent(pipeline, '1'))
    expect(await changesOf(pipeline)).toEqual([[null, hashOf('{}')]])
    const intents = (await pipeline.auditLines()).filter(({ event }) => event === 'tx.intent')
    expect(new Set(intents.map((line) => line['policyHash']))).toEqual(new Set([hashOf('{}')]))
  })

  it('is not followed when the change cannot be recorded', async () => {
    const { pipeline, write } = await openUnderFile(limited('100'))
    await write(limited('200'))
    pipeline.hooks.afterAudit = async (event) => {
      if (event === 'policy.changed') throw new Error('no space left')
    }
    await expect(pipeline.run(swapIntent(pipeline, '150'))).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
    expect(pipeline.trace).not.toContain('journal recordSigned')
  })
})

describe('what the policy grants to single callers', () => {
  const grants = { 'api-key:7e57000000000000': { tools: ['execute_swap'], limitsUsd: { perTransaction: '20' } } }
  const other: Partial<Call> = { principal: { ...principalOf(), id: 'key:other' } }

  it('bounds the tools and the amounts of that caller alone', async () => {
    const pipeline = await open({ policy: { principals: grants } })
    await expectRefused(pipeline, swapIntent(pipeline, '20.01'), 'SPENDING_LIMIT_EXCEEDED')
    await expect(pipeline.run(swapIntent(pipeline, '1'), { tool: 'add_liquidity' })).rejects.toMatchObject({
      code: 'PRINCIPAL_NOT_GRANTED',
      details: [{ principal: 'api-key:7e57000000000000', tools: ['execute_swap'] }],
    })
    await pipeline.run(swapIntent(pipeline, '20.01'), { ...other, tool: 'add_liquidity' })
    expect((await pipeline.executor.safetyReport(principalOf())).limitsUsd?.perTransaction).toBe('20')
  })

  it('bounds the day of that caller beside the day of all', async () => {
    const pipeline = await open({
      policy: { principals: { 'api-key:7e57000000000000': { limitsUsd: { daily: '30' } } } },
    })
    await pipeline.run(swapIntent(pipeline, '20'))
    await expect(pipeline.run(swapIntent(pipeline, '20'))).rejects.toMatchObject({ code: 'SPENDING_LIMIT_EXCEEDED' })
    await pipeline.run(swapIntent(pipeline, '20'), other)
    await pipeline.run(swapIntent(pipeline, '5'))
  })

  it('asks a person sooner', async () => {
    const policy = {
      approvalThresholdUsd: '100',
      principals: { 'api-key:7e57000000000000': { approvalThresholdUsd: '10' } },
    }
    const pipeline = await open({ policy })
    const codesOf = async (call: Partial<Call>) =>
      plannedOf(await pipeline.run(swapIntent(pipeline, '11'), { ...call, dryRun: true })).plan.policy.conditions.map(
        ({ code }) => code,
      )
    expect(await codesOf({})).toEqual(['APPROVAL_REQUIRED'])
    expect(await codesOf(other)).toEqual([])
  })
})

type Write = (text: string, mode?: number) => Promise<void>
