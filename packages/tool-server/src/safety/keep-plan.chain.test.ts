import type { Operation } from '@svc/store'
import { useDevnet } from '@svc/devnet/testing'
import { describe, expect, it } from 'vitest'
import type { Intent } from '../intent.ts'
import { approvalOf, swapIntent } from './intents.fixture.ts'
import { beforeSending } from './network.fixture.ts'
import type { Road } from './open-road.fixture.ts'
import { moveThePrice, plannedOf, quoteOf, settledOf } from './road-facts.fixture.ts'
import { useRoads } from './use-roads.fixture.ts'

const devnet = useDevnet()
const { open } = useRoads(devnet)

/** Plans an intent and claims the plan, as a request that carries it out does. */
async function claimed(road: Road, intent: Intent): Promise<Operation> {
  const { plan } = plannedOf(await road.run(intent, { dryRun: true }))
  return road.store.operations.claim(plan.planId, { requestId: 'carries-out' })
}

describe('G4: what a person is told of gas', () => {
  it('is at worst what the limits are asked for, allowances taken back included', async () => {
    const road = await open({ policy: { limitsUsd: { perTransaction: '1', perSession: '1', daily: '1' } } })
    const { plan } = plannedOf(await road.run(swapIntent(road, '300'), { dryRun: true }))
    const [, gasUsd] = /of which ([\d.]+) USD for gas at worst/.exec(plan.policy.refusals[0]?.message ?? '') ?? []
    expect(plan.gasCostAtMostUsd).toBeGreaterThan(0)
    expect(Number(gasUsd)).toBeCloseTo(plan.gasCostAtMostUsd ?? 0, 5)
  })
})

describe('an operation that is carried out', () => {
  it('passes with the planned intent, or with less', async () => {
    const road = await open()
    const carriesOut = await claimed(road, swapIntent(road, '300'))
    settledOf(await road.run(swapIntent(road, '299'), { carriesOut }))
    const signed = (await road.auditLines()).filter(({ event }) => event === 'tx.intent')
    expect(signed.map((line) => [line['operationId'], line['planHash']])).toEqual(
      signed.map(() => [carriesOut.id, carriesOut.planHash]),
    )
  })

  it('is refused before anything is reserved when the intent goes beyond the plan', async () => {
    const road = await open()
    const carriesOut = await claimed(road, swapIntent(road, '300'))
    const [usdc, router] = [road.token('USDC'), road.chain.amm.v3!.swapRouter02]
    const beyond: readonly Intent[] = [
      swapIntent(road, '301'),
      swapIntent(road, '300', { tokenIn: 'WETH', tokenOut: 'USDC', amountIn: 1n, intent: { spends: [] } }),
      swapIntent(road, '300', { intent: { approvals: [approvalOf(usdc, router, 400_000_000n)] } }),
      swapIntent(road, '300', { intent: { recipients: [] } }),
    ]
    for (const intent of beyond) {
      await expect(road.run(intent, { carriesOut })).rejects.toMatchObject({ code: 'SIMULATION_DRIFT' })
    }
    await expect(road.run(beyond[0]!, { carriesOut })).rejects.toMatchObject({
      code: 'SIMULATION_DRIFT',
      details: [
        { message: 'Above the plan: spend.', planned: '300000000', now: '301000000' },
        { message: 'Above the plan: allowance.' },
      ],
    })
    expect(await road.nonce()).toBe(0)
    expect(road.trace.filter((mark) => mark === 'ledger reserve')).toEqual([])
  })

  it('keeps the minimum of the plan up to the last signature, whatever the new intent would take', async () => {
    const road = await open()
    const least = await quoteOf(road, '300')
    const exact = swapIntent(road, '300', { intent: { receives: [{ token: road.token('WETH'), amount: least }] } })
    const carriesOut = await claimed(road, exact)
    // Before the approval leaves somebody trades: the intent alone would still be content with what is left.
    beforeSending(road, 1, () => moveThePrice(road))
    await expect(road.run(swapIntent(road, '300'), { carriesOut })).rejects.toMatchObject({ code: 'SIMULATION_DRIFT' })
    expect(await road.balance('USDC')).toBe(20_000_000_000n)
    expect(await road.allowance('USDC', road.chain.amm.v3!.swapRouter02)).toBe(0n)
    expect(await road.store.ledger.open()).toEqual([])
  })
})
