import { useDevnet } from '@svc/devnet/testing'
import { readOrderFacts } from '@svc/amm/orders'
import { numberToHex } from 'viem'
import { sqrtPriceFromPrice } from '@svc/lp-math'
import { v3SwapRouter02Abi } from '@svc/amm/abis'
import { openStranger } from '../../fair-value/attack-kit.fixture.ts'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { rewriting } from '../../../../engine/src/fixtures/network.fixture.ts'
import { openOrderOf } from '../../../../engine/src/orders/settle-order.ts'
import { createCircuitBreaker } from '../../../../engine/src/switches/circuit-breaker.ts'
import { calls, keepsNineTenths, turnToken } from '../../../../engine/src/simulation/hostile-token.fixture.ts'
import type { World } from '../chain-world.fixture.ts'
import { useTradingWorld } from '../liquidity/trading-routes.fixture.ts'
import { allowanceOf, deepen, passDeadline, passOwnDeadline, spentUsd } from './signed-order.fixture.ts'

const devnet = useDevnet()
const trading = useTradingWorld(devnet)
const order = { tokenIn: 'WETH', tokenOut: 'USDC', amount: '1' }
const restore: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const putBack of restore.splice(0)) await putBack()
})

describe('what is reserved for an order that was filled counts', () => {
  test('where an endpoint keeps the logs of the reactor back, also once the deadline is over', async () => {
    const world = await trading.open()
    const answer = await world.call('submit_uniswapx_order', order)
    const spent = await spentUsd(world)
    await trading.api().fillOrders()
    await deepen(devnet())
    world.network.fetch = telling(world, { hasNoFill: true })
    await world.executor.reconcile()
    const operationId = answer.text('operationId')
    const seen = await world.call('get_operation', { operationId })
    // The nonce is used up, and the logs that say by what may come a moment after it.
    expect([seen.at('state'), seen.at('result.txHash'), seen.at('result.isFinal')]).toEqual(['open', null, false])
    expect(await spentUsd(world)).toBe(spent)
    await passDeadline(world, answer)
    await deepen(devnet())
    await world.executor.reconcile()
    expect(await spentUsd(world)).toBe(spent)
    expect(await breakerOf(world)).toBeNull()
    // Nobody has shown by what its nonce was used up: it counts in full, and ends.
    world.clock.offsetMs += 3_600_000
    await world.executor.reconcile()
    expect(await spentUsd(world)).toBeGreaterThanOrEqual(spent - 5)
    expect(await world.store.ledger.open()).toEqual([])
    expect((await world.call('get_operation', { operationId })).at('result.isFinal')).toBe(true)
    expect(await breakerOf(world)).toBe('shortfall')
  })

  test('where an endpoint tells of a free nonce beside that', async () => {
    const world = await trading.open()
    const answer = await world.call('submit_uniswapx_order', order)
    const spent = await spentUsd(world)
    await trading.api().fillOrders()
    await passDeadline(world, answer)
    await deepen(devnet())
    world.network.fetch = telling(world, { hasNoFill: true, calls: nonceBitmap })
    await world.executor.reconcile()
    await world.executor.reconcile()
    expect(await spentUsd(world)).toBe(spent)
    expect(await world.store.ledger.open()).toHaveLength(1)
  })

  test('where blocks are told to be later than they are, until our own clock agrees', async () => {
    const world = await trading.open()
    const answer = await world.call('submit_uniswapx_order', order)
    const spent = await spentUsd(world)
    await deepen(devnet())
    const later = Date.parse(answer.text('expiresAt')) / 1_000 + 5
    world.network.fetch = rewriting('eth_getBlockByNumber', (told) => ({
      ...told,
      result: { ...(told.result as object), timestamp: numberToHex(later) },
    }))
    await world.executor.reconcile()
    expect(await spentUsd(world)).toBe(spent)
    expect(await allowanceOf(world, 'WETH')).toBe(10n ** 18n)
    expect((await trading.api().fillOrders()).at(-1)).not.toBeNull()
  })

  test('where our own clock alone is past the deadline', async () => {
    const world = await trading.open()
    const answer = await world.call('submit_uniswapx_order', order)
    const spent = await spentUsd(world)
    passOwnDeadline(world, answer)
    await deepen(devnet())
    await world.executor.reconcile()
    expect(await spentUsd(world)).toBe(spent)
  })

  test('where the blocks that allowed it came again further back', async () => {
    const world = await trading.open()
    const answer = await world.call('submit_uniswapx_order', order)
    await trading.api().fillOrders()
    const stored = await world.store.orders.byOrder(world.chain.id, answer.text('orderId'))
    const one = openOrderOf(stored!)
    const head = await world.client.getBlock()
    for (const signedAtBlock of [head.number, head.number + 1_000_000n]) {
      const reads = { client: world.client, chain: world.chain, ownCall: async () => null }
      const facts = await readOrderFacts(reads, { ...one, signedAtBlock }, head)
      expect([facts.status, facts.fill?.amountIn]).toEqual(['filled', 10n ** 18n])
    }
  })

  test('where it was filled before it was cancelled, and an endpoint keeps that back', async () => {
    const world = await trading.open()
    const answer = await world.call('submit_uniswapx_order', order)
    const spent = await spentUsd(world)
    await trading.api().fillOrders()
    // As before the fill, so that the cancellation is signed.
    world.network.fetch = telling(world, { hasNoFill: true, calls: nonceBitmap })
    await world.call('cancel_uniswapx_order', { orderId: answer.text('orderId') })
    world.network.fetch = telling(world, { hasNoFill: true })
    await deepen(devnet())
    await world.executor.reconcile()
    expect((await spentUsd(world)) - spent).toBeGreaterThan(-5)
    expect(await world.store.orders.open(world.chain.id)).toHaveLength(1)
    world.network.fetch = fetch
    await world.executor.reconcile()
    expect((await world.call('get_operation', { operationId: answer.text('operationId') })).at('state')).toBe('filled')
    expect((await spentUsd(world)) - spent).toBeGreaterThan(-5)
  })

  test('where one of several endpoints does not bear out that it is over', async () => {
    const world = await trading.open({ moreUrls: [second] })
    const lies = telling(world, { calls: allowance })
    let isLying = true
    world.network.fetch = (input, init) => {
      const isSecond = input === second
      return (isSecond && isLying ? lies : fetch)(isSecond ? devnet().rpcUrl : input, init)
    }
    const answer = await world.call('submit_uniswapx_order', order)
    const spent = await spentUsd(world)
    await passDeadline(world, answer)
    await deepen(devnet())
    await world.executor.reconcile()
    expect(await spentUsd(world)).toBe(spent)
    isLying = false
    await world.executor.reconcile()
    expect(await spentUsd(world)).toBeLessThan(5)
  })
})

