import { useDevnet } from '@svc/devnet/testing'
import { expect, it } from 'vitest'
import { openWorld } from '../tools/chain-world.fixture.ts'
import { openStranger, passBlocks, syncClock, worthOf } from './attack-kit.fixture.ts'

const devnet = useDevnet()

/** Half a percent, as feeds of deep tokens have it. */
const deviationBps = 50

it('G13: two feeds with named pools beside them that are wrong in opposite directions lose a day no more than a day may lose', async () => {
  const chain = devnet()
  const policy = { version: 1, allowlist: { mode: 'strict' } } as const
  const world = await openWorld(chain, { policy })
  const stranger = await openStranger(chain)
  await chain.fund(stranger.address, { WETH: '3000', WBTC: '200' })
  const market = chain.market.prices()
  const off = (deviationBps - 2) / 10_000
  await chain.feeds.ETH.lie(1 / (1 + off))
  await chain.feeds.BTC.lie(1 / (1 - off))
  await syncClock(world)
  // A pair of the stranger's in which a trade loses 2.04 % in the middle of both bands, its fee of 0.3 % included.
  const satsPerWeth = (market.ETH / (1 + off) / (market.WBTC / (1 - off))) * (1 - 0.0204) * (1e8 / 0.997)
  const [weth, wbtc] = [world.address('WETH'), world.address('WBTC')]
  await stranger.addV2(weth, wbtc, 2_500n * 10n ** 18n, BigInt(Math.round(2_500 * satsPerWeth)))
  await syncClock(world)
  const before = await worthOf(world)
  let gasWei = 0n
  let refused = ''
  for (let turn = 0; turn < 12 && refused === ''; turn += 1) {
    if (turn % 4 === 3) await passBlocks(chain, stranger, 160)
    await syncClock(world)
    const amount = (240 / market.ETH).toFixed(6)
    try {
      const trade = { tokenIn: 'WETH', tokenOut: 'WBTC', amount, version: 'v2', slippageBps: 5 }
      gasWei += await world.gasPaid(await world.call('execute_swap', trade))
    } catch (error) {
      refused = String(error)
    }
  }
  expect(refused).toMatch(/SPENDING_LIMIT_EXCEEDED|VALUE_LOSS_EXCEEDED/)
  const lostUsd = before - (await worthOf(world)) - (Number(gasWei) / 1e18) * market.ETH
  // Two percent of what a day may spend by default.
  expect(lostUsd).toBeLessThan(40)
  await world.close()
})
