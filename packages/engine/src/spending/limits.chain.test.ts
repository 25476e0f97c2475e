import { useDevnet } from '@svc/devnet/testing'
import { parseUnits } from 'viem'
import { describe, expect, it } from 'vitest'
import type { ErrorCode, Intent } from '@svc/amm'
import { expectRefused } from '../fixtures/expect-refused.fixture.ts'
import {
  approvalOf,
  approveIntent,
  laterDeadline,
  mintIntent,
  removeIntent,
  swapIntent,
} from '../fixtures/intents.fixture.ts'
import type { Pipeline } from '../fixtures/open-pipeline.fixture.ts'
import { nearlyFreeGas, principalOf } from '../fixtures/pipeline-facts.fixture.ts'
import { usePipelines } from '../fixtures/use-pipelines.fixture.ts'

const devnet = useDevnet()
const { open } = usePipelines(devnet)

describe('G4, G5: limits', () => {
  it('hold for one transaction to the cent', async () => {
    const policy = { limitsUsd: { perTransaction: '100.000001' }, approvalThresholdUsd: null }
    const pipeline = await open({ usd: nearlyFreeGas, policy })
    await expectRefused(pipeline, swapIntent(pipeline, '100.000001'), 'SPENDING_LIMIT_EXCEEDED')
    await expectRefused(
      pipeline,
      approveIntent(pipeline, pipeline.devnet.chain.amm.v3!.swapRouter02, '9'.repeat(42)),
      'SPENDING_LIMIT_EXCEEDED',
    )
    await pipeline.run(swapIntent(pipeline, '100'))
  })

  it('hold under parallel writes: two clients, one wallet', async () => {
    const pipeline = await open({
      usd: nearlyFreeGas,
      policy: { limitsUsd: { perTransaction: '301', perSession: '650', daily: '1000' }, approvalThresholdUsd: null },
    })
    const principals = ['key:a', 'key:b'].map((id) => ({
      id,
      stage: 'api-key' as const,
      tier: 'write' as const,
      scopes: new Set<never>(),
      expiresAt: null,
    }))
    const runs = Array.from({ length: 12 }, (_, index) =>
      pipeline.run(swapIntent(pipeline, '300'), { principal: principals[index % 2]! }),
    )
    const outcomes = await Promise.allSettled(runs)
    // Two each before the session's limit, and of those four only three before the day's.
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
    const codes = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason.code] : []))
    expect(codes).toEqual(codes.map(() => 'SPENDING_LIMIT_EXCEEDED'))
    expect(await pipeline.balance('USDC')).toBe(parseUnits('19100', 6))
  })

  it('hold against draining by many small calls, and name the limit, its cap and what is used', async () => {
    const limitsUsd = { perTransaction: '100', perSession: '250.001', daily: '250.001' }
    const pipeline = await open({
      usd: nearlyFreeGas,
      policy: { limitsUsd, approvalThresholdUsd: null },
    })
    for (let calls = 0; calls < 5; calls += 1) await pipeline.run(swapIntent(pipeline, '50'))
    await expect(pipeline.run(swapIntent(pipeline, '0.01'))).rejects.toMatchObject({
      code: 'SPENDING_LIMIT_EXCEEDED',
      message:
        'The limit of the session is 250.001 USD; 250.00001 USD of it are used and the call asks for 0.010001 USD, of which 0.000001 USD for gas at worst. It leaves 0.000989 USD, about 0.000979 USDC, for the amount.',
      details: [
        { limit: 'perSession', usedUsd: '250.00001', askedUsd: '0.010001', gasUsd: '0.000001', leftUsd: '0.000989' },
        { code: 'SPENDING_LIMIT_EXCEEDED', message: expect.stringContaining('any 24 hours is 250.001 USD') },
      ],
    })
    pipeline.clock.offsetMs = 23 * 3_600_000
    await expect(pipeline.run(swapIntent(pipeline, '0.01', { deadline: laterDeadline(23) }))).rejects.toMatchObject({
      details: [{ limit: 'daily' }],
    })
  })

  it('announce 80 percent of the day once', async () => {
    const pipeline = await open({
      usd: nearlyFreeGas,
      policy: { limitsUsd: { perTransaction: '500', perSession: '1000', daily: '1000' }, approvalThresholdUsd: null },
    })
    for (const amount of ['400', '399', '1', '50']) await pipeline.run(swapIntent(pipeline, amount))
    const alerts = (await pipeline.auditLines()).filter(({ event }) => event === 'spend.alert')
    expect(alerts).toEqual([expect.objectContaining({ spentUsd: '800.000005' })])
    expect(pipeline.lines.filter(({ event }) => event === 'spend.alert')).toHaveLength(1)
    expect((await pipeline.executor.safetyReport(principalOf())).dailyAlert).toBe(true)
  })

  it('above the threshold a person must approve', async () => {
    const pipeline = await open({ policy: {} })
    await expectRefused(pipeline, swapIntent(pipeline, '250.01'), 'APPROVAL_REQUIRED')
    await pipeline.run(swapIntent(pipeline, '250'))
  })

  it('a risk tier with a delay waits where delays are kept, and passes where they are not', async () => {
    const delayed = await open({ policy: { proxyDelay: true } })
    const standard = swapIntent(delayed, '1', { intent: { riskTier: 'standard' } })
    expect(await delayed.run(standard)).toMatchObject({ status: 'scheduled' })
    expect([await delayed.nonce(), await delayed.store.ledger.open()]).toEqual([0, []])
    await delayed.run(swapIntent(delayed, '1'))
    const undelayed = await open({ policy: {} })
    await undelayed.run(swapIntent(undelayed, '1', { intent: { riskTier: 'critical' } }))
  })

  it('what a position gives back is no spend: a removal passes when its gas is all that still fits', async () => {
    const limitsUsd = { perTransaction: '6000.001', perSession: '6000.001', daily: '6000.001' }
    const pipeline = await open({ usd: nearlyFreeGas, policy: { limitsUsd, approvalThresholdUsd: null } })
    await pipeline.run(await mintIntent(pipeline))
    await expect(pipeline.run(swapIntent(pipeline, '1'))).rejects.toMatchObject({ code: 'SPENDING_LIMIT_EXCEEDED' })
    await pipeline.run(await removeIntent(pipeline))
    expect(await pipeline.balance('USDC')).toBeGreaterThan(parseUnits('19990', 6))
  })

  it('gas that could cost more than a transaction may spend is refused', async () => {
    const pipeline = await open({ usd: { ETH: 1e9 }, policy: {} })
    await expectRefused(pipeline, swapIntent(pipeline, '1'), 'SPENDING_LIMIT_EXCEEDED')
  })
})

