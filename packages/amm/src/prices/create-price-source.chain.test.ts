import { useDevnet } from '@svc/devnet/testing'
import { getSqrtPriceAtTick, priceFromSqrtPrice } from '@svc/lp-math'
import { parseAbi, parseUnits, type Hex } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import { v3PositionManagerAbi } from '../abis/v3.ts'
import { createChainActor, v3PathOf } from '../liquidity/chain-actor.fixture.ts'
import { v3PoolAddress } from '../liquidity/pools/pool-address.ts'
import { createBlockReads } from '../rpc/query.ts'
import { discoverablePools, readPoints } from './discover-price.ts'
import { pastTimes } from './source-queries.ts'
import { createPricedDevnet, type PricedDevnet } from './priced-devnet.fixture.ts'

const devnet = useDevnet()
let bench: PricedDevnet
let prices: PricedDevnet['prices']

beforeEach(() => {
  bench = createPricedDevnet(devnet(), { chain: { blockTimeSeconds: 1 } })
  prices = bench.prices
})

describe('usd of a token without named sources', () => {
  it('prices the native currency, its wrapped token and what trades against it by the mean of half an hour', async () => {
    bench = createPricedDevnet(devnet())
    prices = bench.prices
    await bench.passTime(35)
    const ether = (await prices.usd(bench.chain, await bench.token('ETH')))!
    expect(ether).toMatchObject({ method: 'pool_twap', confidence: 'HIGH' })
    expect(ether.usd).toBeGreaterThan(2_000)
    expect(ether.usd).toBeLessThan(4_500)
    expect(ether).toMatchObject({ band: null, doubt: 'unnamed', mostE18: expect.any(BigInt) })
    const most = Number(ether.mostE18) / 1e18 / ether.usd
    expect(most).toBeGreaterThanOrEqual(1 - 1e-9)
    expect(most).toBeLessThan(1.05)
    expect(await prices.usd(bench.chain, await bench.token('WETH'))).toEqual(ether)
    const bitcoin = (await prices.usd(bench.chain, await bench.token('WBTC')))!
    expect(bitcoin).toMatchObject({ method: 'pool_twap' })
    expect(bitcoin.pools).toHaveLength(2)
    const ratio = (await prices.ratio(bench.chain, await bench.token('WBTC'), await bench.token('WETH')))!
    expect(bitcoin.usd / ether.usd).toBeCloseTo(ratio.price, 1)
  })

  it('is not moved at once by a trade that moves the pool, and is less sure then', async () => {
    await passTime(3_600)
    const [wbtc, weth] = await Promise.all([bench.token('WBTC'), bench.token('WETH')])
    const before = (await prices.usd(bench.chain, wbtc))!
    const actor = await createChainActor(devnet(), devnet().accounts[0]!.address)
    await devnet().fund(actor.address, { WETH: '300' })
    await actor.swapV3(v3PathOf(weth.address, 3_000, wbtc.address), parseUnits('300', 18))
    const after = (await prices.usd(bench.chain, wbtc))!
    const pool = await bench.reads.pool(bench.chain, { version: 'v3', id: before.pools[0] as Hex })
    const ether = (await prices.usd(bench.chain, weth))!.usd
    const spot = priceFromSqrtPrice(pool.sqrtPriceX96, pool.token0.decimals, pool.token1.decimals)
    const spotUsd = ether * (pool.token0.address === wbtc.address ? spot : 1 / spot)
    expect(after.pools[0]).toBe(before.pools[0])
    expect(spotUsd / before.usd).toBeGreaterThan(1.05)
    expect(after.usd / before.usd).toBeLessThan(1.01)
    expect(before.confidence).toBe('HIGH')
    expect(after.confidence).not.toBe('HIGH')
  })

  it('knows a token of a v2 pair by its price of the moment, and not at all below the floor', async () => {
    await passTime(3_600)
    const fot = await bench.token('FOT')
    const unsure = { method: 'pool_spot', confidence: 'LOW', doubt: 'pastless', mostE18: null }
    await expect(prices.usd(bench.chain, fot)).resolves.toMatchObject(unsure)
    const exacting = createPricedDevnet(devnet(), { leastLiquidityUsd: 1e9 })
    await expect(exacting.usd('FOT')).resolves.toBeNull()
    await expect(exacting.prices.doubt(bench.chain, fot)).resolves.toBe('pastless')
    await expect(prices.usd(bench.chain, await bench.token('HOSTILE'))).resolves.toBeNull()
  })

  it('lets a narrow range conjure up no depth', async () => {
    await passTime(3_600)
    const [hostile, usdc] = await Promise.all([bench.token('HOSTILE'), bench.token('USDC')])
    const [pool] = await bench.reads.findPools(bench.chain, hostile, usdc, ['v3'])
    const actor = await createChainActor(devnet(), devnet().accounts[0]!.address)
    const held = await actor.balanceOf(hostile.address)
    const base = Math.floor(pool!.tick / 200) * 200
    await actor.mintV3({
      token0: pool!.token0.address,
      token1: pool!.token1.address,
      fee: pool!.fee,
      tickLower: base,
      tickUpper: base + 200,
      amount0Desired: pool!.token0.address === usdc.address ? parseUnits('2000', 6) : held,
      amount1Desired: pool!.token1.address === usdc.address ? parseUnits('2000', 6) : held,
    })
    await passTime(3_600)
    const after = await bench.reads.pool(bench.chain, { version: 'v3', id: pool!.id })
    expect(after.liquidity / pool!.liquidity).toBeGreaterThan(4n)
    await expect(prices.usd(bench.chain, hostile)).resolves.toBeNull()
  })

  describe('G7: money of one block makes no price', () => {
    it.for([
      ['an empty', null],
      ['a dust', '1'],
    ] as const)('%s pool that is deepened for one block prices nothing and disturbs no price', async ([, standing]) => {
      const [wbtc, usdc] = await Promise.all([bench.token('WBTC'), bench.token('USDC')])
      const wbtcIs0 = BigInt(wbtc.address) < BigInt(usdc.address)
      const [token0, token1] = wbtcIs0 ? [wbtc.address, usdc.address] : [usdc.address, wbtc.address]
      const v3 = bench.chain.amm.v3!
      const client = bench.rpc.client(bench.chain)
      const codes = await Promise.all(
        tiers.map(({ fee }) => client.getCode({ address: v3PoolAddress(v3, token0, token1, fee) })),
      )
      const { fee, spacing } = tiers[codes.indexOf(undefined)]!
      const pool = v3PoolAddress(v3, token0, token1, fee)
      // A dollar for a bitcoin, at the very edge of the range that will hold dollars alone.
      const tick = Math.round((wbtcIs0 ? -46_054 : 46_054) / spacing) * spacing
      const sqrtPriceX96 = getSqrtPriceAtTick(tick) - (wbtcIs0 ? 1n : 0n)
      const range = wbtcIs0
        ? { tickLower: tick - 100 * spacing, tickUpper: tick }
        : { tickLower: tick, tickUpper: tick + 100 * spacing }
      const actor = await createChainActor(devnet(), devnet().accounts[0]!.address)
      await devnet().fund(actor.address, { USDC: '3000001', WBTC: '0.02' })
      const create = 'createAndInitializePoolIfNecessary'
      await actor.write(v3.positionManager, v3PositionManagerAbi, create, [token0, token1, fee, sqrtPriceX96])
      await actor.write(pool, growAbi, 'increaseObservationCardinalityNext', [8])
      const mint = (dollars: string) => {
        const [amountUsdc, amountWbtc] = [parseUnits(dollars, 6), parseUnits('0.01', 8)]
        const [amount0Desired, amount1Desired] = wbtcIs0 ? [amountWbtc, amountUsdc] : [amountUsdc, amountWbtc]
        return actor.mintV3({ token0, token1, fee, ...range, amount0Desired, amount1Desired })
      }
      const meanOfPool = async () => {
        const reads = createBlockReads(bench.rpc, bench.chain, await bench.rpc.head(bench.chain))
        const places = discoverablePools(bench.chain, wbtc, usdc)
        const points = await readPoints(
          bench.chain,
          reads,
          pastTimes(reads.head.number, bench.chain, () => 0),
          places,
        )
        return points.find((point) => point.pool === pool)
      }
      if (standing !== null) await mint(standing)
      await passTime(2_400)
      const before = (await prices.usd(bench.chain, wbtc))!
      expect(before).toMatchObject({ doubt: 'unnamed', mostE18: expect.any(BigInt) })
      await mint('1500000')
      const point = (await meanOfPool())!
      expect(point.mean).toBeLessThan(2)
      expect(point.depth).toBeLessThan(25_000)
      const after = (await prices.usd(bench.chain, wbtc))!
      expect(after.blockNumber).toBeGreaterThan(before.blockNumber)
      expect(Number(after.mostE18) / Number(before.mostE18)).toBeCloseTo(1, 2)
      expect(after.usd / before.usd).toBeCloseTo(1, 2)
      expect(after.pools).not.toContain(pool)
    })
  })

  it('is read in one request after the head, older blocks of pairs included, and once a block', async () => {
    const fot = createPricedDevnet(devnet())
    await fot.passTime(35)
    await fot.token('FOT')
    fot.network.requests.length = 0
    const [price, again] = await Promise.all([fot.usd('FOT'), fot.usd('FOT')])
    expect(price).toMatchObject({ method: 'pool_twap', confidence: 'MODERATE' })
    expect(again).toEqual(price)
    expect(fot.network.requests).toHaveLength(2)
  })

  it('is worth at most what the dearest pool says, of the moment or over time, v4 included', async () => {
    bench = createPricedDevnet(devnet())
    await bench.passTime(35)
    const before = (await bench.usd('WETH'))!
    const actor = await createChainActor(devnet(), devnet().accounts[0]!.address)
    await devnet().fund(actor.address, { USDC: '4000000' })
    const usdc = await bench.token('USDC')
    const { token0, token1, fee, tickSpacing, hooks } = bench.pool('v4 WETH/USDC 0.05 %')
    const key = { currency0: token0, currency1: token1, fee, tickSpacing: tickSpacing!, hooks: hooks! }
    await actor.swapV4(key, token0 === usdc.address, parseUnits('500000', 6))
    const after = (await bench.usd('WETH'))!
    expect(after.usd / before.usd).toBeCloseTo(1, 3)
    expect(Number(after.mostE18) / Number(before.mostE18)).toBeGreaterThan(1.02)
  })

  it('is priced against what its quote is worth by named sources', async () => {
    const named = createPricedDevnet(devnet(), { named: { WETH: { pools: ['v3 WETH/USDC 0.05 %'] } } })
    await named.passTime(35)
    const [fot, weth] = await Promise.all([named.usd('FOT'), named.usd('WETH')])
    expect(fot?.pools).toEqual([expect.any(String), named.pool('v3 WETH/USDC 0.05 %').id])
    const { price } = (await named.prices.ratio(named.chain, await named.token('FOT'), await named.token('WETH')))!
    expect(fot!.usd / (price * weth!.usd)).toBeCloseTo(1, 2)
  })
})

