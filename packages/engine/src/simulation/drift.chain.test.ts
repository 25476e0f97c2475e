import { useDevnet } from '@svc/devnet/testing'
import { numberToHex, parseUnits } from 'viem'
import { describe, expect, it } from 'vitest'
import { devnetPolicy, parsePolicy } from '../policy/policy.ts'
import { swapIntent } from '../fixtures/intents.fixture.ts'
import { afterSending, beforeSending, rewriting } from '../fixtures/network.fixture.ts'
import { moveThePrice, quoteOf, testClient, used } from '../fixtures/pipeline-facts.fixture.ts'
import { usePipelines } from '../fixtures/use-pipelines.fixture.ts'

const devnet = useDevnet()
const { open } = usePipelines(devnet)

describe('G10: a chain that moves between plan and signature', () => {
  it('by several blocks of others: the rest is played again and refused where it no longer fits', async () => {
    const pipeline = await open()
    const intent = swapIntent(pipeline, '300', { minimumOut: await quoteOf(pipeline, '300') })
    beforeSending(pipeline, 1, async () => {
      await moveThePrice(pipeline)
      await testClient(pipeline).mine({ blocks: 3 })
    })
    await expect(pipeline.run(intent)).rejects.toMatchObject({
      code: 'SIMULATION_DRIFT',
      details: [
        { message: 'reverted with the text "Too little received"', step: 'swap' },
        { message: 'approve the exact amount', txHash: expect.any(String) },
        { message: 'take back an allowance' },
      ],
    })
    // The approval and its end, not the swap.
    expect(await pipeline.nonce()).toBe(2)
    expect(await pipeline.allowance('USDC', pipeline.chain.amm.v3!.swapRouter02)).toBe(0n)
    expect(await used(pipeline)).toBe(0n)
  })

  it('by several blocks of others, and the plan still fits: goes on', async () => {
    const pipeline = await open()
    beforeSending(pipeline, 1, async () => {
      await moveThePrice(pipeline)
      await testClient(pipeline).mine({ blocks: 3 })
    })
    await pipeline.run(swapIntent(pipeline, '300'))
    expect(pipeline.trace.filter((mark) => mark === 'rpc eth_simulateV1')).toHaveLength(2)
    expect(await used(pipeline)).toBe(parseUnits('300', 6))
  })

  it('to another block of the same height: the rest is played again', async () => {
    const pipeline = await open()
    await testClient(pipeline).mine({ blocks: 1 })
    beforeSending(pipeline, 1, async () => {
      await testClient(pipeline).request<Reorg>({ method: 'anvil_reorg', params: [1, []] })
    })
    await pipeline.run(swapIntent(pipeline, '300'))
    expect(pipeline.trace.filter((mark) => mark === 'rpc eth_simulateV1')).toHaveLength(2)
    expect(await used(pipeline)).toBe(parseUnits('300', 6))
  })

  it('by fees that an endpoint makes up on the way: nothing more is signed', async () => {
    const pipeline = await open({ policy: {} })
    beforeSending(pipeline, 1, () => {
      pipeline.clock.offsetMs += 20_000
      pipeline.network.fetch = rewriting('eth_getBlockByNumber', (answer) => ({
        ...answer,
        result: { ...(answer.result as object), baseFeePerGas: numberToHex(10n ** 15n) },
      }))
      return Promise.resolve()
    })
    await expect(pipeline.run(swapIntent(pipeline, '1'))).rejects.toMatchObject({
      code: 'SPENDING_LIMIT_EXCEEDED',
      details: [{ limit: 'gas' }, { txHash: expect.any(String) }, { message: 'take back an allowance' }],
    })
    expect(await pipeline.balance('USDC')).toBe(parseUnits('20000', 6))
  })

  it.each([
    [
      'a price rose over the limit of one transaction',
      { USDC: 1_000_000, WETH: 3_000_000_000 },
      'SPENDING_LIMIT_EXCEEDED',
    ],
    ['a price is gone', { USDC: null }, 'PRICE_UNAVAILABLE'],
  ])('by what its tokens are worth: %s, and nothing more is signed', async (_what, later, code) => {
    const usd: Record<string, number | null> = {}
    const pipeline = await open({ usd, policy: { ...devnetPolicy(), allowlist: { mode: 'strict' } } })
    afterSending(pipeline, 1, () => {
      pipeline.clock.offsetMs += 20_000
      Object.assign(usd, later)
      return Promise.resolve()
    })
    await expect(pipeline.run(swapIntent(pipeline, '300'))).rejects.toMatchObject({ code })
    expect(await pipeline.balance('USDC')).toBe(parseUnits('20000', 6))
    expect(await pipeline.allowance('USDC', pipeline.chain.amm.v3!.swapRouter02)).toBe(0n)
  })

  it('by what its tokens are worth, within the limits: the reservation rises with it, and so does what is settled', async () => {
    const usd: Record<string, number | null> = {}
    const pipeline = await open({ usd })
    afterSending(pipeline, 1, () => {
      pipeline.clock.offsetMs += 20_000
      Object.assign(usd, { USDC: 1.5, WETH: 4_500 })
      return Promise.resolve()
    })
    await pipeline.run(swapIntent(pipeline, '300'))
    expect(await used(pipeline)).toBe(parseUnits('450', 6))
    const intents = (await pipeline.auditLines()).filter(({ event }) => event === 'tx.intent')
    expect(intents.map(({ spendUsd }) => spendUsd)).toEqual(['300', '450'])
  })

  it('by what its tokens are worth, over the limit of the day that others have used up meanwhile: refused', async () => {
    const usd: Record<string, number | null> = {}
    const limitsUsd = { perTransaction: '500', perSession: '1000', daily: '1000' }
    const pipeline = await open({ usd, policy: { limitsUsd, approvalThresholdUsd: null } })
    afterSending(pipeline, 1, async () => {
      pipeline.clock.offsetMs += 20_000
      Object.assign(usd, { USDC: 1.5, WETH: 4_500 })
      const others = { id: 'other', requestId: 'other', principal: 'key:other', chainId: pipeline.chain.id }
      const limits = { perTransaction: 10n ** 9n, perSession: 10n ** 9n, daily: 10n ** 9n }
      const asked = { ...others, amountUsdMicros: parseUnits('560', 6), limits, sessionIdleMs: 1 }
      expect(await pipeline.store.ledger.reserve(asked)).toMatchObject({ granted: true })
    })
    await expect(pipeline.run(swapIntent(pipeline, '300'))).rejects.toMatchObject({
      code: 'SPENDING_LIMIT_EXCEEDED',
      details: [{ limit: 'daily' }, { txHash: expect.any(String) }, { message: 'take back an allowance' }],
    })
    expect(await pipeline.balance('USDC')).toBe(parseUnits('20000', 6))
  })

  it('by a clock that stepped back: a deadline that is now too far away is refused', async () => {
    const pipeline = await open()
    const { timestamp } = await pipeline.rpc.client(pipeline.chain).getBlock()
    const { deadlineSeconds } = parsePolicy(devnetPolicy(), { production: false })
    const later = (Number(timestamp) - Math.floor(Date.now() / 1000) + 120) * 1000
    pipeline.clock.offsetMs = later
    beforeSending(pipeline, 1, async () => {
      pipeline.clock.offsetMs = later - 120_000
      await testClient(pipeline).mine({ blocks: 3 })
    })
    const deadline = Math.floor((Date.now() + later) / 1000) + deadlineSeconds.cap
    await expect(pipeline.run({ ...swapIntent(pipeline, '300'), deadline })).rejects.toMatchObject({
      code: 'DEADLINE_TOO_LONG',
    })
  })

  it('is played again when time has passed', async () => {
    const pipeline = await open()
    afterSending(pipeline, 1, () => {
      pipeline.clock.offsetMs += 20_000
      return Promise.resolve()
    })
    await pipeline.run(swapIntent(pipeline, '300'))
    expect(pipeline.trace.filter((mark) => mark === 'rpc eth_simulateV1')).toHaveLength(2)
  })
})

type Reorg = { Method: 'anvil_reorg'; Parameters: [number, unknown[]]; ReturnType: null }
