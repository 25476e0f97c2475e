import { expect, it } from 'vitest'
import { doubtOfDepth, doubtOfPrice, doubtOfRecord, leastDepthUsd } from './propose-sources.ts'
import type { PoolCandidate } from './read-candidates.ts'

const id = '0x00000000000000000000000000000000000000aa'
const candidate = (tokenSide: number, quoteSide: number, usd = 1): PoolCandidate => ({
  row: { version: 'v3', id, quote: id, fee: 500 },
  quote: { address: id, symbol: 'USDC', decimals: 6, usd: 1, restsOnToken: false },
  depthUsd: { tokenSide, quoteSide },
  depthSeconds: 1_800,
  usd,
})

it('the shallower side decides whether a pool is deep', () => {
  expect(doubtOfDepth(candidate(leastDepthUsd, leastDepthUsd))).toBeNull()
  expect(doubtOfDepth(candidate(leastDepthUsd - 1, 1e9))).toMatch(/^it is thin: 99,999 USD of the token within 20 %/)
  expect(doubtOfDepth(candidate(1e9, 0))).toMatch(/^it is thin: 0 USD of USDC within 20 %/)
})

it('a pool is a week old for sure, and traded in as far as that is known', () => {
  const old = { isWeekOld: true, volume7dUsd: 1 }
  expect([doubtOfRecord(old), doubtOfRecord({ ...old, volume7dUsd: null })]).toEqual([null, null])
  expect(doubtOfRecord({ ...old, isWeekOld: false })).toBe('it is younger than a week')
  expect(doubtOfRecord({ ...old, isWeekOld: null })).toMatch(/^its age is not known/)
  expect(doubtOfRecord({ ...old, volume7dUsd: 0 })).toMatch(/^nothing was traded in it/)
})

it('its price is within two hundredths of what a feed or the deepest pool says', () => {
  const reference = { source: 'the feed', usd: 100 }
  for (const usd of [98.1, 100, 101.9]) expect(doubtOfPrice(candidate(1, 1, usd), reference)).toBeNull()
  expect(doubtOfPrice(candidate(1, 1, 97.9), reference)).toBe('its price is -2.1 % off that of the feed')
  expect(doubtOfPrice(candidate(1, 1, 102.1), reference)).toBe('its price is 2.1 % off that of the feed')
  expect(doubtOfPrice(candidate(1, 1, 102.1), null)).toBeNull()
})
