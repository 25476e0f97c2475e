import type { Chain } from '@svc/wallet/core'
import { expect, test } from 'vitest'
import type { Pool } from '@svc/amm'
import { swapsThroughAGap } from '../../../../amm/src/history/swaps-through-a-gap.fixture.ts'
import { estimateFeeApy } from './estimate-fee-apy.ts'

const startsAt = 1_700_006_400
const days = 8

async function estimateOf(pushedTo: number | null) {
  const { swaps, state } = swapsThroughAGap({ days, startsAt, pushedTo })
  const pool = { ...state, version: 'v3', fee: 3_000, protocolFee: 0 } as Partial<Pool> as Pool
  const position = { pool, createsPool: false, tickLower: -887_220, tickUpper: 887_220, liquidity: 10n ** 21n }
  const liquidity = {
    swaps: async (_chain: Chain, _pool: Pool, from: number) => ({
      swaps: swaps.filter(({ timestamp }) => timestamp >= from),
      created: null,
      completeFrom: from,
      complete: true,
    }),
  } as Partial<Parameters<typeof estimateFeeApy>[0]['liquidity']> as Parameters<typeof estimateFeeApy>[0]['liquidity']
  return estimateFeeApy({ liquidity }, {} as Chain, position, (startsAt + days * 86_400) * 1000)(position)
}

test('a price that jumps through an empty stretch pays what was paid in, and the estimate says so', async () => {
  const quiet = await estimateOf(null)
  const pushed = await estimateOf(-200_000)
  expect(quiet.notes).toEqual([])
  expect(quiet.apyPct).toBeGreaterThan(1)
  // Each push pays for the way from -20 to -600 and back, in seven days beside 168 ways of 40 ticks.
  expect(pushed.apyPct! / quiet.apyPct!).toBeCloseTo(1 + (7 * 2 * 580) / (168 * 40), 0)
  expect(pushed.notes).toEqual([expect.stringContaining('14 swaps passed prices with next to no liquidity')])
})
