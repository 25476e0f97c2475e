import { useDevnet } from '@svc/devnet/testing'
import { parseUnits } from 'viem'
import { describe, expect, it, vi } from 'vitest'
import { devnetPolicy } from '../policy/policy.ts'
import { approveIntent, mintIntent, removeIntent, swapIntent } from '../fixtures/intents.fixture.ts'
import type { Pipeline } from '../fixtures/open-pipeline.fixture.ts'
import { expectGasCounted, plannedOf, principalOf, usedGas } from '../fixtures/pipeline-facts.fixture.ts'
import { usePipelines } from '../fixtures/use-pipelines.fixture.ts'

const { open } = usePipelines(useDevnet())
const policy = { ...devnetPolicy(), maxDailyGasUsd: '90' }
const dailyGas = parseUnits('90', 6)
const sessionIdleMs = 60_000
const wide = { perTransaction: 10n ** 15n, perSession: 10n ** 15n, daily: 10n ** 15n }

/** Somebody else's calls have reserved so much. */
async function reserveElsewhere(
  pipeline: Pipeline,
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
  const verdict = await pipeline.store.ledger.reserve({ ...asked, id, requestId: id, limits: wide, sessionIdleMs })
  expect(verdict).toMatchObject({ granted: true })
}

async function exitGas(pipeline: Pipeline): Promise<bigint> {
  return (await pipeline.store.ledger.usage('nobody', { sessionIdleMs })).dailyExitGasUsdMicros
}

async function unrepaidGas(pipeline: Pipeline): Promise<bigint> {
  const used = await pipeline.store.ledger.usage('nobody', { sessionIdleMs })
  return used.dailyPlainExitGasUsdMicros + used.dailyDueExitGasUsdMicros
}

describe('G13: the gas of a day', () => {
  it('refuses a call whose gas at worst no longer fits, and a dry run says so; nothing is signed or reserved', async () => {
    const pipeline = await open({ policy })
    await reserveElsewhere(pipeline, { gas: dailyGas - 1n })
    const refusal = {
      code: 'SPENDING_LIMIT_EXCEEDED',
      message: expect.stringMatching(
        /^All calls but .* may burn 90 USD of gas .*: 89\.999999 USD are used, 0\.000001 USD are left/,
      ),
      details: [{ limit: 'maxDailyGasUsd', capUsd: '90', leftUsd: '0.000001', freesAt: null }],
    }
    const { plan } = plannedOf(await pipeline.run(swapIntent(pipeline, '100'), { dryRun: true }))
    expect(plan.policy.refusals).toMatchObject([{ code: 'SPENDING_LIMIT_EXCEEDED' }])
    await expect(pipeline.run(swapIntent(pipeline, '100'))).rejects.toMatchObject(refusal)
    expect(await pipeline.nonce()).toBe(0)
    expect(await pipeline.store.ledger.open()).toHaveLength(1)
  })

  it('counts what receipts say once a call is settled, so that far more calls fit than at their worst', async () => {
    const pipeline = await open({ policy })
    const { plan } = plannedOf(await pipeline.run(swapIntent(pipeline, '100'), { dryRun: true }))
    await pipeline.run(swapIntent(pipeline, '100'))
    await expectGasCounted(pipeline)
    expect(Number(await usedGas(pipeline))).toBeLessThan((plan.gasCostAtMostUsd ?? 0) * 1e6 * 0.6)
    expect(await pipeline.executor.safetyReport(principalOf())).toMatchObject({
      valueUsd: { gas: { cap: '90', used: expect.not.stringMatching(/^0$/) }, exitGas: { cap: '90', used: '0' } },
    })
  })

  it('is asked again where gas costs more before the next signature', async () => {
    const usd: Record<string, number | null> = {}
    const pipeline = await open({ policy, usd })
    let sent = 0
    pipeline.network.fetch = async (input, init) => {
      const response = await fetch(input, init)
      if (typeof init?.body === 'string' && init.body.includes('eth_sendRawTransaction') && ++sent === 1) {
        pipeline.clock.offsetMs += 20_000
        Object.assign(usd, { ETH: 300_000 })
      }
      return response
    }
    await expect(pipeline.run(swapIntent(pipeline, '100'))).rejects.toMatchObject({
      code: 'SPENDING_LIMIT_EXCEEDED',
      details: [{ limit: 'maxDailyGasUsd' }, {}, { message: 'take back an allowance' }],
    })
    expect(await pipeline.balance('USDC')).toBe(parseUnits('20000', 6))
  })
})

