import { expect, test } from 'vitest'
import type { Token, UsdPrice } from '@svc/amm'
import { sumUsd, valueUsd } from './value-usd.ts'

const token: Token = {
  address: '0x1111111111111111111111111111111111111111',
  symbol: 'T',
  name: 'T',
  decimals: 6,
  isNative: false,
  listed: true,
  usdPegged: false,
}
const price: UsdPrice = {
  usd: 3000.5,
  band: null,
  mostE18: null,
  doubt: 'silent',
  readAt: 0,
  method: 'pool_spot',
  pools: [],
  liquidityUsd: 1,
  confidence: 'HIGH',
  blockNumber: 1n,
}

test('an amount is worth its whole tokens times the price, and nothing is known without one', () => {
  expect(valueUsd(1_500_000n, token, price)).toBe(4500.75)
  expect(valueUsd(0n, token, price)).toBe(0)
  expect(valueUsd(1n, token, null)).toBeNull()
})

test('a sum with an unknown part is unknown', () => {
  expect(sumUsd(1.1, 2.2)).toBe(3.3)
  expect(sumUsd(1, null)).toBeNull()
  expect(sumUsd()).toBe(0)
})
