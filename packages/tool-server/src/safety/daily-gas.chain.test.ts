import { useDevnet } from '@svc/devnet/testing'
import { parseUnits } from 'viem'
import { describe, expect, it, vi } from 'vitest'
import { devnetPolicy } from './devnet-policy.ts'
import { approveIntent, mintIntent, removeIntent, swapIntent } from './intents.fixture.ts'
import type { Road } from './open-road.fixture.ts'
import { expectGasCounted, plannedOf, principalOf, usedGas } from './road-facts.fixture.ts'
import { useRoads } from './use-roads.fixture.ts'

const { open } = useRoads(useDevnet())
const policy = { ...devnetPolicy(), maxDailyGasUsd: '90' }
const dailyGas = parseUnits('90', 6)
const sessionIdleMs = 60_000
const wide = { perTransaction: 10n ** 15n, perSession: 10n ** 15n, daily: 10n ** 15n }

/** Somebody else's calls have reserved so much. */
async function reserveElsewhere(
  road: Road,
  sums: { readonly amountUsd?: string; readonly gas?: bigint; readonly isExit?: boolean },
) {
  const { amountUsd = '0', gas = 0n, isExit = false } = sums
  const id = `elsewhere ${amountUsd} ${gas} ${isExit}`
  const asked = {
    principal: 'key:other',
    chainId: 1,
    amountUsdMicros: parseUnits(amountUsd, 6),
    gasUsdMicros: gas,
    isExit,
  }
  const verdict = await road.store.ledger.reserve({ ...asked, id, requestId: id, limits: wide, sessionIdleMs })
  expect(verdict).toMatchObject({ granted: true })
}

async function exitGas(road: Road): Promise<bigint> {
  return (await road.store.ledger.usage('nobody', { sessionIdleMs })).dailyExitGasUsdMicros
}

async function unrepaidGas(road: Road): Promise<bigint> {
  const used = await road.store.ledger.usage('nobody', { sessionIdleMs })
  return used.dailyPlainExitGasUsdMicros + used.dailyDueExitGasUsdMicros
}

describe('G13: the gas of a day', () => {
  it('refuses a call whose gas at worst no longer fits, and a dry run says so; nothing is signed or reserved', async () => {
    const road = await open({ policy })
    await reserveElsewhere(road, { gas: dailyGas - 1n })
    const refusal = {
      code: 'SPENDING_LIMIT_EXCEEDED',
      message: expect.stringMatching(
        /^All calls but .* may burn 90 USD of gas .*: 89\.999999 USD are used, 0\.000001 USD are left/,
      ),
      details: [{ limit: 'maxDailyGasUsd', capUsd: '90', leftUsd: '0.000001', freesAt: null }],
    }
    const { plan } = plannedOf(await road.run(swapIntent(road, '100'), { dryRun: true }))
    expect(plan.policy.refusals).toMatchObject([{ code: 'SPENDING_LIMIT_EXCEEDED' }])
    await expect(road.run(swapIntent(road, '100'))).rejects.toMatchObject(refusal)
    expect(await road.nonce()).toBe(0)
    expect(await road.store.ledger.open()).toHaveLength(1)
  })

  it('counts what receipts say once a call is settled, so that far more calls fit than at their worst', async () => {
    const road = await open({ policy })
    const { plan } = plannedOf(await road.run(swapIntent(road, '100'), { dryRun: true }))
    await road.run(swapIntent(road, '100'))
    await expectGasCounted(road)
    expect(Number(await usedGas(road))).toBeLessThan((plan.gasCostAtMostUsd ?? 0) * 1e6 * 0.6)
    expect(await road.executor.safetyReport(principalOf())).toMatchObject({
      valueUsd: { gas: { cap: '90', used: expect.not.stringMatching(/^0$/) }, exitGas: { cap: '90', used: '0' } },
    })
  })

  it('is asked again where gas costs more before the next signature', async () => {
    const usd: Record<string, number | null> = {}
    const road = await open({ policy, usd })
    let sent = 0
    road.network.fetch = async (input, init) => {
      const response = await fetch(input, init)
      if (typeof init?.body === 'string' && init.body.includes('eth_sendRawTransaction') && ++sent === 1) {
        road.clock.offsetMs += 20_000
        Object.assign(usd, { ETH: 300_000 })
      }
      return response
    }
    await expect(road.run(swapIntent(road, '100'))).rejects.toMatchObject({
      code: 'SPENDING_LIMIT_EXCEEDED',
      details: [{ limit: 'maxDailyGasUsd' }, {}],
    })
    expect(await road.balance('USDC')).toBe(parseUnits('20000', 6))
  })
})

