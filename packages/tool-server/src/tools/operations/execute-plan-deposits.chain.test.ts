import { useDevnet } from '@svc/devnet/testing'
import { concat, numberToHex, parseUnits, zeroAddress, type Address } from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { v3PositionManagerAbi } from '@svc/amm/abis'
import { type ChainActor, createChainActor } from '../../../../amm/src/liquidity/chain-actor.fixture.ts'
import { createDueRun } from '../../dispatch/carry-out.ts'
import { testClient } from '../../fair-value/attack-kit.fixture.ts'
import { openWorld, type World, type WorldOptions } from '../chain-world.fixture.ts'

const devnet = useDevnet()
const worlds: World[] = []
let trader: ChainActor

beforeEach(async () => {
  const account = devnet().accounts[5]!
  trader = await createChainActor(devnet(), account.address)
  await devnet().fund(account.address, { USDC: '20000000', WETH: '20' })
})

afterEach(async () => {
  await Promise.all(worlds.splice(0).map((world) => world.close()))
})

async function open(options: WorldOptions = {}): Promise<World> {
  const asksAbove = { allowlist: { mode: 'lenient' as const }, approvalThresholdUsd: '250' }
  const limitsUsd = { perTransaction: '900000', perSession: '900000', daily: '900000' }
  const world = await openWorld(devnet(), { policy: { ...asksAbove, limitsUsd }, ...options })
  worlds.push(world)
  return world
}

const versions = ['v2', 'v3', 'v4'] as const
type Version = (typeof versions)[number]
type Order = readonly ['WETH' | 'USDC', 'WETH' | 'USDC']
const orders: readonly Order[] = [
  ['WETH', 'USDC'],
  ['USDC', 'WETH'],
]
const rows = versions.flatMap((version) => orders.map(([one, other]) => [version, one, other] as const))

function deposit(version: Version, [token0, token1]: Order): Readonly<Record<string, unknown>> {
  const amount0 = token0 === 'WETH' ? '5' : '15000'
  const range = version === 'v2' ? {} : { fee: 500, rangeStrategy: 'narrow' }
  return { token0, token1, amount0, version, slippageBps: 100, ...range }
}

/** Sells one token for the other in the pool of a deposit; gives what came of it. */
async function trade(version: Version, symbol: 'WETH' | 'USDC', amount: bigint): Promise<bigint> {
  const [tokenIn, tokenOut] = [symbol, symbol === 'WETH' ? 'USDC' : 'WETH'].map(
    (one) => devnet().tokens.find((token) => token.symbol === one)!.address,
  ) as [Address, Address]
  const before = await trader.balanceOf(tokenOut)
  if (version === 'v2') await trader.swapV2([tokenIn, tokenOut], amount)
  else if (version === 'v3') await trader.swapV3(concat([tokenIn, numberToHex(500, { size: 3 }), tokenOut]), amount)
  else {
    const isFirst = BigInt(tokenIn) < BigInt(tokenOut)
    const [currency0, currency1] = isFirst ? [tokenIn, tokenOut] : [tokenOut, tokenIn]
    await trader.swapV4({ currency0, currency1, fee: 500, tickSpacing: 10, hooks: zeroAddress }, isFirst, amount)
  }
  return (await trader.balanceOf(tokenOut)) - before
}

/** Enough to carry the price out of a narrow range, in either kind of pool. */
const pushes = { v2: parseUnits('1000000', 6), v3: parseUnits('9000000', 6), v4: parseUnits('2000000', 6) }

async function approved(world: World, tool: string, args: Readonly<Record<string, unknown>>): Promise<string> {
  const { code, details } = await world.refuse(tool, args)
  expect(code).toBe('APPROVAL_REQUIRED')
  const id = z.string().parse(details[0]?.['operationId'])
  const { planHash } = (await world.store.operations.byId(id))!
  await world.store.operations.decide(id, { approved: true, by: 'operator:cli', planHash })
  return id
}

async function shown(world: World, id: string) {
  const operation = await world.store.operations.byId(id)
  return deposits.parse(JSON.parse(operation!.plan)).deposits[0]!
}

const deposits = z.object({
  deposits: z.array(
    z.looseObject({
      priceLower: z.number().nullable(),
      priceUpper: z.number().nullable(),
      currentPrice: z.number(),
      tickLower: z.number().nullable(),
      tickUpper: z.number().nullable(),
    }),
  ),
})

/** In the pool's order; a share of a pair has none. */
async function ticksOf(world: World, version: Version, positionId: string): Promise<readonly unknown[]> {
  if (version === 'v2') return [null, null]
  const position = await world.call('get_position', { positionId, version })
  return [position.at('tickLower'), position.at('tickUpper')]
}

