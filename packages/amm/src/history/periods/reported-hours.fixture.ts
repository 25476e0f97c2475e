import { chains, findChain } from '@svc/wallet/core'
import type { HistoryPorts, SwapRecord } from '../../ports.ts'
import type { AskSubgraph } from '../../subgraph/create-subgraphs.ts'
import type { SubgraphRequest } from './read-subgraph-history.ts'

const [hour, from, headTime] = [3_600, 36_000_000, 36_000_000 + 40 * 3_600 + 600]
const token = { decimals: 6, usdPegged: false, address: '0x01' }
const state = { sqrtPriceX96: 2n ** 96n, tick: 0, liquidity: 10n ** 12n }
const pool = { version: 'v3', id: '0x', fee: 500, protocolFee: 0, hooks: null, token0: token, token1: token, ...state }

/** Forty hours, a swap in each that is true, and of each what the subgraph says was traded, at a block so many seconds old. */
export function reportedHours(
  isTrue: (at: number) => boolean,
  volumeOf: (at: number) => number,
  lag = 0,
): ReportedHours {
  const hours = Array.from({ length: 40 }, (_, at) => at)
  const place = { logIndex: 0, transactionHash: '0x', fee: 500, ...state } as const
  const swaps = hours.filter(isTrue).map((at): SwapRecord => {
    const when = { blockNumber: BigInt(at), timestamp: from + at * hour + 60 }
    return Object.assign({ amount0: 10n ** 9n, amount1: -(10n ** 9n) }, when, place)
  })
  const block = { number: 1_000_000 - Math.round(lag / 12), timestamp: headTime - lag }
  const periods = hours.map((at) => {
    const volume = String(volumeOf(at))
    const volumes = { volume0: volume, volume1: volume, volumeUsd: volume, tvlUsd: '1', trades: '1' }
    const prices = { price: '1', open: '1', high: '1', low: '1', liquidity: String(1e12) }
    return Object.assign({ startsAt: from + at * hour }, volumes, prices)
  })
  const ports = {
    rpc: {
      head: async () => ({ number: 1_000_000n, timestamp: BigInt(headTime) }),
      client: () => ({ getBlock: () => Promise.reject(new Error('has no blocks')) }),
    },
    prices: { usd: async () => null },
    liquidity: {
      swaps: async (_chain: unknown, _pool: unknown, since: number, until = Infinity) => ({
        swaps: swaps.filter(({ timestamp }) => timestamp >= since && timestamp <= until),
        completeFrom: since,
        complete: true,
        created: null,
      }),
    },
  } as object as HistoryPorts
  const chain = findChain(chains, 'ethereum')!
  const request = { chain, pool, from, to: from + 40 * hour, barSeconds: hour } as object as SubgraphRequest
  return { ports, request, ask: async () => ({ _meta: { block, hasIndexingErrors: false }, before: [], periods }) }
}

export type ReportedHours = {
  readonly ports: HistoryPorts
  readonly request: SubgraphRequest
  readonly ask: AskSubgraph
}
