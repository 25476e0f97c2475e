import { useDevnet } from '@svc/devnet/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { priceFromSqrtPrice } from '@svc/lp-math'
import { v4StateViewAbi } from '@svc/amm/abis'
import { poolIdOf, type PoolKey } from '@svc/amm/liquidity'
import { parseUnits, zeroAddress } from 'viem'
import type { ChainActor } from '../../../amm/src/liquidity/chain-actor.fixture.ts'
import { openWorld, type World } from '../tools/chain-world.fixture.ts'
import { v4Key } from './attack-calls.fixture.ts'
import { openAfter, openStranger, strict, syncClock, worthOf } from './attack-kit.fixture.ts'

const devnet = useDevnet()
let world: World
afterEach(() => world.close())

/** Dollars alone, some four hundredths below the market: at a price below the range it takes ether alone. */
function below(ether: string, usd: string) {
  const market = devnet().market.prices().ETH
  const range = { priceLower: market * 0.956, priceUpper: market * 0.958 }
  const pair = { token0: ether, token1: 'USDC', version: 'v4', fee: 500, slippageBps: 500 }
  return { ...pair, amount0: '0', amount1: usd, ...range }
}

const chunk = parseUnits('4', 18)

async function priceOf(key: PoolKey): Promise<number> {
  const { stateView } = devnet().chain.amm.v4!
  const asked = { address: stateView, abi: v4StateViewAbi, functionName: 'getSlot0', args: [poolIdOf(key)] } as const
  const [sqrtPriceX96] = await world.client.readContract(asked)
  return priceFromSqrtPrice(sqrtPriceX96, 18, 6)
}

/** Before each transaction to the v4 position manager the pool is pushed below the range. */
function pushBeforeDeposits(stranger: ChainActor): { takeBack(): Promise<void>; end(): void } {
  const usdc = world.address('USDC')
  const key = v4Key(zeroAddress, usdc, 500, 10)
  const manager = devnet().chain.amm.v4!.positionManager.slice(2).toLowerCase()
  const { fetch } = world.network
  let bought = 0n
  world.network.fetch = async (input, init) => {
    const body = typeof init?.body === 'string' ? init.body : ''
    if (bought === 0n && body.includes('eth_sendRawTransaction') && body.toLowerCase().includes(manager)) {
      const had = await stranger.balanceOf(usdc)
      while ((await priceOf(key)) > devnet().market.prices().ETH * 0.9545) await stranger.swapV4(key, true, chunk)
      bought = (await stranger.balanceOf(usdc)) - had
    }
    return fetch(input, init)
  }
  return {
    async takeBack() {
      if (bought > 0n) await stranger.swapV4(key, false, bought)
      bought = 0n
    },
    end() {
      world.network.fetch = fetch
    },
  }
}

describe('G13: what a v4 deposit may take of native currency counts at every price at which it may be mined', () => {
  it.each(['ETH', 'WETH'])('in a plan with %s', async (ether) => {
    world = await openWorld(devnet(), { policy: strict })
    await syncClock(world)
    const planned = await world.call('add_liquidity', { ...below(ether, '100'), dryRun: true })
    expect(planned.at('plan.policy.refusals')).toMatchObject([{ code: 'VALUE_LOSS_EXCEEDED' }])
  })

  it('where own liquidity is moved within its pool', async () => {
    const pair = { token0: 'ETH', token1: 'USDC', version: 'v4', fee: 500, rangeStrategy: 'medium', amount0: '17' }
    const add = async (earlier: World) => {
      await syncClock(earlier)
      const worthUsd = await worthOf(earlier)
      return [worthUsd, await earlier.call('add_liquidity', pair)] as const
    }
    const options = { mostUsd: 900_000, funds: { ETH: '60', USDC: '200000' } }
    const { outcome, ...now } = await openAfter(devnet(), add, options)
    const [before, opened] = outcome
    world = now.world
    const stranger = await openStranger(devnet())
    await devnet().fund(stranger.address, { ETH: '3000' })
    await syncClock(world)
    const push = pushBeforeDeposits(stranger)
    const market = devnet().market.prices().ETH
    const range = { token0: 'ETH', priceLower: market * 0.956, priceUpper: market * 0.958 }
    const args = {
      positionId: opened.text('positionId'),
      version: 'v4',
      swapToRatio: false,
      slippageBps: 500,
      ...range,
    }
    const moved = await world.call('rebalance_position', args).then(
      (answer) => answer.text('newPosition.positionId'),
      () => opened.text('positionId'),
    )
    await push.takeBack()
    push.end()
    await syncClock(world)
    await world.call('remove_liquidity', { positionId: moved, version: 'v4' })
    expect(before - (await worthOf(world))).toBeLessThan(45)
  })
})