describe('ratio', () => {
  it('prices in the order asked, by the deepest pool, and is null without one', async () => {
    const [weth, usdc, ether] = await Promise.all([bench.token('WETH'), bench.token('USDC'), bench.token('ETH')])
    const forward = (await prices.ratio(bench.chain, weth, usdc))!
    const backward = (await prices.ratio(bench.chain, usdc, weth))!
    const [deepest] = await bench.reads.findPools(bench.chain, weth, usdc)
    expect(forward.pool).toEqual(deepest)
    expect(forward.price).toBeGreaterThan(1_000)
    expect(forward.price * backward.price).toBeCloseTo(1, 9)
    const native = (await prices.ratio(bench.chain, ether, usdc))!
    expect(native.price / forward.price).toBeCloseTo(1, 2)
    await expect(prices.ratio(bench.chain, await bench.token('FOT'), usdc)).resolves.toBeNull()
  })
})

const growAbi = parseAbi(['function increaseObservationCardinalityNext(uint16 observationCardinalityNext)'])

const tiers = [
  { fee: 100, spacing: 1 },
  { fee: 500, spacing: 10 },
  { fee: 3_000, spacing: 60 },
  { fee: 10_000, spacing: 200 },
] as const

async function passTime(seconds: number): Promise<void> {
  const { timestamp } = await bench.rpc.head(bench.chain)
  await devnet().mineTo(Number(timestamp) + seconds)
}
