import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { useDevnet } from '@svc/devnet/testing'
import { parseUnits } from 'viem'
import { describe, expect, it } from 'vitest'
import { swapIntent } from './fixtures/intents.fixture.ts'
import type { Pipeline } from './fixtures/open-pipeline.fixture.ts'
import { deltasOf, plannedOf, settledOf, used } from './fixtures/pipeline-facts.fixture.ts'
import { usePipelines } from './fixtures/use-pipelines.fixture.ts'

const devnet = useDevnet()
const { open } = usePipelines(devnet)

describe('a dry run', () => {
  it('answers with the plan and leaves chain, ledger and journal as they were', async () => {
    const pipeline = await open()
    const before = await pipeline.balance('USDC')
    const deferred = await pipeline.run(swapIntent(pipeline, '300'), { dryRun: true })
    const { plan } = plannedOf(deferred)
    expect(plan).toMatchObject({
      atomicity: 'single',
      spendUsd: '300',
      steps: [
        { label: 'approve the exact amount', to: pipeline.token('USDC'), valueWei: '0', selector: '0x095ea7b3' },
        { label: 'swap', to: pipeline.chain.amm.v3!.swapRouter02, valueWei: '0', selector: '0x5ae401dc' },
      ],
      policy: { allowed: true, refusals: [] },
    })
    expect(plan.deltas).toContainEqual({
      token: pipeline.token('USDC'),
      symbol: 'USDC',
      amount: '-300',
      usd: -300,
      raw: '-300000000',
      decimals: 6,
      isListed: true,
    })
    expect(Number(plan.gasEstimate)).toBeGreaterThan(100_000)
    expect([await pipeline.balance('USDC'), await pipeline.nonce(), await usedUsd(pipeline)]).toEqual([before, 0, 0])
    expect(pipeline.trace.filter((mark) => /reserve|recordSigned|audit|sendRaw/.test(mark))).toEqual([])
    const settled = settledOf(await pipeline.run(swapIntent(pipeline, '300')))
    const planned = plan.deltas.find(({ symbol }) => symbol === 'WETH')!
    expect(parseUnits(planned.amount, 18)).toBe(deltasOf(pipeline, settled)['WETH'])
  })

  it('a thousand times leaves the ledger unchanged', async () => {
    const pipeline = await open()
    await pipeline.run(swapIntent(pipeline, '100'))
    const before = await pipeline.store.ledger.usage('api-key:7e57000000000000', { sessionIdleMs: 86_400_000 })
    for (let round = 0; round < 20; round += 1) {
      await Promise.all(Array.from({ length: 50 }, () => pipeline.run(swapIntent(pipeline, '900'), { dryRun: true })))
    }
    expect(await pipeline.store.ledger.usage('api-key:7e57000000000000', { sessionIdleMs: 86_400_000 })).toEqual(before)
    expect(await pipeline.store.ledger.open()).toEqual([])
  }, 120_000)

  it('reports every refusal of the policy in the plan', async () => {
    const pipeline = await open({
      policy: {
        limitsUsd: { perTransaction: '200', perSession: '200', daily: '200' },
        approvalThresholdUsd: '250',
        proxyDelay: true,
      },
    })
    await writeFile(join(pipeline.dataDir, 'paused'), '')
    const intent = swapIntent(pipeline, '300', { intent: { slippageBps: 501, riskTier: 'standard' } })
    const { plan } = plannedOf(await pipeline.run(intent, { dryRun: true }))
    expect(plan.policy.allowed).toBe(false)
    expect(plan.policy.checks.spendingLimitPassed).toBe(false)
    expect(plan.policy.refusals.map(({ code }) => code)).toEqual([
      'SERVER_PAUSED',
      'SLIPPAGE_TOO_HIGH',
      // Of a transaction, a session and a day.
      ...Array.from({ length: 3 }, () => 'SPENDING_LIMIT_EXCEEDED'),
    ])
    expect(plan.policy.conditions.map(({ code }) => code)).toEqual(['APPROVAL_REQUIRED', 'DELAY_REQUIRED'])
    expect(plan.policy.verdict).toBe(
      'execute_plan would refuse this plan as things stand. The operator has paused signing.',
    )
  })

  it('fails as the call would where no plan can be formed', async () => {
    const pipeline = await open()
    const intent = swapIntent(pipeline, '300', { minimumOut: parseUnits('1', 18) })
    await expect(pipeline.run(intent, { dryRun: true })).rejects.toMatchObject({
      code: 'SIMULATION_DRIFT',
      message: 'The pool moved past the slippage of "swap" since it was planned.',
      details: [{ message: 'reverted with the text "Too little received"', step: 'swap' }],
    })
  })
})

async function usedUsd(pipeline: Pipeline): Promise<number> {
  return Number(await used(pipeline)) / 1e6
}
