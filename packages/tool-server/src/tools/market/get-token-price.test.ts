import { expect, test } from 'vitest'
import type { PriceDoubt } from '@svc/amm'
import { describeRefusals, refusalOf, untouchedWorld } from '../refusals.fixture.ts'
import { getTokenPrice } from './get-token-price.ts'

describeRefusals(getTokenPrice, { token: 'WETH', chain: 'base' }, { token: 'token', chain: 'chain', quote: 'token' })

const without = (doubt: PriceDoubt) => ({
  ...untouchedWorld(),
  prices: { usd: async () => null, ratio: async () => null, doubt: async () => doubt },
})

test.each([
  ['silent', true],
  ['stale', true],
  ['unnamed', false],
  ['pastless', false],
  ['absurd', false],
] as const)('a price that is missing because its sources are %s may come later: %s', async (doubt, retryable) => {
  const refusal = await refusalOf(getTokenPrice, { token: 'WETH', chain: 'base' }, without(doubt))
  expect(refusal).toMatchObject({ code: 'PRICE_UNAVAILABLE', retryable })
})

test('a pair that no pool trades does not come by waiting', async () => {
  const args = { token: 'WETH', chain: 'base', quote: 'USDC' }
  const refusal = await refusalOf(getTokenPrice, args, without('silent'))
  expect(refusal).toMatchObject({ code: 'PRICE_UNAVAILABLE', retryable: false, details: [{ field: 'quote' }] })
})
