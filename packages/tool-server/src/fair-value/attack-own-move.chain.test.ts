import { useDevnet } from '@svc/devnet/testing'
import { afterEach, expect, it } from 'vitest'
import type { World } from '../tools/chain-world.fixture.ts'
import { openAfter, openStranger, syncClock, worthOf } from './attack-kit.fixture.ts'
import { pushTo } from './push-to.fixture.ts'

const devnet = useDevnet()
let world: World
afterEach(() => world.close())

/** Two percent of what a day may spend by default. */
const maxDailyLossUsd = 40
/** Within the 0.5 % that the feed of ether may be off before it answers anew. */
const lag = 1.0045

/** A position of so many WETH and as much of USDC, and the server as it is by default. */
async function ownPosition(weth: number): Promise<{ readonly positionId: string; readonly worthUsd: number }> {
  const pair = { token0: 'WETH', token1: 'USDC', fee: 500, rangeStrategy: 'medium', amount0: `${weth * 0.95}` }
  const add = async (before: World) => {
    const worthUsd = await ownUsd(before)
    return { worthUsd, positionId: (await before.call('add_liquidity', pair)).text('positionId') }
  }
  const options = { mostUsd: weth * 10_000, funds: { WETH: `${weth}`, USDC: `${weth * 4_000}` } }
  const { outcome, ...now } = await openAfter(devnet(), add, options)
  world = now.world
  return outcome
}

/** Gas left out. */
async function ownUsd(of: World): Promise<number> {
  const eth = Number(await of.balance('ETH')) / 1e18
  return (await worthOf(of)) - eth * devnet().market.prices().ETH
}

/** All that a position holds lies on one side of the price: ether below it, dollars above it. */
async function moveTo(positionId: string, side: 'below' | 'above', usd: number): Promise<string> {
  const [priceLower, priceUpper] = side === 'below' ? [usd * 0.998, usd * 0.9993] : [usd * 1.0007, usd * 1.002]
  const args = {
    positionId,
    version: 'v3',
    swapToRatio: false,
    slippageBps: 10,
    token0: 'WETH',
    priceLower,
    priceUpper,
  }
  const moved = await world.call('rebalance_position', args)
  return moved.text('newPosition.positionId')
}

it.each([
  [17, 1],
  [340, 1],
  [340, 2],
])(
  'G13: own liquidity that is moved within its pool loses no more than a day may lose where a feed lags, %s WETH a side, %s moves',
  async (weth, moves) => {
    const { positionId, worthUsd } = await ownPosition(weth)
    const stranger = await openStranger(devnet())
    const market = devnet().market.prices().ETH
    let last = positionId
    for (let turn = 0; turn < moves; turn += 1) {
      // The market swings by less than what has the feed answer anew; the stranger brings the pool to the feed, and back.
      const isHigh = turn % 2 === 0
      const said = isHigh ? market * lag : market / lag
      await devnet().feeds.ETH.lie(said / market)
      await pushTo(world, stranger, said, isHigh)
      await syncClock(world)
      last = await moveTo(last, isHigh ? 'below' : 'above', said).catch(() => last)
      await pushTo(world, stranger, market, !isHigh)
      await syncClock(world)
    }
    await world.call('remove_liquidity', { positionId: last, version: 'v3' })
    const lostUsd = worthUsd - (await ownUsd(world))
    expect(lostUsd).toBeLessThan(maxDailyLossUsd)
  },
)
