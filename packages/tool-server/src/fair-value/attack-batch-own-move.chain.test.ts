import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sqrtPriceFromPrice } from '@svc/lp-math'
import { useDevnet } from '@svc/devnet/testing'
import { afterEach, expect, it } from 'vitest'
import { v3SwapRouter02Abi } from '@svc/amm/abis'
import type { ChainActor } from '../../../amm/src/liquidity/chain-actor.fixture.ts'
import { beforeSending, methodsIn } from '../../../engine/src/fixtures/network.fixture.ts'
import { openWorld, type World } from '../tools/chain-world.fixture.ts'
import { v4Key } from './attack-calls.fixture.ts'
import { openConcentrated, openStranger, type OwnPool, syncClock } from './attack-kit.fixture.ts'

const devnet = useDevnet()
let world: World
afterEach(() => world.close())

it('G4: a batch that takes own liquidity out and puts it back adds no more of the wallet than the limits let out', async () => {
  world = await openUnlimited()
  const pair = { token0: 'WETH', token1: 'USDC', fee: 500, version: 'v4' }
  const market = devnet().market.prices().ETH
  const opened = await world.call('add_liquidity', {
    ...pair,
    priceLower: market * 0.97,
    priceUpper: market * 1.03,
    amount0: '6',
  })
  await limit()
  const stranger = await openStranger(devnet())
  await syncClock(world)
  const key = v4Key(world.address('WETH'), world.address('USDC'), 500, 10)
  const isWethFirst = key.currency0.toLowerCase() === world.address('WETH').toLowerCase()
  const before = await world.balance('USDC')
  beforeSending(world, 1, async () => {
    await stranger.swapV4(key, isWethFirst, 40n * 10n ** 18n)
  })
  const operations = [
    { type: 'remove', positionId: opened.text('positionId'), params: { version: 'v4', slippageBps: 500 } },
    {
      type: 'add',
      params: {
        ...pair,
        token0: 'USDC',
        token1: 'WETH',
        priceLower: 1 / (market * 0.94),
        priceUpper: 1 / (market * 0.8),
        amount0: '17000',
        slippageBps: 500,
      },
    },
  ]
  await world.call('batch_lp_operations', { operations }).catch(() => 'refused')
  const left = Number(before - (await world.balance('USDC'))) / 1e6
  // Above this a person must be asked.
  expect(left).toBeLessThan(250)
})

it('G4: neither does one whose own swap moves the pool between taking out and putting back', async () => {
  world = await openUnlimited()
  const stranger = await openStranger(devnet())
  const pool = await openConcentrated(devnet(), { low: 81_000, high: 100_000, wbtc: '0.0305', usdc: '2750' })
  const pair = { token0: 'WBTC', token1: 'USDC', fee: 500, version: 'v3', slippageBps: 100 }
  const range = { priceLower: 90_570, priceUpper: 90_660 }
  const large = await world.call('add_liquidity', { ...pair, ...range, amount0: '0.5' })
  const above = { priceLower: 95_000, priceUpper: 97_000 }
  const small = await world.call('add_liquidity', { ...pair, ...above, amount0: '0.0045' })
  await pushConcentrated(stranger, pool, 90_500, true)
  await limit()
  await syncClock(world)
  const before = await world.balance('WBTC')
  // What is taken out then pays the one token, and what is put back takes the other.
  beforeSending(world, 1, () => pushConcentrated(stranger, pool, 90_720, true))
  const wide = { version: 'v3', token0: 'WBTC', priceLower: 60_000, priceUpper: 130_000, slippageBps: 100 }
  const operations = [
    { type: 'remove', positionId: large.text('positionId'), params: { version: 'v3', slippageBps: 100 } },
    { type: 'rebalance', positionId: small.text('positionId'), params: wide },
    { type: 'add', params: { ...pair, ...range, amount0: '0.499' } },
  ]
  await world.call('batch_lp_operations', { operations }).catch(() => 'refused')
  const left = (Number(before - (await world.balance('WBTC'))) / 1e8) * 90_000
  expect(left).toBeLessThan(250)
})

