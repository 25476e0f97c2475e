import { expect, it } from 'vitest'
import { bandAt, idOf, usd } from './band/evidence.fixture.ts'
import type { PoolSnapshot } from './band/pool-reading.ts'
import { bandOfSighting, poolOfSighting, sightingOfBand, sightingOfPool } from './create-chain-prices.ts'

it.each<PoolSnapshot['sums']>([
  null,
  { kind: 'ticks', tick: -5n, perLiquidityX128: 7n },
  { kind: 'prices', price0X112: 1n, price1X112: 2n },
])('a pool that sums up %o comes back as it was', (sums) => {
  const snapshot = { atSeconds: 5, sqrtPriceX96: 3n, liquidity: 4n, sums }
  expect(poolOfSighting(sightingOfPool(idOf(1), snapshot))).toEqual(snapshot)
})

it('a band comes back as it was, and nothing else as one', () => {
  const seen = sightingOfBand('0xa', bandAt(1, 3), 5)
  expect(seen.subject).toBe('token 0xa')
  expect(bandOfSighting(seen)).toEqual({ atSeconds: 5, lowE18: usd(1), midE18: usd(2), highE18: usd(3) })
  expect(poolOfSighting(seen)).toBeNull()
  expect(
    bandOfSighting(sightingOfPool('0xAB', { atSeconds: 5, sqrtPriceX96: 1n, liquidity: 1n, sums: null })),
  ).toBeNull()
  expect(sightingOfPool('0xAB', { atSeconds: 5, sqrtPriceX96: 1n, liquidity: 1n, sums: null }).subject).toBe(
    'pool 0xab',
  )
})
