import { useDevnet } from '@svc/devnet/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createCircuitBreaker } from '../../../../engine/src/switches/circuit-breaker.ts'
import { parsePolicy } from '../../../../engine/src/policy/policy.ts'
import { openWorld, ownPolicy, type World } from '../chain-world.fixture.ts'
import { earlyInAnHour, headTime, holdings, idOf, pass } from './order-world.fixture.ts'

const devnet = useDevnet()
let world: World

beforeEach(async () => {
  world = await openWorld(devnet())
})
afterEach(async () => {
  await world.close()
})

const weth = { tokenIn: 'WETH', tokenOut: 'USDC', amount: '3', duration: 7_200 }
const usdc = { tokenIn: 'USDC', tokenOut: 'WETH', amount: '9000', duration: 7_200 }

describe('cancel_twamm_order', () => {
  test.each([
    ['WETH for USDC', weth],
    ['USDC for WETH', usdc],
  ] as const)('half way takes home what an order of %s has left and what it earned', async (_what, order) => {
    const symbols = [order.tokenIn, order.tokenOut] as const
    const placed = await world.call('submit_twamm_order', order)
    await pass(devnet(), (await headTime(world)) + Math.floor(placed.number('duration') / 2))
    const before = await holdings(world, ...symbols)
    const seen = await world.call('get_twamm_order_status', idOf(placed))
    const answer = await world.call('cancel_twamm_order', idOf(placed))
    const after = await holdings(world, ...symbols)
    const came = [Number(answer.text('tokenIn.amount')), Number(answer.text('tokenOut.amount'))]
    expect(after[0]! - before[0]!).toBeCloseTo(came[0]!, 9)
    expect(after[1]! - before[1]!).toBeCloseTo(came[1]!, 9)
    expect(came[0]! / Number(placed.text('tokenIn.totalAmount'))).toBeCloseTo(0.5, 1)
    expect(came[1]! / Number(seen.text('progress.amountReceived'))).toBeCloseTo(1, 1)
    expect(answer.number('totalUsd')).toBeGreaterThan(8_800)
    expect(answer.at('atomicity')).toBe('sequential')
    expect(answer.list('transactions')).toHaveLength(3)
    const over = await world.call('get_twamm_order_status', idOf(placed))
    expect(over.text('status')).toBe('cancelled')
    expect(Number(over.text('progress.amountReceived'))).toBeCloseTo(came[1]!, 6)
    expect(over.text('progress.remainingAmount')).toBe('0')
    expect(over.at('notes')).toEqual([
      `Cancelling it gave back ${answer.text('tokenIn.amount')} ${order.tokenIn} that it had not sold.`,
    ])
    expect(over.number('progress.percentComplete')).toBeGreaterThan(40)
    expect(over.number('progress.percentComplete')).toBeLessThan(60)
    const again = await world.refuse('cancel_twamm_order', idOf(placed))
    expect([again.code, (await world.refuse('claim_twamm_order', idOf(placed))).code]).toEqual([
      'ORDER_NOT_ACTIVE',
      'NOTHING_TO_COLLECT',
    ])
  })

  test('an order that was cancelled can be placed again under the same id', async () => {
    await earlyInAnHour(devnet(), world)
    const placed = await world.call('submit_twamm_order', weth)
    await world.call('cancel_twamm_order', idOf(placed))
    const again = await world.call('submit_twamm_order', weth)
    expect(again.text('orderId')).toBe(placed.text('orderId'))
    expect((await world.call('get_twamm_order_status', idOf(again))).text('status')).toBe('active')
  })

  test('leaves alone what is over, unknown, or of somebody else', async () => {
    const placed = await world.call('submit_twamm_order', weth)
    const other = await openWorld(devnet())
    expect((await other.refuse('cancel_twamm_order', idOf(placed))).code).toBe('ORDER_NOT_FOUND')
    expect((await other.refuse('claim_twamm_order', idOf(placed))).code).toBe('ORDER_NOT_FOUND')
    await other.close()
    await pass(devnet(), Date.parse(placed.text('expiresAt')) / 1_000)
    const over = await world.refuse('cancel_twamm_order', idOf(placed))
    expect([over.code, over.suggestion]).toEqual(['ORDER_NOT_ACTIVE', expect.stringContaining('claim_twamm_order')])
  })
})

