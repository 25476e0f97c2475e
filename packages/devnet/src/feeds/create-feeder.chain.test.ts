import { parseUnits } from 'viem'
import { describe, expect, it } from 'vitest'
import { devAccounts } from '../accounts.ts'
import { connect } from '../chain/chain-client.ts'
import { priceFeed } from '../contracts.gen.ts'
import { createLayout } from '../seed/layout.ts'
import { readPool } from '../read-pool.fixture.ts'
import { sendNow } from '../start-devnet.ts'
import { swapCall } from '../seed/pool-calls.ts'
import { useDevnet } from '../use-devnet.ts'
import type { FeedSymbol } from '../seed/token-specs.ts'

const devnet = useDevnet()
const client = () => connect(devnet().rpcUrl)
const layout = createLayout(devAccounts())
/** Of the pool of WETH and USDC with the lowest traded fee, the deepest. */
const main = layout.pools[1]!

const latest = async (address: `0x${string}`) => {
  const read = { address, abi: priceFeed.abi, functionName: 'latestRoundData' } as const
  const [roundId, answer, startedAt, updatedAt] = await client().readContract(read)
  return { roundId, usd: Number(answer) / 1e8, startedAt: Number(startedAt), updatedAt: Number(updatedAt) }
}
const said = async (symbol: FeedSymbol) => (await latest(devnet().feeds[symbol].address)).usd
const head = async () => await client().getBlock()
const headTime = async () => Number((await head()).timestamp)

describe('a feed that follows', () => {
  it('has answered in the block the chain starts with', async () => {
    const { timestamp } = await client().getBlock()
    for (const { address } of Object.values(devnet().feeds)) {
      expect((await latest(address)).updatedAt).toBe(Number(timestamp))
    }
  })

  it('answers what the market has come to once that is as far as its deviation', async () => {
    await devnet().market.move({ ETH: 1.0049, USDT: 1.002 })
    expect(await said('ETH')).toBe(3_000)
    await devnet().market.move({ ETH: 1.0002, WBTC: 0.9, USDT: 0.99 })
    expect(await said('ETH')).toBeCloseTo(3_000 * 1.0049 * 1.0002, 6)
    expect(await said('BTC')).toBeCloseTo(81_000, 6)
    expect(await said('USDT')).toBeCloseTo(devnet().market.prices().USDT, 8)
    expect(await said('DAI')).toBeCloseTo(1, 3)
    expect((await readPool(client(), layout, main)).price / devnet().market.prices().ETH).toBeCloseTo(1, 3)
  })

  it('goes along with trades, at the market of the trades, with no block of its own before it is due', async () => {
    const before = await latest(devnet().feeds.ETH.address)
    const start = await client().getBlockNumber()
    await devnet().trade(5, 'quiet')
    expect(await client().getBlockNumber()).toBe(start + 10n)
    expect(await latest(devnet().feeds.ETH.address)).toEqual(before)
    await devnet().market.move({ ETH: 1.0045 })
    // Three basis points a trade: it has crossed the rest of the way in some of these.
    for (let round = 0; round < 20 && (await said('ETH')) === before.usd; round += 1) await devnet().trade(10, round)
    const after = await latest(devnet().feeds.ETH.address)
    expect(after.roundId).toBeGreaterThan(before.roundId)
    expect(after.usd / devnet().market.prices().ETH).toBeCloseTo(1, 2)
    expect(after.updatedAt).toBeLessThanOrEqual(await headTime())
  })

  it('makes no block on a chain that stands still, and answers anew with the first trade after a day', async () => {
    const before = await latest(devnet().feeds.USDC.address)
    await devnet().mineTo((await headTime()) + 86_400)
    expect((await head()).transactions).toEqual([])
    expect(await latest(devnet().feeds.USDC.address)).toEqual(before)
    await devnet().trade(1, 'late')
    for (const { address } of Object.values(devnet().feeds)) {
      expect((await headTime()) - (await latest(address)).updatedAt).toBeLessThan(60)
    }
  })

  it('is not led by a pool that somebody pushed', async () => {
    const [trader] = layout.roles.traders
    const order = { from: trader!, zeroForOne: main.asset0 === 'USDC', amountIn: parseUnits('5000000', 6) }
    await sendNow(client(), swapCall(layout, main, order))
    expect((await readPool(client(), layout, main)).price).toBeGreaterThan(3_150)
    await devnet().trade(1, 'after')
    expect(await said('ETH')).toBe(3_000)
    expect((await readPool(client(), layout, main)).price).toBeLessThan(3_010)
  })
})