describe('G13: a way home', () => {
  it('is open though the limits of the day and its gas are used up, and its gas counts apart', async () => {
    const road = await open({ policy })
    await road.run(await mintIntent(road))
    const ordinary = await usedGas(road)
    await reserveElsewhere(road, { amountUsd: '250000' })
    await reserveElsewhere(road, { gas: dailyGas })
    await expect(road.run(swapIntent(road, '1'))).rejects.toMatchObject({ code: 'SPENDING_LIMIT_EXCEEDED' })
    await road.run(await removeIntent(road))
    expect(await road.balance('USDC')).toBeGreaterThan(parseUnits('19990', 6))
    expect(await exitGas(road)).toBeGreaterThan(0n)
    expect(await usedGas(road)).toBe(ordinary + dailyGas + (await exitGas(road)))
  })

  it('is held to a budget of its own, which names itself', async () => {
    const road = await open({ policy })
    const router = road.chain.amm.v3!.swapRouter02
    await road.run(approveIntent(road, router, '25'))
    await reserveElsewhere(road, { gas: dailyGas, isExit: true })
    await expect(road.run(approveIntent(road, router, '0'))).rejects.toMatchObject({
      code: 'SPENDING_LIMIT_EXCEEDED',
      message: expect.stringMatching(/^Bringing funds home may burn 90 USD of gas/),
      details: [{ limit: 'maxDailyGasUsd of ways home', usedUsd: '90', leftUsd: '0' }],
    })
    await road.run(swapIntent(road, '1'))
  })

  it('is open beyond that budget where it declares to bring twenty times its gas, uses nothing up where it did, and nowhere else', async () => {
    const road = await open({ policy })
    const router = road.chain.amm.v3!.swapRouter02
    await road.run(approveIntent(road, router, '25'))
    await road.run(await mintIntent(road))
    const ordinary = await usedGas(road)
    await reserveElsewhere(road, { gas: dailyGas, isExit: true })
    const removal = await removeIntent(road)
    // A gift in the simulation says nothing: what a call declares is what it is held to.
    await expect(road.run(removal)).rejects.toMatchObject({ details: [{ limit: 'maxDailyGasUsd of ways home' }] })
    const least = removal.receives.map((one) => ({
      ...one,
      amount: one.token === road.token('USDC') ? 1_000_000_000n : 1n,
    }))
    await road.run({ ...removal, receives: least })
    expect(await road.balance('USDC')).toBeGreaterThan(parseUnits('19990', 6))
    expect(await usedGas(road)).toBe(ordinary + (await exitGas(road)))
    expect(await unrepaidGas(road)).toBe(dailyGas)
    await expect(road.run(approveIntent(road, router, '0'))).rejects.toMatchObject({
      details: [{ limit: 'maxDailyGasUsd of ways home' }],
    })
  })

  it('is an allowance that is taken back, but not a call that does nothing, so that nobody uses the budget up with these', async () => {
    const road = await open({ policy })
    const router = road.chain.amm.v3!.swapRouter02
    await road.run(approveIntent(road, router, '25'))
    await reserveElsewhere(road, { gas: dailyGas - (await usedGas(road)) })
    await road.run(approveIntent(road, router, '0'))
    expect(await road.allowance('USDC', router)).toBe(0n)
    const spent = await exitGas(road)
    expect(spent).toBeGreaterThan(0n)
    await expect(road.run(approveIntent(road, router, '0'))).rejects.toMatchObject({
      code: 'SPENDING_LIMIT_EXCEEDED',
      details: [{ limit: 'maxDailyGasUsd' }],
    })
    expect(await exitGas(road)).toBe(spent)
  })

  it('that a crash cut off is settled as one, with what its receipts say', async () => {
    const road = await open({ policy })
    await road.run(await mintIntent(road))
    const ordinary = await usedGas(road)
    vi.spyOn(road.store.ledger, 'settle').mockRejectedValueOnce(new Error('gone'))
    await road.run(await removeIntent(road))
    const reserved = await exitGas(road)
    await road.executor.reconcile()
    expect(await road.store.ledger.open()).toEqual([])
    expect(await exitGas(road)).toBeLessThan(reserved)
    expect(await usedGas(road)).toBe(ordinary + (await exitGas(road)))
    await expectGasCounted(road)
  })
})
