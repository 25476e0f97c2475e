import { expect, it } from 'vitest'
import type { DescribedAmount } from './describe-operation.ts'
import { tradePriceText } from './operation-text.ts'

const amount = (symbol: string, raw: string | null, decimals: number | null): DescribedAmount => ({
  amount: 'not read',
  symbol,
  token: '0x1',
  usd: null,
  raw,
  decimals,
})
const weth = amount('WETH', '400000000000000000', 18)
const usdc = amount('USDC', '1193969763', 6)
const trade = (paid: DescribedAmount[], got: DescribedAmount[]) => ({
  leavesAtMost: paid,
  arrivesAtLeast: got,
  deposits: [],
})

it('says the price of the dearer token at worst, rounded against the trader', () => {
  expect(tradePriceText(trade([weth], [usdc]))).toBe('at least 2,984.92 USDC per WETH')
  expect(tradePriceText(trade([usdc], [weth]))).toBe('at most 2,984.93 USDC per WETH')
  const [whole, paid] = [amount('WETH', '1000000000000000000', 18), amount('USDC', '3000000000', 6)]
  expect(tradePriceText(trade([paid], [whole]))).toBe('at most 3,000 USDC per WETH')
  expect(tradePriceText(trade([whole], [paid]))).toBe('at least 3,000 USDC per WETH')
})

it.each([
  ['nothing is bound to arrive', trade([weth], [])],
  ['two tokens arrive', trade([weth], [usdc, weth])],
  ['the decimals are not known', trade([weth], [amount('X', '5', null)])],
  ['an earlier version stored no raw amount', trade([amount('WETH', null, 18)], [usdc])],
  ['nothing leaves', trade([amount('WETH', '0', 18)], [usdc])],
])('says none where %s', (_name, given) => {
  expect(tradePriceText(given)).toBeNull()
})