describe('a feed that is set to something else', () => {
  it('lags: it leaves its answer alone until the market is so far away', async () => {
    devnet().feeds.ETH.lag(300)
    await devnet().market.move({ ETH: 1.029 })
    expect(await said('ETH')).toBe(3_000)
    await devnet().market.move({ ETH: 1.002 })
    expect(await said('ETH')).toBeCloseTo(3_000 * 1.029 * 1.002, 6)
  })

  it('stops, whatever the market does and however old its answer grows, until it follows again', async () => {
    const before = await latest(devnet().feeds.ETH.address)
    devnet().feeds.ETH.stop()
    await devnet().market.move({ ETH: 0.5, WBTC: 0.5 })
    await devnet().mineTo((await headTime()) + 90_000)
    await devnet().trade(1)
    expect(await latest(devnet().feeds.ETH.address)).toEqual(before)
    expect(await said('BTC')).toBeCloseTo(45_000, -2)
    await devnet().feeds.ETH.follow()
    expect(await said('ETH')).toBeCloseTo(devnet().market.prices().ETH, 6)
    await devnet().market.move({ ETH: 2 })
    expect(await said('ETH')).toBeCloseTo(devnet().market.prices().ETH, 6)
  })

  it('lies by a factor, now and after the market, until it follows again', async () => {
    await devnet().feeds.BTC.lie(1.2)
    expect(await said('BTC')).toBeCloseTo(108_000, 6)
    await devnet().market.move({ WBTC: 1.1 })
    expect(await said('BTC')).toBeCloseTo(90_000 * 1.1 * 1.2, 6)
    await devnet().feeds.BTC.follow()
    expect(await said('BTC')).toBeCloseTo(99_000, 6)
  })

  it('posts what it is given, of the block or of any other time, and puts it right with the next trade', async () => {
    const { ETH } = devnet().feeds
    await ETH.post(-1)
    expect(await latest(ETH.address)).toMatchObject({ usd: -1, updatedAt: await headTime() })
    const future = (await headTime()) + 5_000
    await ETH.post(2_500.5, { updatedAt: future })
    expect(await latest(ETH.address)).toMatchObject({ usd: 2_500.5, updatedAt: future, startedAt: future })
    await devnet().trade(1)
    expect(await said('ETH')).toBeCloseTo(devnet().market.prices().ETH, 6)
  })

  it('is as it was after a checkpoint is restored, and so is the market', async () => {
    const market = devnet().market.prices()
    devnet().feeds.BTC.stop()
    const restore = await devnet().checkpoint()
    devnet().feeds.ETH.stop()
    await devnet().feeds.BTC.follow()
    devnet().feeds.USDC.lag(1_000)
    await devnet().feeds.DAI.lie(0.9)
    await devnet().market.move({ ETH: 1.1 })
    await restore()
    expect(devnet().market.prices()).toEqual(market)
    await devnet().market.move({ ETH: 1.02, WBTC: 1.5, USDC: 0.97, DAI: 0.98 })
    expect(await said('ETH')).toBeCloseTo(3_060, 6)
    expect(await said('BTC')).toBe(90_000)
    expect(await said('USDC')).toBeCloseTo(0.97, 6)
    expect(await said('DAI')).toBeCloseTo(market.DAI * 0.98, 8)
  })
})

describe('the sequencer', () => {
  it('goes down and comes back, each at the time of its block', async () => {
    const { sequencer } = devnet()
    const { address } = sequencer
    const before = await latest(address)
    const start = await client().getBlockNumber()
    await sequencer.set(true)
    expect(await latest(address)).toEqual(before)
    expect(await client().getBlockNumber()).toBe(start)
    await sequencer.set(false)
    const down = await latest(address)
    expect(down.usd).toBe(1e-8)
    expect(down.startedAt).toBe(await headTime())
    await devnet().mineTo((await headTime()) + 600)
    await sequencer.set(false)
    expect(await latest(address)).toEqual(down)
    await sequencer.set(true)
    const up = await latest(address)
    expect(up).toMatchObject({ usd: 0, startedAt: await headTime() })
    expect(up.startedAt).toBeGreaterThanOrEqual(down.startedAt + 600)
  })
})
