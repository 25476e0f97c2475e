import { useDevnet } from '@svc/devnet/testing'
import { describe, expect, it } from 'vitest'
import { type Intent, type Plan, ToolError } from '@svc/amm'
import { swapIntent } from '../fixtures/intents.fixture.ts'
import { callOf, type Pipeline } from '../fixtures/open-pipeline.fixture.ts'
import { principalOf } from '../fixtures/pipeline-facts.fixture.ts'
import { storeEngines } from '../fixtures/store-engines.fixture.ts'
import { usePipelines } from '../fixtures/use-pipelines.fixture.ts'

const devnet = useDevnet()
const stranger = { principal: { ...callOf().principal, id: 'key:stranger' } }

describe.each(storeEngines)('what waits, on $engine', ({ usePlaces }) => {
  const { open } = usePipelines(devnet, usePlaces())

  it('is bounded for each caller: beyond it nothing is stored, reserved or on record as asked for', async () => {
    const pipeline = await open({
      policy: { approvalThresholdUsd: '1', approvals: { maxWaiting: 2 }, proxyDelay: true },
    })
    const amounts = ['2', '3', '4', '5', '6']
    const outcomes = await Promise.allSettled(amounts.map((amount) => pipeline.run(swapIntent(pipeline, amount))))
    const codes = outcomes.map((outcome) => (outcome.status === 'rejected' ? codeOf(outcome.reason) : 'fulfilled'))
    expect(codes.toSorted()).toEqual([...Array(2).fill('APPROVAL_REQUIRED'), ...Array(3).fill('OPERATION_LIMIT')])
    const delayed = swapIntent(pipeline, '1', { intent: { riskTier: 'standard' } })
    await expect(pipeline.run(delayed)).rejects.toMatchObject({
      code: 'OPERATION_LIMIT',
      details: [{ field: 'approvals.maxWaiting', maxWaiting: 2 }],
    })
    const [waits, ...others] = await waitingOf(pipeline)
    expect(others).toHaveLength(1)
    expect(await pipeline.store.ledger.open()).toEqual([])
    expect(await eventsOf(pipeline, /^tx\.(approval\.requested|scheduled)$/)).toHaveLength(2)
    const refused = (await pipeline.auditLines()).filter(({ code }) => code === 'OPERATION_LIMIT')
    const denied = { event: 'tx.refused', decision: { verdict: 'deny', rule: 'OPERATION_LIMIT' } }
    expect(refused).toMatchObject(Array.from({ length: 4 }, () => denied))

    await expect(pipeline.run(swapIntent(pipeline, '7'), stranger)).rejects.toMatchObject({ code: 'APPROVAL_REQUIRED' })
    await pipeline.store.operations.cancel(waits!.id, 'agent')
    expect(await pipeline.run(delayed)).toMatchObject({ status: 'scheduled' })
    expect(await pipeline.store.ledger.open()).toEqual([])
    expect(await pipeline.executor.safetyReport(principalOf())).toMatchObject({
      pendingApprovals: 1,
      scheduledOperations: 1,
    })
  })

  it('says what comes next: the agent carries out what a person approved, what has a delay runs by itself', async () => {
    const delays = { proxyDelay: true, delaySeconds: { standard: 3_600 } }
    const pipeline = await open({ policy: { approvalThresholdUsd: '1', ...delays } })
    const verdictOf = (plan: string) => (JSON.parse(plan) as Plan).policy.verdict
    const waits = await pipeline.run(swapIntent(pipeline, '2')).catch((error: unknown) => error)
    expect(waits).toMatchObject({ suggestion: expect.stringContaining('call execute_plan with it as planId') })
    const both = await pipeline
      .run(swapIntent(pipeline, '3', { intent: { riskTier: 'standard' } }))
      .catch((error: unknown) => error)
    expect(both).toMatchObject({
      code: 'APPROVAL_REQUIRED',
      suggestion: expect.stringMatching(/it runs by itself, not before \d{4}-.*; do not call execute_plan/),
    })
    expect((await waitingOf(pipeline)).map(({ plan }) => verdictOf(plan).split('.')[0])).toEqual([
      'Once a person has approved, execute_plan carries it out',
      'Once a person has approved and its time has come, it runs by itself',
    ])
    const delayed = await pipeline.run(swapIntent(pipeline, '0.5', { intent: { riskTier: 'standard' } }))
    expect(delayed).toMatchObject({
      status: 'scheduled',
      plan: { policy: { verdict: expect.stringMatching(/^It runs by itself when its time has come\./) } },
    })
  })

  it('is asked for once: the same call again names the operation that waits, which expires when it would have', async () => {
    const pipeline = await open({
      policy: { approvalThresholdUsd: '1', approvals: { expirySeconds: 60, maxWaiting: 1 } },
    })
    const intent = swapIntent(pipeline, '2')
    const first = await waitingFor(pipeline, intent)
    pipeline.clock.offsetMs += 30_000
    expect(await waitingFor(pipeline, intent)).toEqual({ ...first, message: expect.stringContaining('waits already') })
    const replanned = { ...intent, slippageBps: 7 }
    expect(await waitingFor(pipeline, replanned)).toMatchObject({
      operationId: first['operationId'],
      planHash: first['planHash'],
    })
    expect(await waitingOf(pipeline)).toMatchObject([{ id: first['operationId'] }])
    expect(await eventsOf(pipeline, /^tx\.approval\.requested$/)).toHaveLength(1)
    expect(await eventsOf(pipeline, /^tx\.(failed|refused)$/)).toEqual([])
    expect((await waitingFor(pipeline, intent, stranger))['operationId']).not.toBe(first['operationId'])
    pipeline.clock.offsetMs += 31_000
    const next = await waitingFor(pipeline, intent)
    expect(next['operationId']).not.toBe(first['operationId'])
    expect(next['message']).toBe('Stored until a person decides.')
  })

  it('is on record, or not stored', async () => {
    const pipeline = await open({ policy: { approvalThresholdUsd: '1', proxyDelay: true } })
    pipeline.hooks.afterAudit = (event) =>
      /^tx\.(approval\.requested|scheduled)$/.test(event) ? Promise.reject(new Error('disk full')) : Promise.resolve()
    for (const intent of [swapIntent(pipeline, '2'), swapIntent(pipeline, '1', { intent: { riskTier: 'standard' } })]) {
      await expect(pipeline.run(intent)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
    }
    expect([await waitingOf(pipeline), await pipeline.store.ledger.open()]).toEqual([[], []])
  })
})

function codeOf(error: unknown): string {
  return error instanceof ToolError ? error.code : String(error)
}

/** What the refusal says of the operation that waits. */
async function waitingFor(pipeline: Pipeline, intent: Intent, call = {}): Promise<Readonly<Record<string, unknown>>> {
  const error = await pipeline.run(intent, call).catch((thrown: unknown) => thrown)
  if (!(error instanceof ToolError) || error.code !== 'APPROVAL_REQUIRED') throw error
  return error.details[0]!
}

function waitingOf(pipeline: Pipeline) {
  return pipeline.store.operations.inTurns({
    states: ['awaiting_approval', 'scheduled'],
    order: 'oldest',
    perPrincipal: 100,
    limit: 100,
  })
}

async function eventsOf(pipeline: Pipeline, pattern: RegExp) {
  return (await pipeline.auditLines()).filter(({ event }) => typeof event === 'string' && pattern.test(event))
}
