import { expect, test } from 'vitest'
import type { Pool } from '../../ports.ts'
import { createColumns } from '../history/columns.ts'
import { readRangeMarket, type RangePlace } from './read-range-market.ts'

test('ticks of another block than the pool leave its active liquidity to stand for all prices', async () => {
  const nowMs = 1_790_000_000_000
  const [count, barSeconds] = [720, 3_600]
  const start = Math.floor(nowMs / 3_600_000) * 3_600 - count * barSeconds
  const column = (value: number) => new Float64Array(count).fill(value)
  const figures = { volumeUsd: column(10), feesUsd: column(1), tvlUsd: null, trades: null }
  const bars = { ...createColumns({ start, count, barSeconds }), feeGrowth: null }
  const history = { bars, figures, source: 'rpc', completeness: { gaps: 0 } }
  // A position of twice the liquidity that was active when the pool was read.
  const ticks = [
    { tick: -100, liquidityNet: 2_000n },
    { tick: 100, liquidityNet: -2_000n },
  ]
  const ports = {
    rpc: { head: async () => ({ number: 1n, timestamp: 1n }), client: () => ({ getFeeHistory: async () => ({}) }) },
    tokens: { wrapped: () => ({ decimals: 18 }) },
    prices: { usd: async () => ({ usd: 1 }) },
    history: { read: async () => history },
    liquidity: { ticks: async () => ticks },
  } as object as Parameters<typeof readRangeMarket>[0]
  const [token0, token1] = [
    { address: '0xa', decimals: 18 },
    { address: '0xb', decimals: 18 },
  ]
  const price = { tick: 0, sqrtPriceX96: 2n ** 96n, liquidity: 1_000n }
  const fees = { version: 'v3', fee: 500, protocolFee: 0, hooks: null, tickSpacing: 10 }
  const pool = { ...price, ...fees, token0, token1 } as object as Pool
  const place = { chain: { blockTimeSeconds: 2 }, pool, token0, token1 } as object as RangePlace
  const { market } = await readRangeMarket(ports, place, { amountUsd: 1, years: 0.1, source: 'historical', nowMs })
  expect([...market.profile.liquidity]).toEqual([1_000 / 1e18])
})
