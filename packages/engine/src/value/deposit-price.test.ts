import { expect, it } from 'vitest'
import { offMarket } from './deposit-price.ts'

const symbols: Readonly<Record<string, string>> = { '0x01': 'USDC', '0x02': 'WBTC' }
const market = 1n << 96n
const pool = {
  id: '0xaa',
  version: 'v3',
  token0: '0x01',
  token1: '0x02',
  stoodBefore: true,
  // A tenth above the market, of the root.
  sqrtPriceX96: (market * 11n) / 10n,
  pair: null,
} as const

const said = (isInverted: boolean) => {
  const words = { what: 'a deposit is made', symbolOf: (token: string) => symbols[token] ?? token, isInverted }
  return offMarket(pool, { low: market, high: market }, { maxPoolDeviationBps: 200 }, words)
}

it('is said in the order in which the caller names the tokens, and of which per which', () => {
  expect(said(false)).toMatchObject([
    {
      message:
        'The pool stands 2099 bps above the market in WBTC per USDC; a deposit is made within 200 bps of the market.',
      details: [{ message: 'WBTC per USDC', deviationBps: 2_099 }],
    },
  ])
  expect(said(true)).toMatchObject([
    {
      message:
        'The market stands 2099 bps above the pool in USDC per WBTC; a deposit is made within 200 bps of the market.',
      details: [{ message: 'USDC per WBTC', deviationBps: -2_099 }],
    },
  ])
})
