import { chains } from '@svc/wallet/core'
import { expect, test } from 'vitest'
import type { PriceDoubt, Token } from '@svc/amm'
import { noPrice } from './value-usd.ts'

test.each([
  ['unnamed', 'unnamed', false],
  ['unnamed', 'silent', true],
  ['stale', 'pastless', true],
] as const)('a pair whose prices are %s and %s may be asked for again: %s', async (one, other, retryable) => {
  const doubts: Record<string, PriceDoubt> = { A: one, B: other }
  const prices = { doubt: async (_chain: unknown, { symbol }: Token) => doubts[symbol] ?? null }
  const token = (symbol: string) => ({ symbol, address: '0x01' }) as unknown as Token
  const error = await noPrice(prices, chains[0]!, { token0: token('A'), token1: token('B') })
  expect(error).toMatchObject({ code: 'PRICE_UNAVAILABLE', retryable })
})
