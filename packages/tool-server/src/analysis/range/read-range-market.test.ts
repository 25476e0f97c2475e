import { expect, test } from 'vitest'
import { type Pool, ToolError } from '@svc/amm'
import { rpcFailure } from '../../../../amm/src/rpc/rpc-failure.ts'
import { EndpointError } from '../../../../amm/src/rpc/post-json-rpc.ts'
import { createColumns } from '../../../../amm/src/history/bars/bar-columns.ts'
import { readRangeMarket, type RangePlace } from './read-range-market.ts'

const nowMs = 1_790_000_000_000
const [count, barSeconds] = [720, 3_600]

/** Another pool of the pair: how it swings (`null`: cannot be read), and what came in each hour, of which the first saw 1. */
type Other = Pick<Pool, 'fee'> &
  Partial<Pick<Pool, 'version' | 'hooks'>> & {
    readonly id: string
    readonly swing: number | null
    readonly traded?: number
  }

/** Reads a pool of 30 days whose price swings by 1 % an hour, or stands still; the ticks that were asked for stand beside it. */
async function readMarket({
  swing = 0,
  years = 0.1,
  ticks = [] as { tick: number; liquidityNet: bigint }[],
  tick = 0,
  others = [] as Other[],
  refusal = null as ToolError | null,
}) {
  const start = Math.floor(nowMs / 3_600_000) * 3_600 - count * barSeconds
  const column = (value: number) => new Float64Array(count).fill(value)
  const figures = { volumeUsd: column(10), feesUsd: column(1), tvlUsd: null, trades: null }
  const bars = { ...createColumns({ start, count, barSeconds }), feeGrowth: null }
  bars.amount0In.fill(1)
  for (let bar = 0; bar < count; bar += 1) bars.closeTick[bar] = bar % 2 === 0 ? 0 : swing
  const history = { bars, figures, source: 'rpc', completeness: { gaps: 0 } }
  const asked: [number, number][] = []
  const ports = {
    rpc: { head: async () => ({ number: 1n, timestamp: 1n }), client: () => ({ getFeeHistory: async () => ({}) }) },
    tokens: { wrapped: () => ({ decimals: 18 }) },
    prices: { usd: async () => ({ usd: 1 }) },
    history: {
      read: async ({ pool: { id } }: { pool: Pool }) => {
        const other = others.find((one) => one.id === id)
        if (other === undefined && refusal !== null) throw refusal
        if (other === undefined) return history
        if (other.swing === null) throw new ToolError('RPC_UNAVAILABLE', 'No endpoint answers.')
        const closeTick = bars.closeTick.map((_, bar) => (bar % 2 === 0 ? 0 : (other.swing ?? 0)))
        return { ...history, bars: { ...bars, closeTick, amount0In: column(other.traded ?? 0) } }
      },
    },
    liquidity: {
      ticks: async (_chain: unknown, _pool: unknown, from: number, to: number) => {
        asked.push([from, to])
        return ticks
      },
    },
  } as object as Parameters<typeof readRangeMarket>[0]
  const [token0, token1] = [
    { address: '0xa', decimals: 18 },
    { address: '0xb', decimals: 18 },
  ]
  const price = { id: '0x500', tick, sqrtPriceX96: 2n ** 96n, liquidity: 1_000n }
  const fees = { version: 'v3', fee: 500, protocolFee: 0, hooks: null, tickSpacing: 10 }
  const pool = { ...price, ...fees, token0, token1 } as object as Pool
  const pairPools = async () => others.map((other) => ({ ...pool, ...other }))
  const place = { chain: { blockTimeSeconds: 2 }, pool, token0, token1, pairPools } as object as RangePlace
  const wish = { amountUsd: 1, years, source: 'historical', nowMs } as const
  const { market, volatility, unread } = await readRangeMarket(ports, place, wish)
  return { market, volatility, unread, asked }
}

test('ticks of another block than the pool leave its active liquidity to stand for all prices', async () => {
  // A position of twice the liquidity that was active when the pool was read.
  const ticks = [
    { tick: -100, liquidityNet: 2_000n },
    { tick: 100, liquidityNet: -2_000n },
  ]
  const { market } = await readMarket({ ticks })
  expect([...market.profile.liquidity]).toEqual([1_000 / 1e18])
})

test('liquidity is read as far as five deviations of the price at the horizon', async () => {
  const { market, asked } = await readMarket({ swing: 100 })
  const reach = Math.ceil((5 * market.model.sigma * Math.sqrt(0.1)) / Math.log(1.0001))
  expect(market.model.sigma).toBeCloseTo(0.01 * Math.sqrt(8_760), 2)
  expect(asked).toEqual([[-reach, reach]])
})

test('but at least 10 %, at most a factor of 100, and no farther than ticks go', async () => {
  expect((await readMarket({})).asked).toEqual([[-1_001, 1_001]])
  expect((await readMarket({ swing: 2_000, years: 5 })).asked).toEqual([[-46_055, 46_055]])
  expect((await readMarket({ tick: 887_000 })).asked).toEqual([[885_999, 887_272]])
})

test('the volatility is that of the pool of the pair that trades most, as recommend_fee_tier takes it', async () => {
  const wild = (fee: number, traded: number) => ({ id: `0x${fee}`, fee, swing: 100, traded })
  const sigmaBeside = async (...others: Other[]) => {
    const { volatility, market } = await readMarket({ others })
    expect(market.model.sigma).toBe(volatility.sigma)
    return [volatility.sigma > 0.5 ? 'wild' : 'calm', volatility.ofPool.fee]
  }
  const own = { id: '0x500', fee: 500, swing: 0, traded: 1 }
  expect(await sigmaBeside()).toEqual(['calm', 500])
  expect(await sigmaBeside(own, wild(3_000, 2))).toEqual(['wild', 3_000])
  expect(await sigmaBeside(own, wild(3_000, 0.5))).toEqual(['calm', 500])
  expect(await sigmaBeside(own, { ...wild(3_000, 2), hooks: '0x1' })).toEqual(['calm', 500])
  expect(await sigmaBeside(own, { ...wild(3_000, 2), version: 'v2' })).toEqual(['calm', 500])
  // What cannot be read ends nothing, and is named.
  const { volatility, unread } = await readMarket({ others: [own, { ...wild(3_000, 2), swing: null }] })
  expect([volatility.ofPool.fee, unread.map(({ fee }) => fee)]).toEqual([500, [3_000]])
})

test('an endpoint that gives neither logs nor old state is no past; one that is asked too often is asked again', async () => {
  const refusal = (reason: 'refused' | 'limited' | 'timeout') =>
    rpcFailure(new EndpointError(reason, 'no'), 'eth_getLogs', 8453)
  await expect(readMarket({ refusal: refusal('refused') })).rejects.toMatchObject({
    code: 'INSUFFICIENT_HISTORY',
    details: [expect.objectContaining({ field: 'pool', daysFound: 0, daysNeeded: 7 })],
  })
  await expect(readMarket({ refusal: refusal('limited') })).rejects.toMatchObject({ code: 'RPC_REFUSED' })
  await expect(readMarket({ refusal: refusal('timeout') })).rejects.toMatchObject({ code: 'RPC_TIMEOUT' })
})
