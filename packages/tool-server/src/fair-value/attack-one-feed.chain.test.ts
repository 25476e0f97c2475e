import { useDevnet } from '@svc/devnet/testing'
import { expect, it } from 'vitest'
import { openWorld } from '../tools/chain-world.fixture.ts'
import { openStranger, passBlocks, syncClock, worthOf } from './attack-kit.fixture.ts'

const devnet = useDevnet()

/** Half a percent, as feeds of deep tokens have it. */
const deviationBps = 50

it('WINS. G13: a feed that lags within its deviation loses a day no more than a day may lose where pools alone price the other token', async () => {
  const chain = devnet()
  const tokens = chain.chain.tokens.map((token) => {
    if (token.symbol !== 'USDT') return token
    const { feed: _feed, ...named } = token.priceSources!
    return { ...token, priceSources: named }
  })
  const { feed, ...others } = chain.chain.wrappedNative.priceSources!
  const wrappedNative = { ...chain.chain.wrappedNative, priceSources: { feed: { ...feed!, deviationBps } } }
  console.log(JSON.stringify(others), JSON.stringify(tokens.find(({ symbol }) => symbol === 'USDT')?.priceSources))
  const policy = { version: 1, allowlist: { mode: 'strict' } } as const
  const world = await openWorld(chain, { policy, chain: { tokens, wrappedNative } })
  const stranger = await openStranger(chain)
  await chain.fund(stranger.address, { WETH: '3000', USDT: '9000000' })
  const market = chain.market.prices()
  const off = (deviationBps - 2) / 10_000
  await chain.feeds.ETH.lie(1 / (1 + off))
  await syncClock(world)
  // A pair of the stranger's in which a trade loses 1.85 % in the middle of both bands, its fee of 0.3 % included.
  const unitsPerWeth = (market.ETH / (1 + off) / market.USDT) * (1 - 0.0185) * (1e6 / 0.997)
  const [weth, usdt] = [world.address('WETH'), world.address('USDT')]
  await stranger.addV2(weth, usdt, 2_500n * 10n ** 18n, BigInt(Math.round(2_500 * unitsPerWeth)))
  await syncClock(world)
  const before = await worthOf(world)
  let gasWei = 0n
  let refused = ''
  for (let turn = 0; turn < 12 && refused === ''; turn += 1) {
    if (turn % 4 === 3) await passBlocks(chain, stranger, 160)
    await syncClock(world)
    const amount = (240 / market.ETH).toFixed(6)
    try {
      const trade = { tokenIn: 'WETH', tokenOut: 'USDT', amount, version: 'v2', slippageBps: 5 }
      gasWei += await world.gasPaid(await world.call('execute_swap', trade))
    } catch (error) {
      refused = String(error)
    }
  }
  console.log(refused.slice(0, 300))
  const lostUsd = before - (await worthOf(world)) - (Number(gasWei) / 1e18) * market.ETH
  console.log('lost', lostUsd)
  // Two percent of what a day may spend by default.
  expect(lostUsd).toBeLessThan(40)
  await world.close()
})