async function balances(world: World): Promise<readonly bigint[]> {
  return Promise.all(['WETH', 'USDC'].map((symbol) => world.balance(symbol)))
}

describe('an approved deposit', () => {
  test.each(rows)(
    'on %s, %s/%s: is refused once the pool was pushed, with what was planned and what is',
    async (version, ...order) => {
      const world = await open()
      const id = await approved(world, 'add_liquidity', deposit(version, order))
      const [plan, before] = [await shown(world, id), await balances(world)]
      await trade(version, 'USDC', pushes[version])
      const refusal = await world.refuse('execute_plan', { planId: id })
      expect(refusal.code).toBe('SIMULATION_DRIFT')
      expect(refusal.details).toMatchObject([
        {
          planned: `${plan.currentPrice}`,
          plannedTick: expect.any(Number),
          nowTick: expect.any(Number),
          slippageBps: 100,
        },
      ])
      const [{ now }] = z.tuple([z.looseObject({ now: z.string() })]).parse(refusal.details)
      expect(order[0] === 'WETH' ? Number(now) : 1 / Number(now)).toBeGreaterThan(
        1.2 * (order[0] === 'WETH' ? plan.currentPrice : 1 / plan.currentPrice),
      )
      expect(await balances(world)).toEqual(before)
      expect(await world.store.ledger.open()).toEqual([])
      expect((await world.call('get_operation', { operationId: id })).at('state')).toBe('failed')
    },
  )

  test.each(rows)(
    'on %s, %s/%s: is carried out once the push is undone, in the range that was shown',
    async (version, ...order) => {
      const world = await open()
      const id = await approved(world, 'add_liquidity', deposit(version, order))
      const [plan, before] = [await shown(world, id), await balances(world)]
      const bought = await trade(version, 'USDC', pushes[version])
      await trade(version, 'WETH', bought)
      const answer = await world.call('execute_plan', { planId: id })
      expect(answer.text('status')).toBe('success')
      expect(await ticksOf(world, version, answer.text('positionId'))).toEqual([plan.tickLower, plan.tickUpper])
      const after = await balances(world)
      expect(after.every((left, index) => left < before[index]!)).toBe(true)
    },
  )

  test.each(rows)(
    'on %s, %s/%s: is carried out after a small move, in the planned range and with no more than planned',
    async (version, ...order) => {
      const world = await open()
      const id = await approved(world, 'add_liquidity', deposit(version, order))
      const [plan, before] = [await shown(world, id), await balances(world)]
      const operation = (await world.store.operations.byId(id))!
      const { spends } = z
        .object({ spends: z.array(z.object({ token: z.string(), amount: z.string() })) })
        .parse(JSON.parse(operation.intent))
      await trade(version, 'USDC', pushes[version] / 700n)
      const answer = await world.call('execute_plan', { planId: id })
      expect(answer.number('currentPrice')).not.toBe(plan.currentPrice)
      expect(Math.abs(answer.number('currentPrice') / plan.currentPrice - 1)).toBeGreaterThan(0.0002)
      expect(await ticksOf(world, version, answer.text('positionId'))).toEqual([plan.tickLower, plan.tickUpper])
      const after = await balances(world)
      for (const [index, symbol] of ['WETH', 'USDC'].entries()) {
        const most = spends.find(({ token }) => token.toLowerCase() === world.address(symbol).toLowerCase())!
        expect(before[index]! - after[index]! <= BigInt(most.amount)).toBe(true)
      }
    },
  )
})

const nobodyAsked = { allowlist: { mode: 'lenient' as const }, approvalThresholdUsd: null }
const wide = { perTransaction: '900000', perSession: '900000', daily: '900000' }

async function planOf(world: World, tool: string, args: Readonly<Record<string, unknown>>): Promise<string> {
  return (await world.call(tool, { ...args, dryRun: true })).text('plan.planId')
}