describe('G8: tokens', () => {
  const foreign = { tokenOut: 'HOSTILE', fee: 10_000 } as const
  const receives = (pipeline: Pipeline) => ({ receives: [{ token: pipeline.token('HOSTILE'), amount: 1n }] })

  it('strict: a token nobody listed is refused', async () => {
    const pipeline = await open({ policy: { allowlist: { mode: 'strict' } } })
    await expectRefused(
      pipeline,
      swapIntent(pipeline, '1', { ...foreign, intent: receives(pipeline) }),
      'TOKEN_NOT_ALLOWLISTED',
    )
  })

  it('strict: a token the operator listed passes', async () => {
    const hostile = devnet().tokens.find(({ symbol }) => symbol === 'HOSTILE')!.address
    const allowlist = { mode: 'strict' as const, tokens: { [devnet().chainId]: [hostile] } }
    const pipeline = await open({ policy: { allowlist, speculativeUsd: '1' } })
    await expect(
      pipeline.run(swapIntent(pipeline, '1', { ...foreign, intent: receives(pipeline) })),
    ).resolves.toMatchObject({
      safetyChecks: { tokenAllowlistPassed: true },
    })
  })

  it('lenient: one that is made to mislead is bought by a person, and sold; the verdict is on record', async () => {
    const policy = { allowlist: { mode: 'lenient' }, unnamedSales: 'allow', approvalThresholdUsd: null } as const
    const pipeline = await open({ policy })
    const purchase = swapIntent(pipeline, '1', { ...foreign, intent: receives(pipeline) })
    await expectRefused(pipeline, purchase, 'APPROVAL_REQUIRED')
    await expect(pipeline.run(await unknownIntent(pipeline, '1'))).resolves.toMatchObject({
      safetyChecks: { tokenAllowlistPassed: false, spendingLimitPassed: true, simulationPassed: true },
    })
    expect((await pipeline.auditLines()).find(({ event }) => event === 'tx.intent')).toMatchObject({
      tokenAllowlistPassed: false,
    })
  })

  it('strict: a spend without a price is refused', async () => {
    const pipeline = await open({ policy: { allowlist: { mode: 'strict' } }, usd: { USDC: null } })
    await expectRefused(pipeline, swapIntent(pipeline, '1'), 'PRICE_UNAVAILABLE')
  })

  it('lenient: a spend that nothing with a price bounds is refused', async () => {
    const pipeline = await open({
      policy: { allowlist: { mode: 'lenient' }, approvalThresholdUsd: null },
      usd: { USDC: null },
    })
    await expectRefused(pipeline, await unknownIntent(pipeline, '1'), 'PRICE_UNAVAILABLE')
  })

  it('lenient: a spend without a price is worth at least what arrives for it', async () => {
    const pipeline = await open({
      policy: { allowlist: { mode: 'lenient' }, limitsUsd: { perTransaction: '0.0001' }, approvalThresholdUsd: null },
    })
    await expectRefused(pipeline, await unknownIntent(pipeline, '1'), 'SPENDING_LIMIT_EXCEEDED')
  })

  it('lenient: a spend without a price counts as the whole limit of a transaction', async () => {
    const policy = { allowlist: { mode: 'lenient' }, approvalThresholdUsd: null, unnamedSales: 'allow' } as const
    const pipeline = await open({ policy })
    await pipeline.run(await unknownIntent(pipeline, '1'))
    await pipeline.run(await unknownIntent(pipeline, '1'))
    // What gas turned out cheaper than reserved is given back.
    const { spentUsd } = await pipeline.executor.safetyReport(principalOf())
    expect(Number(spentUsd?.session)).toBeGreaterThan(900)
    expect(Number(spentUsd?.session)).toBeLessThanOrEqual(1_000)
    await expectRefusedAfterwards(pipeline, await unknownIntent(pipeline, '1'), 'SPENDING_LIMIT_EXCEEDED')
  })

  it('G7: lenient: a listed token without a price is refused, whatever arrives for it', async () => {
    const policy = { allowlist: { mode: 'lenient' }, approvalThresholdUsd: null } as const
    const pipeline = await open({ policy, usd: { USDC: null } })
    await expectRefused(pipeline, swapIntent(pipeline, '1'), 'PRICE_UNAVAILABLE')
    await expectRefused(
      pipeline,
      approveIntent(pipeline, pipeline.chain.amm.v3!.swapRouter02, '1'),
      'PRICE_UNAVAILABLE',
    )
    const hostile = devnet().tokens.find(({ symbol }) => symbol === 'HOSTILE')!.address
    const named = { mode: 'lenient' as const, tokens: { [`${devnet().chainId}`]: [hostile] } }
    const listing = await open({ policy: { ...policy, allowlist: named } })
    await expectRefused(listing, await unknownIntent(listing, '1'), 'PRICE_UNAVAILABLE')
  })

  /** Sells a token that no list names and no source prices. */
  async function unknownIntent(pipeline: Pipeline, amount: string): Promise<Intent> {
    await devnet().fund(pipeline.wallet, { HOSTILE: '10' })
    const spent = { token: pipeline.token('HOSTILE'), amount: parseUnits(amount, 18) }
    return swapIntent(pipeline, '0', {
      tokenIn: 'HOSTILE',
      tokenOut: 'USDC',
      fee: foreign.fee,
      amountIn: spent.amount,
      intent: {
        spends: [spent],
        approvals: [approvalOf(spent.token, pipeline.chain.amm.v3!.swapRouter02, spent.amount)],
      },
    })
  }
})

async function expectRefusedAfterwards(pipeline: Pipeline, intent: Intent, code: ErrorCode): Promise<void> {
  const nonce = await pipeline.nonce()
  await expect(pipeline.run(intent)).rejects.toMatchObject({ code })
  expect(await pipeline.nonce()).toBe(nonce)
}