describe('what an order brings', () => {
  test('is refused before it is signed where the token keeps a part of what arrives', async () => {
    const world = await trading.open()
    await keepMost(world)
    const { code } = await world.refuse('submit_uniswapx_order', order)
    expect(code).toBe('UNSAFE_TRANSACTION')
    expect(await allowanceOf(world, 'WETH')).toBe(0n)
    expect(await world.store.orders.open(world.chain.id)).toEqual([])
  })

  test('counts as lost by what really came, and opens the breaker where that is much less than its end', async () => {
    const world = await trading.open()
    const answer = await world.call('submit_uniswapx_order', order)
    const reserved = await world.store.ledger.budgetUsage('loss')
    await keepMost(world)
    await trading.api().fillOrders()
    await deepen(devnet())
    await world.executor.reconcile()
    expect((await world.call('get_operation', { operationId: answer.text('operationId') })).at('result.isFinal')).toBe(
      true,
    )
    const spent = await spentUsd(world)
    const lost = Number(await world.store.ledger.budgetUsage('loss')) / 1e6
    expect(lost).toBeGreaterThan(Number(reserved) / 1e6 + spent / 2)
    expect(await breakerOf(world)).toBe('shortfall')
  })

  test('counts as lost at the prices of the block that filled it: the filler waits for the market to move', async () => {
    const world = await trading.open()
    const answer = await world.call('submit_uniswapx_order', order)
    const [lost, spent] = [await world.store.ledger.budgetUsage('loss'), await spentUsd(world)]
    await raisePrice(world, 1.03)
    await trading.api().fillOrders()
    await deepen(devnet())
    await world.executor.reconcile()
    const result = await world.call('get_operation', { operationId: answer.text('operationId') })
    expect([result.at('state'), result.at('result.isFinal')]).toEqual(['filled', true])
    const moreLost = Number((await world.store.ledger.budgetUsage('loss')) - lost) / 1e6
    expect(moreLost).toBeGreaterThan(0.02 * spent)
    expect((await spentUsd(world)) - spent).toBeGreaterThan(0.02 * spent)
    expect(await breakerOf(world)).toBeNull()
  })
})

describe('a process that ends between the ledger and the order', () => {
  test.each([
    ['filled', async () => void (await trading.api().fillOrders())],
    ['expired', passDeadline],
  ] as const)('settles one that is %s once', async (state, come) => {
    const world = await trading.open()
    const answer = await world.call('submit_uniswapx_order', order)
    await come(world, answer)
    await deepen(devnet())
    const next = await trading.open({ again: { ...world.again, offsetMs: world.clock.offsetMs } })
    vi.spyOn(next.store.orders, 'end').mockRejectedValueOnce(new Error('the process is gone'))
    expect((await next.executor.reconcile()).failed).toEqual([world.chain.id])
    const spent = await spentUsd(next)
    expect(await next.store.ledger.open()).toEqual([])
    expect(await next.store.orders.open(world.chain.id)).toHaveLength(1)
    await next.executor.reconcile()
    expect(await next.store.orders.open(world.chain.id)).toEqual([])
    const operation = await next.call('get_operation', { operationId: answer.text('operationId') })
    expect([operation.at('state'), operation.at('result.isFinal')]).toEqual([state, true])
    expect(Math.abs((await spentUsd(next)) - spent)).toBeLessThan(5)
    expect(await allowanceOf(next, 'WETH')).toBe(0n)
  })
})

