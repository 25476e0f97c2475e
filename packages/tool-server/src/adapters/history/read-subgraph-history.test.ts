import { chains, findChain } from '@svc/wallet/core'
import { describe, expect, test } from 'vitest'
import type { SwapRecord } from '../../ports.ts'
import type { HistoryPorts } from './create-pool-history.ts'
import { readSubgraphHistory, type SubgraphRequest } from './read-subgraph-history.ts'

const [hour, from, headTime] = [3_600, 36_000_000, 36_000_000 + 40 * 3_600 + 600]
const token = { decimals: 6, usdPegged: false, address: '0x01' }
const state = { sqrtPriceX96: 2n ** 96n, tick: 0, liquidity: 10n ** 12n }
const pool = { version: 'v3', id: '0x', fee: 500, protocolFee: 0, token0: token, token1: token, ...state }
const chain = findChain(chains, 'ethereum')!

/** Forty hours, a swap in each that is true, and of each what the subgraph says was traded, at a block so many seconds old. */
async function read(isTrue: (at: number) => boolean, volumeOf: (at: number) => number, lag = 0) {
  const hours = Array.from({ length: 40 }, (_, at) => at)
  const place = { logIndex: 0, transactionHash: '0x', fee: 500, ...state } as const
  const swaps = hours.filter(isTrue).map((at): SwapRecord => {
    const when = { blockNumber: BigInt(at), timestamp: from + at * hour + 60 }
    return Object.assign({ amount0: 10n ** 9n, amount1: -(10n ** 9n) }, when, place)
  })
  const periods = hours.map((at) => {
    const volume = String(volumeOf(at))
    const volumes = { volume0: volume, volume1: volume, volumeUsd: volume, tvlUsd: '1', trades: '1' }
    const prices = { price: '1', open: '1', high: '1', low: '1', liquidity: String(1e12) }
    return Object.assign({ startsAt: from + at * hour }, volumes, prices)
  })
  const block = { number: 1_000_000 - Math.round(lag / 12), timestamp: headTime - lag }
  const ports = {
    rpc: {
      head: async () => ({ number: 1_000_000n, timestamp: BigInt(headTime) }),
      client: () => ({ getBlock: () => Promise.reject(new Error('has no blocks')) }),
    },
    prices: { usd: async () => null },
    liquidity: {
      swaps: async (_chain: unknown, _pool: unknown, since: number, until: number) => ({
        swaps: swaps.filter(({ timestamp }) => timestamp >= since && timestamp <= until),
        complete: true,
      }),
    },
  } as unknown as HistoryPorts
  const request = { chain, pool, from, to: from + 40 * hour, barSeconds: hour } as unknown as SubgraphRequest
  const answer = { _meta: { block, hasIndexingErrors: false }, before: [], periods }
  const history = await readSubgraphHistory(ports, async () => answer, request, { pickInt: (below) => below >> 1 })
  return history.completeness.note
}

describe('the hours of a subgraph', () => {
  test('are held against the swap logs, also the last one where it says that it is behind', async () => {
    const always = () => true
    expect(await read(always, () => 1_000, 899)).toContain('5 of its 40 hours agree, those that claim most first')
    const last = read(always, (at) => (at === 39 ? 5e9 : 1_000), 899)
    await expect(last).rejects.toThrow('tells another hour')
  })

  test('are refused where those that claim most are said of a time that no log is told of', async () => {
    const late = (at: number) => at >= 20
    await expect(read(late, (at) => (late(at) ? 1_000 : 5e6))).rejects.toThrow('of which the endpoint has no log')
    await expect(
      read(
        () => false,
        () => 5e6,
      ),
    ).rejects.toThrow('of which the endpoint has no log')
    const some = read(late, (at) => (late(at) ? 1_005 : 1_000))
    expect(await some).toMatch(/ [234] of its 40 hours agree, not all of those that claim most\.$/)
  })
})
