import { concat } from 'viem'
import { expect, it } from 'vitest'
import { argumentText, argumentTokens } from './argument-text.ts'

const [usdc, dai, wbtc, weth] = (['a1', 'b2', 'c3', 'd4'] as const).map((end) => `0x${'00'.repeat(19)}${end}` as const)
const path = concat([usdc!, '0x000bb8', wbtc!, '0x0001f4', dai!])

it.each([
  [
    'exactInputSingle',
    { tokenIn: usdc, tokenOut: dai, amountIn: 1n, amountOutMinimum: 2n, fee: 3n },
    { amountIn: usdc, amountOutMinimum: dai },
  ],
  ['exactInput', { path, amountIn: 1n, amountOutMinimum: 2n }, { amountIn: usdc, amountOutMinimum: dai }],
  ['v2 swap', { amountIn: 1n, amountOutMin: 2n, path: [usdc, wbtc, dai] }, { amountIn: usdc, amountOutMin: dai }],
  [
    'mint',
    { token0: usdc, token1: dai, amount0Desired: 1n, amount1Min: 2n, tickLower: 5n },
    { amount0Desired: usdc, amount1Min: dai },
  ],
  ['mint position', { currency0: usdc, currency1: dai, liquidity: 9n, amount0Max: 1n }, { amount0Max: usdc }],
  [
    'addLiquidity',
    { tokenA: usdc, tokenB: dai, amountADesired: 1n, amountBMin: 2n },
    { amountADesired: usdc, amountBMin: dai },
  ],
  [
    'addLiquidityETH',
    { token: usdc, amountTokenMin: 1n, amountETHMin: 2n, liquidity: 4n },
    { amountTokenMin: usdc, amountETHMin: weth },
  ],
  ['unwrapWETH9', { amountMinimum: 1n, recipient: dai }, { amountMinimum: weth }],
  ['settle all', { currency: usdc, maxAmount: 1n }, { maxAmount: usdc }],
  ['decreaseLiquidity', { tokenId: 7n, liquidity: 1n, amount0Min: 2n, amount1Min: 3n }, {}],
  ['exactOutput', { path, amountOut: 1n, amountInMaximum: 2n }, { amountOut: usdc, amountInMaximum: dai }],
  [
    'exactOutputSingle',
    { tokenIn: usdc, tokenOut: dai, amountOut: 1n, amountInMaximum: 2n },
    { amountOut: dai, amountInMaximum: usdc },
  ],
  [
    'swapTokensForExactTokens',
    { amountOut: 1n, amountInMax: 2n, path: [usdc, wbtc, dai] },
    { amountOut: dai, amountInMax: usdc },
  ],
  [
    'swap exact out',
    {
      currencyOut: dai,
      path: [{ intermediateCurrency: usdc }, { intermediateCurrency: wbtc }],
      amountOut: 1n,
      amountInMaximum: 2n,
    },
    { amountOut: dai, amountInMaximum: usdc },
  ],
  ['v3 swap exact out', { path, amountOut: 1n, amountInMax: 2n }, { amountOut: usdc, amountInMax: dai }],
  ['v2 swap exact out', { path: [usdc, dai], amountOut: 1n, amountInMax: 2n }, { amountOut: dai, amountInMax: usdc }],
  ['exactInput', { path: '0x1234', amountIn: 1n }, {}],
  ['v2 swap', { path: [], amountIn: 1n }, {}],
  ['anything', { amount: 1n }, {}],
] as const)('knows of %s %o', (name, args, tokens) => {
  const contract = { token: null, wrappedNative: weth! }
  expect(argumentTokens(name, new Map(Object.entries(args)), contract)).toEqual(tokens)
})

it("takes what a token's own functions name for amounts of that token", () => {
  const args = new Map<string, unknown>([
    ['spender', dai],
    ['amount', 5n],
  ])
  expect(argumentTokens('approve', args, { token: usdc!, wrappedNative: weth! })).toEqual({ amount: usdc })
})

it('a list is shown with each of its members, a proof by its length alone', () => {
  expect(argumentText('v2 swap', 'path', [usdc, dai])).toBe(`[${usdc}, ${dai}]`)
  expect(argumentText('claim', 'amounts', [1n, 2n])).toBe('[1, 2]')
  expect(argumentText('claim', 'proofs', [['0x'], ['0x']])).toBe('2, not shown')
})
