import { useDevnet } from '@svc/devnet/testing'
import { afterEach, expect, it } from 'vitest'
import { openWorld, type World } from '../tools/chain-world.fixture.ts'
import { openStranger, syncClock, testClient, worthOf } from './attack-kit.fixture.ts'
import { pushTo } from './push-to.fixture.ts'

const devnet = useDevnet()
let world: World
afterEach(() => world.close())

const strict = { version: 1, allowlist: { mode: 'strict' } } as const

/** A position of some thirty dollars, in ether alone, between these prices. */
async function openAbove(priceLower: number, priceUpper: number): Promise<string> {
  const pair = { token0: 'WETH', token1: 'USDC', fee: 500, amount0: '0.01', amount1: '0', priceLower, priceUpper }
  const opened = await world.call('add_liquidity', pair)
  await testClient(devnet()).mine({ blocks: 2 })
  return opened.text('positionId')
}

it.each([true, false])(
  'G4: what is added to an own position counts against the limits, paid natively: %s',
  async (payNative) => {
    world = await openWorld(devnet(), { policy: strict })
    await syncClock(world)
    const market = devnet().market.prices().ETH
    const positionId = await openAbove(market * 1.02, market * 1.1)
    const before = await world.balance('ETH')
    const more = { positionId, token0: 'WETH', amount0: '19', payNative }
    const added = await world.call('increase_liquidity', more).then(
      () => 'added',
      (error: unknown) => String(error),
    )
    const paidEther = Number(before - (await world.balance('ETH'))) / 1e18
    expect({ added, paidEther }).toEqual({
      added: expect.stringMatching(/SPENDING_LIMIT_EXCEEDED|APPROVAL_REQUIRED/),
      paidEther: 0,
    })
  },
)

it('G13: what is added natively to an own position loses no more than a day may lose where a feed lags', async () => {
  world = await openWorld(devnet(), { policy: strict })
  const stranger = await openStranger(devnet())
  const market = devnet().market.prices().ETH
  // Within the 0.5 % that the feed may be off before it answers anew.
  const said = market / 1.0045
  await devnet().feeds.ETH.lie(said / market)
  await pushTo(world, stranger, said, false)
  await syncClock(world)
  const before = await worthOf(world)
  const positionId = await openAbove(said * 1.0007, said * 1.002)
  const more = { positionId, token0: 'WETH', amount0: '19', payNative: true }
  await world.call('increase_liquidity', more).catch(() => null)
  await pushTo(world, stranger, market, true)
  await syncClock(world)
  await world.call('remove_liquidity', { positionId })
  // Two percent of what a day may spend by default, and the gas of some calls.
  expect(before - (await worthOf(world))).toBeLessThan(45)
})
