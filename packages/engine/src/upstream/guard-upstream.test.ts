import { expect, test } from 'vitest'
import { openTrading } from './guard-upstream.ts'

test('without a key there is no trading API', () => {
  const policy = () => {
    throw new Error('nothing is guarded')
  }
  expect(openTrading({ tradingApi: null, policy })).toBeNull()
})
