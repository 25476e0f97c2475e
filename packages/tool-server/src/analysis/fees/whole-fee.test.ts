import { expect, test } from 'vitest'
import { wholeFee } from './pool-trade.ts'

test.each([
  // v3: a quarter of the fee of token0 and a fifth of that of token1.
  ['v3', 3_000, 4 + (5 << 4), { feePips: 3_000, protocolFeeShare: (1 / 4 + 1 / 5) / 2 }],
  // v4: 1000 pips first, 3000 on the rest, less three.
  ['v4', 3_000, 1_000 + (1_000 << 12), { feePips: 3_997, protocolFeeShare: 1_000 / 3_997 }],
  ['v4', 500, 0, { feePips: 500, protocolFeeShare: 0 }],
  ['v4', 0, 0, { feePips: 0, protocolFeeShare: 0 }],
] as const)('of a %s pool of %d with protocol fee %d', (version, fee, protocolFee, { feePips, protocolFeeShare }) => {
  const found = wholeFee({ version, fee, protocolFee })
  expect([found.feePips, found.protocolFeeShare]).toEqual([feePips, expect.closeTo(protocolFeeShare, 12)])
})
