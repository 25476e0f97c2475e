import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { useDevnet } from '@svc/devnet/testing'
import { parseUnits } from 'viem'
import { describe, expect, it } from 'vitest'
import { swapIntent } from './safety/intents.fixture.ts'
import type { Road } from './safety/open-road.fixture.ts'
import { deltasOf, plannedOf, settledOf, used } from './safety/road-facts.fixture.ts'
import { useRoads } from './safety/use-roads.fixture.ts'

const devnet = useDevnet()
const { open } = useRoads(devnet)

describe('a dry run', () => {
  it('answers with the plan and leaves chain, ledger and journal as they were', async () => {
    const road = await open()
    const before = await road.balance('USDC')
    const deferred = await road.run(swapIntent(road, '300'), { dryRun: true })
    const { plan } = plannedOf(deferred)
    expect(plan).toMatchObject({
      atomicity: 'single',
      spendUsd: '300',
      steps: [
        { label: 'approve the exact amount', to: road.token('USDC'), valueWei: '0', selector: '0x095ea7b3' },
        { label: 'swap', to: road.chain.amm.v3!.swapRouter02, valueWei: '0', selector: '0x5ae401dc' },
      ],
      policy: { allowed: true, refusals: [] },
    })
    expect(plan.deltas).toContainEqual({
      token: road.token('USDC'),
      symbol: 'USDC',
      amount: '-300',
      usd: -300,
      raw: '-300000000',
      decimals: 6,
      isListed: true,
    })
    expect(Number(plan.gasEstimate)).toBeGreaterThan(100_000)
    expect([await road.balance('USDC'), await road.nonce(), await usedUsd(road)]).toEqual([before, 0, 0])
    expect(road.trace.filter((mark) => /reserve|recordSigned|audit|sendRaw/.test(mark))).toEqual([])
    const settled = settledOf(await road.run(swapIntent(road, '300')))
    const planned = plan.deltas.find(({ symbol }) => symbol === 'WETH')!
    expect(parseUnits(planned.amount, 18)).toBe(deltasOf(road, settled)['WETH'])
  })

  it('a thousand times leaves the ledger unchanged', async () => {
    const road = await open()
    await road.run(swapIntent(road, '100'))
    const before = await road.store.ledger.usage('api-key:7e57000000000000', { sessionIdleMs: 86_400_000 })
    for (let round = 0; round < 20; round += 1) {
      await Promise.all(Array.from({ length: 50 }, () => road.run(swapIntent(road, '900'), { dryRun: true })))
    }
    expect(await road.store.ledger.usage('api-key:7e57000000000000', { sessionIdleMs: 86_400_000 })).toEqual(before)
    expect(await road.store.ledger.open()).toEqual([])
  }, 120_000)

  it('reports every refusal of the policy in the plan', async () => {
    const road = await open({
      policy: {
        limitsUsd: { perTransaction: '200', perSession: '200', daily: '200' },
        approvalThresholdUsd: '250',
        proxyDelay: true,
      },
    })
    await writeFile(join(road.dataDir, 'paused'), '')
    const intent = swapIntent(road, '300', { intent: { slippageBps: 501, riskTier: 'standard' } })
    const { plan } = plannedOf(await road.run(intent, { dryRun: true }))
    expect(plan.policy.allowed).toBe(false)
    expect(plan.policy.checks.spendingLimitPassed).toBe(false)
    expect(plan.policy.refusals.map(({ code }) => code)).toEqual([
      'SERVER_PAUSED',
      'SLIPPAGE_TOO_HIGH',
      'SPENDING_LIMIT_EXCEEDED',
    ])
    expect(plan.policy.conditions.map(({ code }) => code)).toEqual(['APPROVAL_REQUIRED', 'DELAY_REQUIRED'])
    expect(plan.policy.verdict).toBe(
      'execute_plan would refuse this plan as things stand. The operator has paused signing.',
    )
  })

  it('fails as the call would where no plan can be formed', async () => {
    const road = await open()
    const intent = swapIntent(road, '300', { minimumOut: parseUnits('1', 18) })
    await expect(road.run(intent, { dryRun: true })).rejects.toMatchObject({
      code: 'SIMULATION_DRIFT',
      message: 'The pool moved past the slippage of "swap" since it was planned.',
      details: [{ message: 'reverted with the text "Too little received"', step: 'swap' }],
    })
  })
})

async function usedUsd(road: Road): Promise<number> {
  return Number(await used(road)) / 1e6
}