test('an order that is on record counts, and keeps its allowance, also where keeping it seemed to fail', async () => {
  const world = await trading.open()
  const keep = world.store.orders.record.bind(world.store.orders)
  vi.spyOn(world.store.orders, 'record').mockImplementationOnce(async (signed) => {
    await keep(signed)
    throw new Error('the answer was lost')
  })
  expect((await world.refuse('submit_uniswapx_order', order)).code).toBe('OPERATION_INCOMPLETE')
  expect(await spentUsd(world)).toBeGreaterThan(2_000)
  await world.executor.reconcile()
  expect(await allowanceOf(world, 'WETH')).toBe(10n ** 18n)
  expect((await trading.api().fillOrders()).at(-1)).not.toBeNull()
  await deepen(devnet())
  await world.executor.reconcile()
  expect(await spentUsd(world)).toBeGreaterThan(2_000)
  expect(await world.store.ledger.open()).toEqual([])
})

const second = 'http://second.test/'
const nonceBitmap = '4fe02b44'
const allowance = 'dd62ed3e'

/** An endpoint that says of some things what it likes: no log of the reactor, and of calls of a function what is given. */
function telling(world: World, lies: { readonly hasNoFill?: boolean; readonly calls?: string }): typeof fetch {
  const zero = numberToHex(0, { size: 32 })
  return async (input, init) => {
    const asked = [JSON.parse(typeof init?.body === 'string' ? init.body : '')].flat() as Asked[]
    const isLie = ({ method, params: [first] }: Asked) =>
      method === 'eth_getLogs'
        ? lies.hasNoFill === true && first?.address?.toLowerCase() === world.chain.orderReactor!.toLowerCase()
        : method === 'eth_call' && lies.calls !== undefined && first?.data?.startsWith(`0x${lies.calls}`) === true
    const lied = new Map(asked.filter(isLie).map(({ id, method }) => [id, method === 'eth_call' ? zero : []]))
    const told = (await (await fetch(input, init)).json()) as { id: number } | { id: number }[]
    const tell = (one: { id: number }) =>
      lied.has(one.id) ? { jsonrpc: '2.0', id: one.id, result: lied.get(one.id) } : one
    return Response.json(Array.isArray(told) ? told.map(tell) : tell(told))
  }
}

type Asked = {
  readonly id: number
  readonly method: string
  readonly params: readonly { readonly data?: string; readonly address?: string }[]
}

/** From now on nine tenths of the dollars that somebody pulls stay on the way. */
async function keepMost(world: World): Promise<void> {
  const token = { devnet: devnet(), token: (symbol: string) => world.address(symbol) }
  const condition = calls('function transferFrom(address,address,uint256)')
  restore.push(await turnToken(token, { symbol: 'USDC', condition, evil: keepsNineTenths(0x44) }))
}

/** The market pays more for ether, and arbitrage takes its pools there. */
async function raisePrice(world: World, factor: number): Promise<void> {
  const usd = devnet().market.prices().ETH * factor
  const stranger = await openStranger(devnet())
  const { swapRouter02: router } = devnet().chain.amm.v3!
  const [weth, usdc] = [world.address('WETH'), world.address('USDC')]
  await stranger.approve(router, weth, usdc)
  await devnet().feeds.ETH.post(usd)
  const sqrtPriceLimitX96 =
    BigInt(weth) < BigInt(usdc)
      ? sqrtPriceFromPrice(usd.toFixed(6), 18, 6)
      : sqrtPriceFromPrice((1 / usd).toFixed(18), 6, 18)
  for (const fee of [100, 500, 3_000]) {
    const [recipient, amountIn] = [stranger.address, (await stranger.balanceOf(usdc)) / 2n]
    const swap = { tokenIn: usdc, tokenOut: weth, fee, recipient, amountIn, amountOutMinimum: 0n, sqrtPriceLimitX96 }
    await stranger.write(router, v3SwapRouter02Abi, 'exactInputSingle', [swap]).catch(() => undefined)
  }
}

async function breakerOf(world: World): Promise<string | null> {
  const { dataDir } = world.again
  const limits = () => world.executor.policy().breaker
  const { open, openedBy } = await createCircuitBreaker({ dataDir, limits, now: Date.now }).status()
  return open ? openedBy : null
}
