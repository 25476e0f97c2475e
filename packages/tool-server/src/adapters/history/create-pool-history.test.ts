import { chains, findChain } from '@svc/wallet/core'
import { expect, test } from 'vitest'
import type { HistoryRequest } from '../../ports.ts'
import { createSubgraphs } from '../subgraph/create-subgraphs.ts'
import { createBarMemory } from './create-bar-memory.ts'
import { createPoolHistory } from './create-pool-history.ts'

const now = 1_700_000_000

/** The note on two days of a pool whose swap logs reach back so many hours. */
async function noteOf(hours: number, change: Partial<HistoryRequest> = {}) {
  const swap = { amount0: 5n, amount1: -5n, sqrtPriceX96: 2n ** 96n, liquidity: 1n, fee: 500, tick: 0, blockNumber: 1n }
  const liquidity = {
    swaps: async (_chain: unknown, _pool: unknown, from: number) => ({
      swaps: [{ ...swap, timestamp: now - hours * 3_600 + 60, transactionHash: '0x' as const }],
      completeFrom: Math.max(from, now - hours * 3_600),
      complete: now - hours * 3_600 <= from,
    }),
  }
  const fetch = () => Promise.reject(new Error('no network'))
  const history = createPoolHistory(
    { liquidity, prices: { usd: async () => null, ratio: async () => null }, rpc: untouched },
    {
      subgraphs: createSubgraphs({ apiKey: null, fetch, pauseMs: 1 }),
      bars: createBarMemory(),
      now: () => now * 1_000,
    },
  )
  const token = { decimals: 18 }
  const pool = { id: '0x', version: 'v3', protocolFee: 0, hooks: null, token0: token, token1: token }
  const request = { chain: findChain(chains, 'ethereum')!, pool, from: now - 48 * 3_600, to: now, barSeconds: 3_600 }
  return (await history.read({ ...request, ...change } as HistoryRequest)).completeness.note
}

const untouched = new Proxy({} as never, { get: () => () => Promise.reject(new Error('was touched')) })

test('says that a subgraph would reach further where nothing but its key is missing', async () => {
  expect(await noteOf(10)).toMatch(/^With SVC_MCP_SUBGRAPH_API_KEY set .* The swap logs were read back to /)
  expect(await noteOf(100)).toMatch(/^The price is unknown/)
  expect(await noteOf(10, { barSeconds: 60 })).toMatch(/^The swap logs/)
  expect(await noteOf(10, { chain: findChain(chains, 'blast')! })).toMatch(/^The swap logs/)
})
