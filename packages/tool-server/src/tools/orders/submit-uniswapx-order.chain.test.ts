import { orderTricks } from '@svc/devnet/trading-api'
import { useDevnet } from '@svc/devnet/testing'
import { formatUnits } from 'viem'
import { describe, expect, test } from 'vitest'
import { createCircuitBreaker } from '../../../../engine/src/switches/circuit-breaker.ts'
import { pause } from '../../../../engine/src/switches/kill-switch.ts'
import { ownPolicy, type World } from '../chain-world.fixture.ts'
import { useTradingWorld } from '../liquidity/trading-routes.fixture.ts'
import { allowanceOf, deepen, isNonceUsed, passDeadline, spentUsd } from './signed-order.fixture.ts'

const devnet = useDevnet()
const trading = useTradingWorld(devnet)
const order = { tokenIn: 'WETH', tokenOut: 'USDC', amount: '1' }

describe('submit_uniswapx_order', () => {
  test('is filled by the real reactor, followed by what the chain says, and its allowance is used up', async () => {
    const world = await trading.open()
    const before = await world.balance('USDC')
    const answer = await world.call('submit_uniswapx_order', order)
    expect(answer.at('isAccepted')).toBe(true)
    expect(await allowanceOf(world, 'WETH')).toBe(10n ** 18n)
    expect(await world.balance('USDC')).toBe(before)
    const operationId = answer.text('operationId')
    const open = await world.call('get_operation', { operationId })
    expect(open.at('state')).toBe('open')
    expect(open.at('result.amountOut')).toBeNull()
    expect(open.text('expiresAt')).toBe(answer.text('expiresAt'))

    const [txHash] = await trading.api().fillOrders()
    const filled = await world.call('get_operation', { operationId })
    expect(filled.at('state')).toBe('filled')
    expect(filled.at('result.txHash')).toBe(txHash)
    expect(filled.text('result.amountIn')).toBe('1')
    const came = formatUnits((await world.balance('USDC')) - before, 6)
    expect(filled.text('result.amountOut')).toBe(came)
    expect(Number(came)).toBeGreaterThanOrEqual(Number(answer.text('minAmountOut')))
    expect(Number(came)).toBeLessThanOrEqual(Number(answer.text('startAmountOut')))
    // One more block might still replace the one that filled it.
    expect(filled.at('result.isFinal')).toBe(false)
    await deepen(devnet())
    await world.executor.reconcile()
    const settled = await world.call('get_operation', { operationId })
    expect(settled.at('result.isFinal')).toBe(true)
    expect(settled.text('result.amountOut')).toBe(came)
    expect((await world.call('list_operations', { state: 'open' })).list('operations')).toEqual([])
    const [listed] = (await world.call('list_operations', { state: 'filled' })).list('operations')
    expect(listed!.text('operationId')).toBe(operationId)
    expect(await world.store.ledger.open()).toEqual([])
    expect(await allowanceOf(world, 'WETH')).toBe(0n)
    expect(await world.audited('order.ended')).toEqual([
      expect.objectContaining({ operationId, result: expect.objectContaining({ state: 'filled' }) }),
    ])
  })

  test('counts from its signature on, keeps its allowance, and gives both back once it is over', async () => {
    const world = await trading.open()
    const answer = await world.call('submit_uniswapx_order', order)
    const operationId = answer.text('operationId')
    const [reserved] = await world.store.ledger.open()
    expect(Number(reserved?.amountUsdMicros) / 1e6).toBeGreaterThan(2_000)
    const spent = await spentUsd(world)
    expect(spent).toBeGreaterThan(2_000)
    // Sweeps leave alone what the order lives by, also while blocks go by.
    await deepen(devnet())
    await world.executor.reconcile()
    expect(await allowanceOf(world, 'WETH')).toBe(10n ** 18n)
    expect(await spentUsd(world)).toBe(spent)

    await passDeadline(world, answer)
    const over = await world.call('get_operation', { operationId })
    expect(over.at('state')).toBe('expired')
    // Not before the block that says so is settled.
    expect(over.at('result.isFinal')).toBe(false)
    expect(await spentUsd(world)).toBe(spent)
    await deepen(devnet())
    await world.executor.reconcile()
    await world.executor.reconcile()
    expect((await world.call('get_operation', { operationId })).at('result.isFinal')).toBe(true)
    expect(await spentUsd(world)).toBeLessThan(5)
    expect(await allowanceOf(world, 'WETH')).toBe(0n)
    // Its filler comes too late.
    expect(await trading.api().fillOrders()).toEqual([null])
  })

  test('has what needs the same allowance wait, and nothing else', async () => {
    const world = await trading.open()
    const answer = await world.call('submit_uniswapx_order', order)
    const { code, details } = await world.refuse('submit_uniswapx_order', order)
    expect(code).toBe('ORDER_OPEN')
    expect(details[0]).toMatchObject({ operationId: answer.text('operationId'), orderId: answer.text('orderId') })
    await world.call('submit_uniswapx_order', { tokenIn: 'USDC', tokenOut: 'WETH', amount: '500' })
    await trading.api().fillOrders()
    await deepen(devnet())
    await world.call('submit_uniswapx_order', order)
  })

  test('shows in a plan what would be signed, signs nothing, and is carried out within it', async () => {
    const world = await trading.open()
    const planned = await world.call('submit_uniswapx_order', { ...order, dryRun: true })
    expect(planned.at('plan.steps.1.label')).toBe('sign order')
    expect(planned.at('plan.steps.1.calls.0.arguments')).toMatchObject({
      recipient: world.wallet,
      amountIn: `${10n ** 18n}`,
    })
    expect(await allowanceOf(world, 'WETH')).toBe(0n)
    expect(ordersOf(world)).toEqual([])
    const answer = await world.call('execute_plan', { planId: planned.text('plan.planId') })
    expect(Number(answer.text('minAmountOut'))).toBeGreaterThan(0)
    const operationId = answer.text('operationId')
    expect((await world.call('get_operation', { operationId })).at('state')).toBe('open')
    const [placed, plan] = (await world.call('list_operations', {})).list('operations')
    expect(placed!.data).toMatchObject({ operationId, state: 'open', tool: 'submit_uniswapx_order', chainId: 31_337 })
    expect(placed!.text('expiresAt')).toBe(answer.text('expiresAt'))
    expect(plan!.data).toMatchObject({ operationId: planned.text('plan.planId'), becameOperationId: operationId })
    const asked = await world.call('get_operation', { operationId: planned.text('plan.planId') })
    expect(asked.at('becameOperationId')).toBe(operationId)
  })

  test.each(orderTricks.filter((trick) => trick !== 'same-nonce'))(
    'signs no order on offer that is another one: %s',
    async (trick) => {
      const world = await trading.open()
      trading.api().setFaults([{ fault: trick, methods: ['POST /v1/quote'] }])
      const { code, details } = await world.refuse('submit_uniswapx_order', order)
      expect([code, details[0]?.field]).toEqual(refusals[trick])
      expect(await allowanceOf(world, 'WETH')).toBe(0n)
      expect(ordersOf(world)).toEqual([])
      expect(await world.store.orders.open(world.chain.id)).toEqual([])
    },
  )

  test('signs no second order with the nonce of one that is open', async () => {
    const world = await trading.open()
    trading.api().setFaults([{ fault: 'same-nonce', methods: ['POST /v1/quote'] }])
    await world.call('submit_uniswapx_order', order)
    const other = { tokenIn: 'USDC', tokenOut: 'WETH', amount: '500' }
    const { code, details } = await world.refuse('submit_uniswapx_order', other)
    expect([code, details[0]?.field]).toEqual(refusals['same-nonce'])
    expect(await world.store.orders.open(world.chain.id)).toHaveLength(1)
  })

  test('offers no order that the wallet cannot pay', async () => {
    const world = await trading.open()
    expect((await world.refuse('submit_uniswapx_order', { ...order, amount: '21' })).code).toBe('INSUFFICIENT_BALANCE')
    expect(await allowanceOf(world, 'WETH')).toBe(0n)
  })

  test.each([
    ['does not answer', { status: 500 }],
    ['declines it', { status: 400 }],
  ] as const)(
    'stays signed and counted where the service %s, and is offered again as the same bytes',
    async (_what, fault) => {
      const world = await trading.open()
      trading.api().setFaults([{ fault, methods: ['POST /v1/order'] }])
      const answer = await world.call('submit_uniswapx_order', order)
      expect(answer.at('isAccepted')).toBe(false)
      expect(await spentUsd(world)).toBeGreaterThan(2_000)
      trading.api().setFaults([])
      await world.executor.reconcile()
      expect(
        trading
          .api()
          .orders()
          .map(({ orderId }) => orderId),
      ).toContain(answer.text('orderId'))
      await trading.api().fillOrders()
      const operation = await world.call('get_operation', { operationId: answer.text('operationId') })
      expect(operation.at('state')).toBe('filled')
    },
  )

  test('refuses native currency, which Permit2 does not move', async () => {
    const world = await trading.open()
    const native = await world.refuse('submit_uniswapx_order', { ...order, tokenIn: 'ETH' })
    expect([native.code, native.details[0]?.field, native.details[0]?.accepted]).toEqual([
      'VALIDATION_FAILED',
      'tokenIn',
      'WETH',
    ])
  })
})