it('G4: nor one whose pool is pushed between plan and simulation, and back beyond that before it is mined', async () => {
  world = await openUnlimited()
  const stranger = await openStranger(devnet())
  const pool = await openConcentrated(devnet(), { low: 81_000, high: 100_000, wbtc: '0.0305', usdc: '2750' })
  const pair = { token0: 'USDC', token1: 'WBTC', fee: 500, version: 'v3', slippageBps: 150 }
  const below = { priceLower: 1 / 89_700, priceUpper: 1 / 89_190 }
  const opened = await world.call('add_liquidity', { ...pair, ...below, amount0: '45000' })
  await limit()
  await syncClock(world)
  const before = await world.balance('USDC')
  const { fetch } = world.network
  let isPlanned = false
  let sent = 0
  world.network.fetch = async (input, init) => {
    const methods = methodsIn(typeof init?.body === 'string' ? init.body : '')
    // The pipeline starts from the newest block with this; what came before has planned.
    if (!isPlanned && methods.includes('eth_maxPriorityFeePerGas')) {
      isPlanned = true
      await pushConcentrated(stranger, pool, 91_250, true)
    }
    if (methods.includes('eth_sendRawTransaction')) {
      sent += 1
      // An allowance goes out before the call.
      if (sent === 2) await pushConcentrated(stranger, pool, 88_900, false)
    }
    return fetch(input, init)
  }
  const further = { priceLower: 1 / 80_000, priceUpper: 1 / 70_000 }
  const operations = [
    { type: 'remove', positionId: opened.text('positionId'), params: { version: 'v3', slippageBps: 150 } },
    { type: 'add', params: { ...pair, ...further, amount0: '44900' } },
  ]
  await world.call('batch_lp_operations', { operations }).catch(() => 'refused')
  const left = Number(before - (await world.balance('USDC'))) / 1e6
  expect(isPlanned).toBe(true)
  expect(left).toBeLessThan(250)
})

it('G4: shares of a pair that are given up beside a move of own liquidity count as what leaves', async () => {
  world = await openUnlimited()
  const pair = { token0: 'WETH', token1: 'USDC' }
  const shares = await world.call('add_liquidity', { ...pair, version: 'v2', amount0: '6' })
  const market = devnet().market.prices().ETH
  const range = { fee: 500, version: 'v3', priceLower: market * 0.5, priceUpper: market * 2 }
  const small = await world.call('add_liquidity', { ...pair, ...range, amount0: '0.01' })
  await limit()
  await syncClock(world)
  const operations = [
    { type: 'remove', positionId: small.text('positionId'), params: { version: 'v3', percentage: 50 } },
    { type: 'remove', positionId: shares.text('positionId'), params: { version: 'v2' } },
    { type: 'add', params: { ...pair, ...range, amount0: '5' } },
  ]
  expect(await world.refuse('batch_lp_operations', { operations })).toMatchObject({ code: 'SPENDING_LIMIT_EXCEEDED' })
})

function openUnlimited(): Promise<World> {
  const all = '1000000'
  const limitsUsd = { perTransaction: all, perSession: all, daily: all }
  return openWorld(devnet(), { policy: { version: 1, limitsUsd, approvalThresholdUsd: null } })
}

/** The same wallet on a state of its own, under the limits that hold where a policy names none. */
async function limit(): Promise<void> {
  const batchDelegate = { [devnet().chainId]: devnet().batchDelegate }
  const { privateKey } = world.again
  await world.close()
  const dataDir = await mkdtemp(join(tmpdir(), 'tools-'))
  world = await openWorld(devnet(), {
    again: { dataDir, privateKey },
    policy: { version: 1, allowlist: { mode: 'strict' }, batchDelegate },
  })
}

/** Trades until a bitcoin costs so many dollars there. */
async function pushConcentrated(actor: ChainActor, pool: OwnPool, usd: number, isUp: boolean): Promise<void> {
  const { usdc, wbtc, fee, isFirst } = pool
  const sqrtPriceLimitX96 = isFirst
    ? sqrtPriceFromPrice(`${usd}`, 8, 6)
    : sqrtPriceFromPrice((1 / usd).toFixed(18), 6, 8)
  const [tokenIn, tokenOut] = isUp ? [usdc, wbtc] : [wbtc, usdc]
  const router = devnet().chain.amm.v3!.swapRouter02
  await actor.approve(router, tokenIn)
  const amountIn = await actor.balanceOf(tokenIn)
  const trade = { tokenIn, tokenOut, fee, recipient: actor.address, amountIn, amountOutMinimum: 0n, sqrtPriceLimitX96 }
  await actor.write(router, v3SwapRouter02Abi, 'exactInputSingle', [trade])
}