describe('claim_twamm_order', () => {
  test('pays what an active order earned so far, and the rest when it is over', async () => {
    const placed = await world.call('submit_twamm_order', weth)
    const [before = 0] = await holdings(world, 'USDC')
    await pass(devnet(), (await headTime(world)) + 3_000)
    const first = await world.call('claim_twamm_order', idOf(placed))
    const between = await world.call('get_twamm_order_status', idOf(placed))
    expect(between.text('status')).toBe('active')
    expect(Number(between.text('progress.amountReceived'))).toBeGreaterThanOrEqual(
      Number(first.text('tokenOut.amount')),
    )
    await pass(devnet(), Date.parse(placed.text('expiresAt')) / 1_000 + 60)
    await world.call('claim_twamm_order', idOf(placed))
    const over = await world.call('get_twamm_order_status', idOf(placed))
    expect(over.text('status')).toBe('claimed')
    const [after = 0] = await holdings(world, 'USDC')
    expect(Number(over.text('progress.amountReceived'))).toBeCloseTo(after - before, 4)
    expect(after - before).toBeGreaterThan(8_800)
    const again = await world.refuse('claim_twamm_order', idOf(placed))
    expect([again.code, again.suggestion]).toEqual(['NOTHING_TO_COLLECT', expect.stringContaining('Nothing is left')])
  })
})

describe('G13: ways home of an order', () => {
  const spent = { perTransaction: '3100', perSession: '3100', daily: '3100' }
  const small = { ...weth, amount: '1', duration: 3_600 }

  test.each(['cancel_twamm_order', 'claim_twamm_order'])(
    '%s passes where the limits are used up and nobody is asked',
    async (tool) => {
      await world.close()
      world = await openWorld(devnet(), {
        policy: { ...ownPolicy(devnet()), limitsUsd: spent, maxDailyGasUsd: '50', approvalThresholdUsd: '3050' },
      })
      const placed = await world.call('submit_twamm_order', small)
      await pass(devnet(), (await headTime(world)) + 1_200)
      expect((await world.refuse('submit_twamm_order', small)).code).toBe('SPENDING_LIMIT_EXCEEDED')
      const { plan } = (await world.call(tool, { ...idOf(placed), dryRun: true })).data as {
        plan: { spendUsd: string; policy: { allowed: boolean; conditions: readonly unknown[] } }
      }
      expect([plan.spendUsd, plan.policy.allowed, plan.policy.conditions]).toEqual(['0', true, []])
      expect((await world.call(tool, idOf(placed))).at('status')).toBe('success')
    },
  )

  test('both work on in a pool that the operator no longer names', async () => {
    const placed = await world.call('submit_twamm_order', weth)
    await pass(devnet(), (await headTime(world)) + 1_200)
    const again = world.again
    await world.close()
    const twammHooks = { [devnet().chainId]: [{ hook: devnet().twamm.hook, pools: [] }] }
    world = await openWorld(devnet(), { again, policy: { ...ownPolicy(devnet()), twammHooks } })
    expect((await world.refuse('submit_twamm_order', weth)).code).toBe('NO_TWAMM_HOOK')
    await world.call('claim_twamm_order', idOf(placed))
    await world.call('cancel_twamm_order', idOf(placed))
  })

  test('both pass a breaker that failures opened, and an order does not', async () => {
    const first = await world.call('submit_twamm_order', small)
    const second = await world.call('submit_twamm_order', small)
    await pass(devnet(), (await headTime(world)) + 1_200)
    const limits = () => parsePolicy({}, { production: false }).breaker
    await createCircuitBreaker({ dataDir: world.again.dataDir, limits, now: Date.now }).trip('a drill', 'failures')
    const asked: string[] = []
    const fetchOf = world.network.fetch
    world.network.fetch = (input, init) => {
      asked.push(typeof init?.body === 'string' ? init.body : '')
      return fetchOf(input, init)
    }
    expect((await world.refuse('submit_twamm_order', small)).code).toBe('CIRCUIT_BREAKER_OPEN')
    // It is known for no way home before it is simulated.
    expect(asked.filter((body) => body.includes('eth_simulateV1'))).toEqual([])
    await world.call('claim_twamm_order', idOf(first))
    await world.call('cancel_twamm_order', idOf(second))
    await world.call('cancel_twamm_order', idOf(first))
  })
})
