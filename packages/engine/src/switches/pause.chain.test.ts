import { useDevnet } from '@svc/devnet/testing'
import { parseUnits } from 'viem'
import { describe, expect, it } from 'vitest'
import { swapIntent } from '../fixtures/intents.fixture.ts'
import { pause, resume } from './kill-switch.ts'
import { mineAgain, mineNothing } from '../fixtures/mining.fixture.ts'
import { beforeSending } from '../fixtures/network.fixture.ts'
import type { Pipeline } from '../fixtures/open-pipeline.fixture.ts'
import { testClient } from '../fixtures/pipeline-facts.fixture.ts'
import { usePipelines } from '../fixtures/use-pipelines.fixture.ts'

const devnet = useDevnet()
const { open } = usePipelines(devnet)

const stop = (pipeline: Pipeline) =>
  pause(pipeline, { by: 'operator:ada', at: new Date().toISOString(), reason: 'a drill' })
const goOn = (pipeline: Pipeline) => resume(pipeline, { by: 'operator:ada', at: new Date().toISOString() })
const openEntries = (pipeline: Pipeline) => pipeline.store.journal.open(pipeline.chain.id, pipeline.wallet)

describe('G12: a pause', () => {
  it('lets what is signed reach the chain, and signs nothing after it', async () => {
    const pipeline = await open()
    const router = pipeline.chain.amm.v3!.swapRouter02
    // The bytes of the first transaction are in the journal, and about to leave.
    beforeSending(pipeline, 1, async () => {
      expect(await openEntries(pipeline)).toMatchObject([{ nonce: 0, state: 'signed' }])
      await stop(pipeline)
    })
    await expect(pipeline.run(swapIntent(pipeline, '300'))).rejects.toMatchObject({ code: 'SERVER_PAUSED' })
    expect(await pipeline.nonce()).toBe(1)
    expect(await pipeline.allowance('USDC', router)).toBe(parseUnits('300', 6))
    expect(await openEntries(pipeline)).toEqual([])
    await expect(pipeline.run(swapIntent(pipeline, '1'))).rejects.toMatchObject({ code: 'SERVER_PAUSED' })
    await goOn(pipeline)
    await pipeline.executor.reconcile()
    expect(await pipeline.allowance('USDC', router)).toBe(0n)
  })

  it('sends again what the endpoint lost, and follows it to its end', async () => {
    const pipeline = await open()
    beforeSending(pipeline, 2, async () => {
      await mineNothing(pipeline)
      await stop(pipeline)
    })
    await expect(pipeline.run(swapIntent(pipeline, '300'))).rejects.toMatchObject({ code: 'TRANSACTION_PENDING' })
    const [out] = await openEntries(pipeline)
    await testClient(pipeline).dropTransaction({ hash: out!.hash })
    pipeline.network.requests.length = 0
    await pipeline.executor.reconcile()
    expect(pipeline.network.requests.filter((body) => body.includes(out!.rawTransaction))).toHaveLength(1)
    await mineAgain(pipeline)
    await pipeline.executor.reconcile()
    expect(await openEntries(pipeline)).toEqual([])
    expect(await pipeline.balance('USDC')).toBe(parseUnits('19700', 6))
    expect(await pipeline.store.ledger.open()).toEqual([])
  })

  it('stands in the audit log and in the report with its author and reason', async () => {
    const pipeline = await open()
    await stop(pipeline)
    await pipeline.executor.recordSwitches()
    const line = (await pipeline.auditLines()).find(({ event }) => event === 'pause.on')
    expect(line).toMatchObject({ by: 'operator:ada', reason: 'a drill', since: expect.any(String) })
    const principal = {
      id: 'api-key:7e57000000000000',
      stage: 'api-key',
      tier: 'read',
      scopes: new Set<never>(),
      expiresAt: null,
    } as const
    expect(await pipeline.executor.safetyReport(principal)).toMatchObject({
      paused: true,
      pause: { since: line!['since'], reason: 'a drill' },
      breaker: { open: false, since: null, cause: null },
    })
  })
})
