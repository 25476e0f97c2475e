import { useDevnet } from '@svc/devnet/testing'
import { type Address, formatUnits, parseUnits } from 'viem'
import { describe, expect, it } from 'vitest'
import { expectRefused } from '../fixtures/expect-refused.fixture.ts'
import { approvalOf, approveIntent, laterDeadline, swapIntent } from '../fixtures/intents.fixture.ts'
import { callOf } from '../fixtures/open-pipeline.fixture.ts'
import { expectGasCounted, nearlyFreeGas, used, usedGas } from '../fixtures/pipeline-facts.fixture.ts'
import { storeEngines } from '../fixtures/store-engines.fixture.ts'
import { usePipelines } from '../fixtures/use-pipelines.fixture.ts'

const devnet = useDevnet()
const stranger: Address = '0x00000000000000000000000000000000000bad00'
const hourMs = 3_600_000

describe.each(storeEngines)('on $engine', ({ usePlaces }) => {
  const { open, close } = usePipelines(devnet, usePlaces())

  describe('G4: writes that race', () => {
    it('never spend more than the cap together, to the cent', async () => {
      const limitsUsd = { perTransaction: '100', perSession: '250.001', daily: '250.001' }
      const pipeline = await open({ usd: nearlyFreeGas, policy: { limitsUsd, approvalThresholdUsd: null } })
      const runs = Array.from({ length: 20 }, () => pipeline.run(swapIntent(pipeline, '50')))
      const outcomes = await Promise.allSettled(runs)
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
      expect(await pipeline.balance('USDC')).toBe(parseUnits('19750', 6))
      expect(await used(pipeline)).toBe(parseUnits('250', 6))
    })
  })

  describe('G4: gas', () => {
    it('counts: many calls that spend nothing are stopped by the day through their gas alone', async () => {
      const probe = await open()
      const router = probe.chain.amm.v3!.swapRouter02
      await probe.run(approveIntent(probe, router, '0'))
      // Six times what one call burns: not quite twice what one may burn at worst.
      const cap = 6n * (await usedGas(probe))
      const usd = formatUnits(cap, 6)
      const limitsUsd = { perTransaction: usd, perSession: usd, daily: usd }
      const pipeline = await open({ policy: { limitsUsd, maxDailyGasUsd: usd, approvalThresholdUsd: null } })
      const outcomes: unknown[] = []
      for (let calls = 0; calls < 60 && outcomes.length === 0; calls += 1) {
        await pipeline.run(approveIntent(pipeline, router, '0')).catch((error: unknown) => outcomes.push(error))
      }
      expect(outcomes).toMatchObject([{ code: 'SPENDING_LIMIT_EXCEEDED', details: [{ limit: 'perSession' }, {}] }])
      expect(await pipeline.nonce()).toBeGreaterThan(1)
      expect(await used(pipeline)).toBe(0n)
      expect(await usedGas(pipeline)).toBeLessThanOrEqual(cap)
      await expectGasCounted(pipeline)
      const other = { principal: { ...callOf().principal, id: 'key:other' } }
      await expect(pipeline.run(approveIntent(pipeline, router, '0'), other)).rejects.toMatchObject({
        code: 'SPENDING_LIMIT_EXCEEDED',
        details: [{ limit: 'daily' }],
      })
      const report = await pipeline.executor.safetyReport(callOf().principal)
      expect(report.gasUsd).toEqual(report.spentUsd)
    })
  })

  describe('G5: the window of 24 hours', () => {
    it('rolls: what was spent 23 hours ago counts, also after a restart; 25 hours ago no more', async () => {
      const limitsUsd = { perTransaction: '100.001', perSession: '100.001', daily: '100.001' }
      const policy = { limitsUsd, approvalThresholdUsd: null }
      const pipeline = await open({ usd: nearlyFreeGas, policy })
      await pipeline.run(swapIntent(pipeline, '100'))
      await close(pipeline)
      const { dataDir, privateKey } = pipeline
      const again = await open({ usd: nearlyFreeGas, policy, dataDir, privateKey })
      again.clock.offsetMs = 23 * hourMs
      const later = (hours: number) => swapIntent(again, '0.01', { deadline: laterDeadline(hours) })
      await expect(again.run(later(23))).rejects.toMatchObject({ code: 'SPENDING_LIMIT_EXCEEDED' })
      again.clock.offsetMs = 25 * hourMs
      await again.run(later(25))
    })
  })

  describe('G6: spend is measured', () => {
    it('what leaves counts, not what is declared', async () => {
      const pipeline = await open()
      const router = pipeline.chain.amm.v3!.swapRouter02
      const approvals = [approvalOf(pipeline.token('USDC'), router, parseUnits('301', 6))]
      const intent = swapIntent(pipeline, '300', { amountIn: parseUnits('301', 6), intent: { approvals } })
      await expectRefused(pipeline, intent, 'UNSAFE_TRANSACTION')
    })

    it('an approval goes to a listed spender only, and counts as its whole amount', async () => {
      const policy = { limitsUsd: { perTransaction: '300.000001' }, approvalThresholdUsd: null }
      const pipeline = await open({ usd: nearlyFreeGas, policy })
      await expectRefused(pipeline, approveIntent(pipeline, stranger, '1'), 'SPENDER_NOT_ALLOWED')
      const router = pipeline.chain.amm.v3!.swapRouter02
      await expectRefused(pipeline, approveIntent(pipeline, router, '300.000001'), 'SPENDING_LIMIT_EXCEEDED')
      await pipeline.run(approveIntent(pipeline, router, '300'))
      expect(await used(pipeline)).toBe(parseUnits('300', 6))
    })
  })

  describe('G7: a token without a price', () => {
    const input = (pipeline: Awaited<ReturnType<typeof open>>) =>
      swapIntent(pipeline, '0', {
        tokenIn: 'WETH',
        tokenOut: 'USDC',
        amountIn: parseUnits('0.01', 18),
        intent: {
          spends: [{ token: pipeline.token('WETH'), amount: parseUnits('0.01', 18) }],
          approvals: [approvalOf(pipeline.token('WETH'), pipeline.chain.amm.v3!.swapRouter02, parseUnits('0.01', 18))],
        },
      })

    it('is refused under a strict allowlist', async () => {
      const policy = { allowlist: { mode: 'strict' }, approvalThresholdUsd: null } as const
      const pipeline = await open({ usd: { WETH: null }, policy })
      await expectRefused(pipeline, input(pipeline), 'PRICE_UNAVAILABLE')
    })

    it('is refused under a lenient one as well, where a list names the token', async () => {
      const policy = { allowlist: { mode: 'lenient' }, approvalThresholdUsd: null } as const
      const pipeline = await open({ usd: { WETH: null }, policy })
      await expectRefused(pipeline, input(pipeline), 'PRICE_UNAVAILABLE')
    })

    it('counts as the whole limit of a transaction under a lenient one, where nobody knows it', async () => {
      const limitsUsd = { perTransaction: '500' }
      const policy = {
        allowlist: { mode: 'lenient' },
        limitsUsd,
        approvalThresholdUsd: null,
        unnamedSales: 'allow',
      } as const
      const pipeline = await open({ policy })
      await devnet().fund(pipeline.wallet, { HOSTILE: '1' })
      const spent = { token: pipeline.token('HOSTILE'), amount: parseUnits('1', 18) }
      await pipeline.run(
        swapIntent(pipeline, '0', {
          tokenIn: 'HOSTILE',
          tokenOut: 'USDC',
          fee: 10_000,
          amountIn: spent.amount,
          intent: {
            spends: [spent],
            approvals: [approvalOf(spent.token, pipeline.chain.amm.v3!.swapRouter02, spent.amount)],
          },
        }),
      )
      // Gas at worst is a part of it, and what it turned out cheaper is given back.
      const all = (await used(pipeline)) + (await usedGas(pipeline))
      expect(all).toBeGreaterThan(parseUnits('450', 6))
      expect(all).toBeLessThanOrEqual(parseUnits('500', 6))
    })
  })

  describe('G8: the token list', () => {
    it('goes by chain and address: a token that is not on it is refused, in and out, whatever it calls itself', async () => {
      const pipeline = await open({ policy: { allowlist: { mode: 'strict' }, approvalThresholdUsd: null } })
      for (const tokenOut of ['FOT', 'HOSTILE']) {
        await expectRefused(pipeline, swapIntent(pipeline, '1', { tokenOut, fee: 10_000 }), 'TOKEN_NOT_ALLOWLISTED')
      }
    })
  })
})
