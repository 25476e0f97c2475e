import { expect, test } from 'vitest'
import { amountNotes } from './format-backtest.ts'

test('an amount that a pool bears needs no word; one that is most of its liquidity, or puts rebalances off, does', () => {
  const small = { name: 'wide', firstLiquidityShare: 0.5, putOffSeconds: 0 }
  expect(amountNotes([small])).toEqual([])
  const [large, late, ...none] = amountNotes([
    { name: 'narrow', firstLiquidityShare: 0.51, putOffSeconds: 0 },
    { name: 'tight', firstLiquidityShare: 0.99, putOffSeconds: 26_100 },
    small,
  ])
  expect(large).toMatch(/most of the liquidity would be that of "narrow", "tight",/)
  expect(late).toMatch(/would have taken over a tenth of the position: "tight" for 7.25 h\./)
  expect(none).toEqual([])
})
