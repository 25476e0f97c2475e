import { describe, expect, it } from 'vitest'
import { warningsOf } from './weigh-value.ts'

const bounds = { maxPriceImpactBps: 300 }
const calm = { priceImpactBps: 0, bounds, speculativeUsdMicros: 0n, coldUsdMicros: 0n }

describe('what a person is told of a call that is not refused', () => {
  it.each([null, -50, 0, 99])('nothing of a price impact of %s bps, of 300 that are allowed', (priceImpactBps) => {
    expect(warningsOf({ ...calm, priceImpactBps })).toEqual([])
  })

  it.each([100, 300])('a price impact of %s bps, of 300 that are allowed', (priceImpactBps) => {
    const reported = expect.stringContaining(`${priceImpactBps} bps worse than the market`)
    expect(warningsOf({ ...calm, priceImpactBps })).toEqual([reported])
  })

  it('what it spends on tokens without a named source, and at a current price alone', () => {
    expect(warningsOf({ ...calm, speculativeUsdMicros: 12_500_000n })).toEqual([expect.stringMatching(/^12.5 USD buy/)])
    expect(warningsOf({ ...calm, coldUsdMicros: 1n })).toEqual([expect.stringContaining('Only the current price')])
  })
})
