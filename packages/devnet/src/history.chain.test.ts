import { parseAbiItem } from 'viem'
import { describe, expect, test } from 'vitest'
import { devAccounts } from './accounts.ts'
import { connect } from './chain/chain-client.ts'
import { priceFeed } from './contracts.gen.ts'
import { feedHeartbeatSeconds, feedSpecs } from './seed/token-specs.ts'
import { createLayout, type PlacedPool } from './seed/layout.ts'
import { decimalsOf, createMarket } from './seed/market.ts'
import { leadSeconds } from './seed/make-dump.ts'
import { readPool } from './read-pool.fixture.ts'
import { history } from './seed/trading.ts'
import { useDevnet } from './use-devnet.ts'

const devnet = useDevnet({ history: true })
const client = () => connect(devnet().rpcUrl)
const layout = createLayout(devAccounts())
const find = (version: PlacedPool['version'], base: string, quote: string, fee: number) =>
  layout.pools.find((p) => p.version === version && p.base === base && p.quote === quote && p.fee === fee)!

const swapEvent = parseAbiItem(
  'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)',
)
const swapsOf = async (pool: PlacedPool) => {
  const logs = await client().getLogs({ address: pool.id, event: swapEvent, fromBlock: 0n, strict: true })
  return logs.map(({ args, blockTimestamp }) => ({ args, timestamp: Number(blockTimestamp) }))
}

/** Every answer that a feed ever gave, from its rounds. */
const answersOf = async (address: `0x${string}`) => {
  const feed = { address, abi: priceFeed.abi } as const
  const [latest] = await client().readContract({ ...feed, functionName: 'latestRoundData' })
  const first = (latest >> 64n) << 64n
  const ids = Array.from({ length: Number(latest - first) }, (_, index) => first + 1n + BigInt(index))
  const round = (id: bigint) => ({ address, abi: priceFeed.abi, functionName: 'getRoundData', args: [id] }) as const
  const rounds = await client().multicall({
    contracts: ids.map(round),
    multicallAddress: devnet().chain.multicall3,
    allowFailure: false,
  })
  return rounds.map(([, answer, , updatedAt]) => ({ usd: Number(answer) / 1e8, updatedAt: Number(updatedAt) }))
}

describe('thirty days of trading', () => {
  test('the main pool traded in every hour of them, at times that rise up to now', async () => {
    const times = (await swapsOf(find('v3', 'WETH', 'USDC', 500))).map(({ timestamp }) => timestamp)
    const now = Math.floor(Date.now() / 1_000)
    expect(times.length).toBeGreaterThan(720)
    expect(times).toEqual([...times].sort((a, b) => a - b))
    expect(now - times.at(-1)!).toBeLessThan(2 * 3_600)
    expect(now - times[0]!).toBeGreaterThan(29.9 * 86_400)
    expect(now - times[0]!).toBeLessThan(31.1 * 86_400)
    const gaps = times.slice(1).map((time, index) => time - times[index]!)
    expect(Math.max(...gaps)).toBeLessThanOrEqual(2 * 3_600)
  })

  test('every pool with a market traded, and the prices of a pair agree within 1 % at the end', async () => {
    const spreads = new Map<string, number[]>()
    for (const pool of layout.pools.filter(({ bandBps }) => bandBps !== null)) {
      const pair = `${pool.base}/${pool.quote}`.replace(/^ETH/, 'WETH')
      spreads.set(pair, [...(spreads.get(pair) ?? []), (await readPool(client(), layout, pool)).price])
    }
    const spread = (prices: readonly number[]) => Math.max(...prices) / Math.min(...prices)
    expect([...spreads].filter(([, prices]) => spread(prices) >= 1.01)).toEqual([])
    const ether = spreads.get('WETH/USDC')![0]!
    // A day of catching up may have moved it since the history ended at 3,000.
    expect(Math.abs(Math.log(ether / 3_000))).toBeLessThan(0.15)
    expect(Math.abs(spreads.get('USDC/USDT')![0]! - 1)).toBeLessThan(0.002)
  })

  test('fees are worth a few to some tens of percent a year, as in real pools', async () => {
    const apr = async (pool: PlacedPool) => {
      const usdcIsToken0 = pool.asset0 === 'USDC'
      const volumes = (await swapsOf(pool)).map(({ args: { amount0, amount1 } }) => {
        const amount = usdcIsToken0 ? amount0 : amount1
        return Number(amount < 0n ? -amount : amount) / 10 ** decimalsOf('USDC')
      })
      const volumeUsd = volumes.reduce((sum, volume) => sum + volume, 0)
      return (((volumeUsd * pool.fee) / 1e6 / 30) * 365) / pool.tvlUsd
    }
    for (const [fee, low, high] of [
      [100, 0.005, 0.1],
      [500, 0.04, 0.3],
      [3_000, 0.08, 0.5],
      [10_000, 0.05, 0.6],
    ] as const) {
      const value = await apr(find('v3', 'WETH', 'USDC', fee))
      expect({ fee, value, plausible: value > low && value < high }).toEqual({ fee, value, plausible: true })
    }
  })

  test('the v3 oracles know the last half hour', async () => {
    const abi = [parseAbiItem('function observe(uint32[]) view returns (int56[], uint160[])')]
    for (const pool of layout.pools.filter(({ version }) => version === 'v3')) {
      const [ticks] = await client().readContract({
        address: pool.id,
        abi,
        functionName: 'observe',
        args: [[1_800, 0]],
      })
      expect(ticks).toHaveLength(2)
    }
  })

  test('the price feeds followed the market within their deviation, and none was ever silent for a heartbeat', async () => {
    const [genesis, head] = [await client().getBlock({ blockNumber: 0n }), await client().getBlockNumber()]
    const hourZero = Number(genesis.timestamp) + leadSeconds
    const numbers = Array.from({ length: Number(head) }, (_, index) => BigInt(index))
    const blocks = await Promise.all(numbers.map(async (blockNumber) => await client().getBlock({ blockNumber })))
    // The block of an hour comes in its last quarter; those before them all made the chain.
    const times = blocks.map(({ timestamp }) => Number(timestamp)).filter((time) => time > hourZero)
    const market = createMarket(history)
    const rounds: Record<string, number> = {}
    for (const { symbol, asset, deviationBps } of feedSpecs) {
      const answers = await answersOf(devnet().feeds[symbol].address)
      rounds[symbol] = answers.length
      const distances = times.map((time) => {
        const { usd } = answers.findLast(({ updatedAt }) => updatedAt <= time)!
        return Math.abs(market.pricesAt(Math.ceil((time - hourZero) / 3_600))[asset] / usd - 1)
      })
      expect(distances.length).toBeGreaterThanOrEqual(720)
      expect(Math.max(...distances)).toBeLessThan(deviationBps / 10_000)
      const gaps = answers.slice(1).map(({ updatedAt }, index) => updatedAt - answers[index]!.updatedAt)
      expect(Math.max(...gaps)).toBeLessThan(feedHeartbeatSeconds)
      expect(Math.min(...gaps)).toBeGreaterThanOrEqual(0)
    }
    // Ether moves by half a percent in every other hour, a dollar by a quarter of one in no month.
    expect(rounds['ETH']).toBeGreaterThan(200)
    expect(rounds['BTC']).toBeGreaterThan(150)
    expect(rounds['USDC']).toBeLessThan(50)
  })
})