describe('a planned increase', () => {
  test.each(['v3', 'v4'] as const)(
    'on %s: is refused once the pool was pushed, and carried out once it is back',
    async (version) => {
      const world = await open({ policy: { ...nobodyAsked, limitsUsd: wide } })
      const opened = await world.call('add_liquidity', deposit(version, ['WETH', 'USDC']))
      const positionId = opened.text('positionId')
      await testClient(devnet()).mine({ blocks: 2 })
      const isFirst = BigInt(world.address('WETH')) < BigInt(world.address('USDC'))
      const args = { positionId, version, amount0: isFirst ? '1' : '3000', slippageBps: 100 }
      const [first, second] = [
        await planOf(world, 'increase_liquidity', args),
        await planOf(world, 'increase_liquidity', args),
      ]
      const [plan, before] = [await shown(world, first), await balances(world)]
      const bought = await trade(version, 'USDC', pushes[version])
      const refusal = await world.refuse('execute_plan', { planId: first })
      expect(refusal).toMatchObject({ code: 'SIMULATION_DRIFT', details: [{ planned: `${plan.currentPrice}` }] })
      expect(await balances(world)).toEqual(before)
      await trade(version, 'WETH', bought)
      expect((await world.call('execute_plan', { planId: second })).text('positionId')).toBe(positionId)
    },
  )
})

describe('a planned move with a swap', () => {
  test.each(['v3', 'v4'] as const)(
    'on %s: is carried out after a small move, and lets no router take more than planned',
    async (version) => {
      const world = await open({ policy: { ...nobodyAsked, limitsUsd: wide } })
      const opened = await world.call('add_liquidity', deposit(version, ['WETH', 'USDC']))
      const price = opened.number('currentPrice')
      const range = { token0: 'WETH', priceLower: price * 0.8, priceUpper: price * 1.1 }
      const args = { positionId: opened.text('positionId'), version, slippageBps: 100, ...range }
      const planned = await world.call('rebalance_position', { ...args, dryRun: true })
      const before = await balances(world)
      await trade(version, 'WETH', parseUnits(version === 'v3' ? '2' : '0.5', 18))
      const answer = await world.call('execute_plan', { planId: planned.text('plan.planId') })
      expect(answer.text('status')).toBe('success')
      expect((await balances(world)).every((left, index) => left >= before[index]!)).toBe(true)
    },
  )
})

describe('a deposit that waits for its time', () => {
  test('fails with what was planned and what is, where the pool was pushed meanwhile', async () => {
    const delayed = { ...nobodyAsked, limitsUsd: wide, proxyDelay: true, delaySeconds: { routine: 600 } }
    const world = await open({ policy: delayed })
    const id = (await world.call('add_liquidity', deposit('v3', ['WETH', 'USDC']))).text('operationId')
    const before = await balances(world)
    await trade('v3', 'USDC', pushes.v3)
    world.clock.offsetMs = 601_000
    const { operations, dispatch, clock } = world
    const log = { info: () => {}, warn: () => {} }
    const carryOut: typeof dispatch.carryOutDue = (operation) => dispatch.carryOutDue(operation)
    await createDueRun({ operations, carryOut, now: () => Date.now() + clock.offsetMs, log })()
    const done = await world.call('get_operation', { operationId: id })
    expect([done.at('state'), done.at('error.code')]).toEqual(['failed', 'SIMULATION_DRIFT'])
    expect(await balances(world)).toEqual(before)
  })
})

describe('a planned pool', () => {
  const created = {
    token0: 'DAI',
    token1: 'USDC',
    fee: 10_000,
    amount0: '1000',
    amount1: '1000',
    rangeStrategy: 'wide',
  }

  test.each(['v3', 'v4'])('on %s: is created as planned', async (version) => {
    const world = await open({ policy: { ...nobodyAsked, limitsUsd: wide } })
    const planId = await planOf(world, 'add_liquidity', { ...created, version })
    expect((await world.call('execute_plan', { planId })).number('currentPrice')).toBeCloseTo(1, 6)
  })

  test.each(['v3', 'v4'])('on %s: is not deposited into where somebody creates it first', async (version) => {
    const world = await open({ policy: { ...nobodyAsked, limitsUsd: wide } })
    const planId = await planOf(world, 'add_liquidity', { ...created, version })
    const [token0, token1] = [world.address('DAI'), world.address('USDC')].toSorted((one, other) =>
      BigInt(one) < BigInt(other) ? -1 : 1,
    ) as [Address, Address]
    const { v3 } = world.chain.amm
    const at = 2n ** 96n
    if (version === 'v3') {
      const args = [token0, token1, 10_000, at] as const
      await trader.write(v3!.positionManager, v3PositionManagerAbi, 'createAndInitializePoolIfNecessary', args)
    } else {
      const key = { currency0: token0, currency1: token1, fee: 10_000, tickSpacing: 200, hooks: zeroAddress }
      await trader.initializeV4(key, at)
    }
    expect(await world.refuse('execute_plan', { planId })).toMatchObject({
      code: 'SIMULATION_DRIFT',
      details: [{ message: 'Differs: pool.', planned: 'created with the deposit', now: 'there already' }],
    })
  })
})
