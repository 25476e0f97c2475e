import { chains } from '@svc/wallet/core'
import type { PublicClient } from 'viem'
import { describe, expect, it } from 'vitest'
import type { Pool, SwapHistory, SwapRecord, Token } from '../../ports.ts'
import { readPoolRecord } from './read-candidates.ts'

const chain = chains.find(({ id }) => id === 8453)!
const weth = chain.wrappedNative.address
const id = '0x00000000000000000000000000000000000000aa'
const head = { number: 10_000_000n, timestamp: 1_800_000_000n }
const day = 86_400
const weekAgo = Number(head.timestamp) - 7 * day

/** An endpoint that gives the swaps of a pool; `keepsLogs` of a week ago, and no older state. */
function recordOf(version: Pool['version'], history: Partial<SwapHistory>, keepsLogs = true) {
  const client = {
    getBlock: async ({ blockNumber }: { blockNumber: bigint }) => ({
      number: blockNumber,
      timestamp: head.timestamp - (head.number - blockNumber) * 2n,
    }),
    request: async ({ method }: { method: string }) => {
      if (method === 'eth_call') throw new Error('missing trie node')
      return keepsLogs ? [{}] : []
    },
  } as unknown as PublicClient
  const pool = { version, id, token0: { address: weth } as Token } as Partial<Pool> as Pool
  const swaps: SwapHistory = { swaps: [], complete: true, completeFrom: 0, created: null, ...history }
  return readPoolRecord(
    {
      rpc: { client: () => client, head: async () => ({ ...head, hash: '0x', baseFeePerGas: 0n }), past: () => client },
      liquidity: { pool: async () => pool, swaps: async () => swaps },
    },
    chain,
    {
      row: { version, id, quote: weth, fee: 3_000 },
      quote: { address: weth, symbol: 'WETH', decimals: 18, usd: 3_000, restsOnToken: false },
    },
    head,
  )
}

const swapAt = (timestamp: number): SwapRecord =>
  ({ timestamp, amount0: -(10n ** 18n), amount1: 5n }) as Partial<SwapRecord> as SwapRecord

describe('what the logs of a week tell of a pool', () => {
  it('that it is older, where no first price is among them and the endpoint keeps logs of that time', async () => {
    expect(await recordOf('v3', { swaps: [swapAt(weekAgo + 1)] })).toEqual({ isWeekOld: true, volume7dUsd: 3_000 })
    expect(await recordOf('v3', { complete: false })).toEqual({ isWeekOld: null, volume7dUsd: null })
  })

  it('nothing, where the endpoint has thrown the logs of that time away', async () => {
    expect(await recordOf('v3', {}, false)).toEqual({ isWeekOld: null, volume7dUsd: null })
  })

  it('that it is younger, where its first price is', async () => {
    const created = { timestamp: weekAgo + 1, sqrtPriceX96: 1n }
    expect(await recordOf('v4', { created }, false)).toEqual({ isWeekOld: false, volume7dUsd: 0 })
  })

  it('of a pair, which logs no first price, that somebody traded there before; and no trade of before counts', async () => {
    expect((await recordOf('v2', { swaps: [swapAt(weekAgo + 1)] })).isWeekOld).toBeNull()
    expect(await recordOf('v2', { swaps: [swapAt(weekAgo - 1), swapAt(weekAgo + 1)] })).toEqual({
      isWeekOld: true,
      volume7dUsd: 3_000,
    })
  })
})