describe('a process that ends between signing and handing over', () => {
  test('leaves an order that counts, is offered by the next one, and is named to who asks again', async () => {
    const world = await trading.open()
    trading.api().setFaults([{ fault: { status: 503 }, methods: ['POST /v1/order'] }])
    const asked = { ...order, idempotencyKey: 'once' }
    const answer = await world.call('submit_uniswapx_order', asked)
    const spent = await spentUsd(world)
    const next = await trading.open({ again: world.again })
    // As at every start.
    await next.store.ledger.releaseUnsigned()
    await next.executor.reconcile()
    expect(await spentUsd(next)).toBe(spent)
    expect(await allowanceOf(next, 'WETH')).toBe(10n ** 18n)
    expect(ordersOf(world)).toEqual([])
    trading.api().setFaults([])
    await next.executor.reconcile()
    expect(ordersOf(world)).toEqual([answer.text('orderId')])
    expect((await next.call('submit_uniswapx_order', asked)).text('orderId')).toBe(answer.text('orderId'))
    expect(ordersOf(world)).toHaveLength(1)
  })

  test('is not offered while the operator has paused signing, and is let go once it is over', async () => {
    const world = await trading.open()
    trading.api().setFaults([{ fault: { status: 503 }, methods: ['POST /v1/order'] }])
    const answer = await world.call('submit_uniswapx_order', order)
    trading.api().setFaults([])
    const next = await trading.open({ again: world.again })
    await pause(world.again, { by: 'a test', reason: 'a test', at: new Date(0).toISOString() })
    await next.executor.reconcile()
    expect(ordersOf(world)).toEqual([])
    await passDeadline(next, answer)
    await deepen(devnet())
    await next.executor.reconcile()
    expect(await spentUsd(next)).toBeLessThan(5)
    expect(ordersOf(world)).toEqual([])
  })
})