describe('G13: a way home', () => {
  it('is open though the limits of the day and its gas are used up, and its gas counts apart', async () => {
    const pipeline = await open({ policy })
    await pipeline.run(await mintIntent(pipeline))
    const ordinary = await usedGas(pipeline)
    await reserveElsewhere(pipeline, { amountUsd: '250000' })
    await reserveElsewhere(pipeline, { gas: dailyGas })
    await expect(pipeline.run(swapIntent(pipeline, '1'))).rejects.toMatchObject({ code: 'SPENDING_LIMIT_EXCEEDED' })
    await pipeline.run(await removeIntent(pipeline))
    expect(await pipeline.balance('USDC')).toBeGreaterThan(parseUnits('19990', 6))
    expect(await exitGas(pipeline)).toBeGreaterThan(0n)
    expect(await usedGas(pipeline)).toBe(ordinary + dailyGas + (await exitGas(pipeline)))
  })

  it('is held to a budget of its own, which names itself', async () => {
    const pipeline = await open({ policy })
    const router = pipeline.chain.amm.v3!.swapRouter02
    await pipeline.run(approveIntent(pipeline, router, '25'))
    await reserveElsewhere(pipeline, { gas: dailyGas, isExit: true })
    await expect(pipeline.run(approveIntent(pipeline, router, '0'))).rejects.toMatchObject({
      code: 'SPENDING_LIMIT_EXCEEDED',
      message: expect.stringMatching(/^Bringing funds home may burn 90 USD of gas/),
      details: [{ limit: 'maxDailyGasUsd of ways home', usedUsd: '90', leftUsd: '0' }],
    })
    await pipeline.run(swapIntent(pipeline, '1'))
  })

  it('is open beyond that budget where it declares to bring twenty times its gas, uses nothing up where it did, and nowhere else', async () => {
    const pipeline = await open({ policy })
    const router = pipeline.chain.amm.v3!.swapRouter02
    await pipeline.run(approveIntent(pipeline, router, '25'))
    await pipeline.run(await mintIntent(pipeline))
    const ordinary = await usedGas(pipeline)
    await reserveElsewhere(pipeline, { gas: dailyGas, isExit: true })
    // A position pays what it is worth at trusted prices, so that it counts whatever the call declares.
    const removal = await removeIntent(pipeline)
    await pipeline.run({ ...removal, receives: removal.receives.map(({ token }) => ({ token, amount: 0n })) })
    expect(await pipeline.balance('USDC')).toBeGreaterThan(parseUnits('19990', 6))
    expect(await usedGas(pipeline)).toBe(ordinary + (await exitGas(pipeline)))
    expect(await unrepaidGas(pipeline)).toBe(dailyGas)
    await expect(pipeline.run(approveIntent(pipeline, router, '0'))).rejects.toMatchObject({
      details: [{ limit: 'maxDailyGasUsd of ways home' }],
    })
  })

  it('is an allowance that is taken back, but not a call that does nothing, so that nobody uses the budget up with these', async () => {
    const pipeline = await open({ policy })
    const router = pipeline.chain.amm.v3!.swapRouter02
    await pipeline.run(approveIntent(pipeline, router, '25'))
    await reserveElsewhere(pipeline, { gas: dailyGas - (await usedGas(pipeline)) })
    await pipeline.run(approveIntent(pipeline, router, '0'))
    expect(await pipeline.allowance('USDC', router)).toBe(0n)
    const spent = await exitGas(pipeline)
    expect(spent).toBeGreaterThan(0n)
    await expect(pipeline.run(approveIntent(pipeline, router, '0'))).rejects.toMatchObject({
      code: 'SPENDING_LIMIT_EXCEEDED',
      details: [{ limit: 'maxDailyGasUsd' }],
    })
    expect(await exitGas(pipeline)).toBe(spent)
  })

  it('that a crash cut off is settled as one, with what its receipts say', async () => {
    const pipeline = await open({ policy })
    await pipeline.run(await mintIntent(pipeline))
    const ordinary = await usedGas(pipeline)
    vi.spyOn(pipeline.store.ledger, 'settle').mockRejectedValueOnce(new Error('gone'))
    await pipeline.run(await removeIntent(pipeline))
    const reserved = await exitGas(pipeline)
    await pipeline.executor.reconcile()
    expect(await pipeline.store.ledger.open()).toEqual([])
    expect(await exitGas(pipeline)).toBeLessThan(reserved)
    expect(await usedGas(pipeline)).toBe(ordinary + (await exitGas(pipeline)))
    await expectGasCounted(pipeline)
  })
})
