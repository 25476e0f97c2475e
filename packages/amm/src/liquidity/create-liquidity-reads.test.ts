import type { Chain } from '@svc/wallet/core'
import { expect, test } from 'vitest'
import type { Pool } from '../ports.ts'
import { createLiquidityReads } from './create-liquidity-reads.ts'

/** How often the chain is asked when the ticks of pools are wanted at the same time. */
async function callsFor(
  ...pools: readonly { readonly id?: string; readonly block?: bigint; readonly upper?: number }[]
) {
  let calls = 0
  const request = () => {
    calls += 1
    // An empty list: the contract knows of no word, and the read ends there.
    return Promise.resolve(`0x${'20'.padStart(64, '0')}${''.padStart(64, '0')}`)
  }
  const reads = createLiquidityReads({ rpc: { client: () => ({ request }) } } as object as Parameters<
    typeof createLiquidityReads
  >[0])
  const chain = { id: 1, multicall3: '0x00000000000000000000000000000000000000cc' } as object as Chain
  const ticks = pools.map(({ id = `0x${'aa'.repeat(20)}`, block = 7n, upper = 60 }) =>
    reads.ticks(chain, { version: 'v3', id, tickSpacing: 60, blockNumber: block } as object as Pool, 0, upper),
  )
  await Promise.allSettled(ticks)
  return calls
}

test('the ticks of a pool are read once for those who ask for them at the same time, at one block', async () => {
  expect(await callsFor({}, {}, {})).toBe(1)
  expect(await callsFor({}, { block: 8n })).toBe(2)
  expect(await callsFor({}, { upper: 120 })).toBe(2)
  expect(await callsFor({}, { id: `0x${'bb'.repeat(20)}` })).toBe(2)
})
