import { describe, expect, it } from 'vitest'
import { amount, brief, dollars, percent, wrap } from './transcript.ts'

describe('wording', () => {
  it.each([
    ['17344.219761', 'USDC', '17,344.22 USDC'],
    ['4.999999999999999103', 'WETH', '5 WETH'],
    ['0.005894383184154867', 'WETH', '0.00589438 WETH'],
    ['0', 'USDC', '0 USDC'],
  ])('of an amount: %s', (decimal, symbol, words) => expect(amount(decimal, symbol)).toBe(words))

  it.each([
    [14_203_122, '$14.2 million'],
    [344_913.042, '$344,913.04'],
    [0.0031, '$0.0031'],
    [0, '$0.00'],
    [null, 'no price'],
  ])('of dollars: %s', (usd, words) => expect(dollars(usd)).toBe(words))

  it('of shares and hashes', () => {
    expect([percent(0.05), percent(47.5812), brief(`0x${'ab'.repeat(32)}`)]).toEqual([
      '0.05 %',
      '47.58 %',
      '0xabab…abab',
    ])
  })

  it('breaks lines at blanks, never inside a word', () => {
    expect(wrap('one two three 0123456789 four', 9)).toEqual(['one two', 'three', '0123456789', 'four'])
    expect(wrap('', 9)).toEqual([''])
  })
})