describe('cancel_uniswapx_order', () => {
  test('uses the nonce up and takes the allowance back, so that nobody can fill it', async () => {
    const world = await trading.open()
    const answer = await world.call('submit_uniswapx_order', order)
    const cancelled = await world.call('cancel_uniswapx_order', { orderId: answer.text('orderId') })
    expect(cancelled.at('orderStatus')).toBe('cancelled')
    expect(await isNonceUsed(world, answer.text('orderId'))).toBe(true)
    expect(await allowanceOf(world, 'WETH')).toBe(0n)
    expect(await trading.api().fillOrders()).toContain(null)
    const spent = await spentUsd(world)
    await deepen(devnet())
    await world.executor.reconcile()
    expect((await world.call('get_operation', { operationId: answer.text('operationId') })).at('state')).toBe(
      'cancelled',
    )
    expect(await spentUsd(world)).toBeLessThan(spent - 2_000)
    const again = await world.refuse('cancel_uniswapx_order', { orderId: answer.text('orderId') })
    expect([again.code, again.details[0]?.field]).toEqual(['ORDER_NOT_ACTIVE', 'orderId'])
  })

  test('passes where limits are used up and a breaker lets only ways home pass', async () => {
    const limitsUsd = { perTransaction: '4000', perSession: '4000', daily: '4000' }
    const world = await trading.open({ policy: { ...ownPolicy(devnet()), limitsUsd } })
    const answer = await world.call('submit_uniswapx_order', order)
    const refused = await world.refuse('submit_uniswapx_order', { tokenIn: 'USDC', tokenOut: 'WETH', amount: '3000' })
    expect(refused.code).toBe('SPENDING_LIMIT_EXCEEDED')
    const { dataDir } = world.again
    const limits = () => world.executor.policy().breaker
    await createCircuitBreaker({ dataDir, limits, now: Date.now }).trip('a test', 'shortfall')
    expect((await world.refuse('execute_swap', { ...order, amount: '0.001' })).code).toBe('CIRCUIT_BREAKER_OPEN')
    await world.call('cancel_uniswapx_order', { orderId: answer.text('orderId') })
    expect(await isNonceUsed(world, answer.text('orderId'))).toBe(true)
    expect(await allowanceOf(world, 'WETH')).toBe(0n)
  })

  test('says of a stranger that there is no such order', async () => {
    const world = await trading.open()
    const { code } = await world.refuse('cancel_uniswapx_order', { orderId: `0x${'1'.repeat(64)}` })
    expect(code).toBe('ORDER_NOT_FOUND')
  })
})

/** What of a wallet the service has taken. */
function ordersOf({ wallet }: World): readonly string[] {
  return trading
    .api()
    .orders()
    .flatMap(({ swapper, orderId }) => (swapper === wallet ? [orderId] : []))
}

const unsafe = (field: string) => ['UNSAFE_TRANSACTION', `order.${field}`]
const refusals: Readonly<Record<(typeof orderTricks)[number], readonly string[]>> = {
  'other-reactor': unsafe('reactor'),
  'other-recipient': unsafe('outputs[0].recipient'),
  'other-swapper': unsafe('swapper'),
  'other-token': unsafe('outputs[0].token'),
  'more-input': unsafe('input.startAmount'),
  'rising-input': unsafe('input.endAmount'),
  'falls-to-nothing': ['ORDER_OFFER_TOO_LOW', 'slippageBps'],
  'rising-output': unsafe('outputs[0].startAmount'),
  'second-output': unsafe('outputs'),
  'late-deadline': unsafe('deadline'),
  'past-deadline': unsafe('deadline'),
  'validation-contract': unsafe('additionalValidationContract'),
  'no-cosigner': unsafe('cosigner'),
  'order-of-other-chain': unsafe('chainId'),
  'other-id': unsafe('orderId'),
  'huge-output': unsafe('outputs[0].startAmount'),
  'same-nonce': unsafe('nonce'),
}
