import { getSqrtPriceAtTick } from '@svc/lp-math'
import { chains } from '@svc/wallet/core'
import { zeroAddress } from 'viem'
import { expect, test } from 'vitest'
import { noRoute } from '../quotes/quote.ts'
import { quoteToRatio } from './quote-to-ratio.ts'
import { swapIntent } from './swap-intent.ts'

const [chain] = chains as readonly [(typeof chains)[number]]
const facts = { name: '', decimals: 18, usdPegged: false, isNative: false, listed: true }
const token0 = { ...facts, symbol: 'A', address: zeroAddress }
const token1 = { ...facts, symbol: 'B', address: chain.permit2 }
const pool = {
  version: 'v4',
  id: `0x${'1'.repeat(64)}`,
  token0,
  token1,
  fee: 500,
  tickSpacing: 10,
  hooks: null,
  sqrtPriceX96: getSqrtPriceAtTick(0),
  tick: 0,
  liquidity: 1n,
  reserve0: null,
  reserve1: null,
  feeGrowthGlobal0X128: null,
  feeGrowthGlobal1X128: null,
  protocolFee: 0,
  blockNumber: 1n,
} as const

const poolOf = (version: 'v3' | 'v4') => ({ ...pool, version })

test('a swap that a deposit needs and no pools lead to is refused without a word of the arguments of a swap', async () => {
  const refusal = noRoute(chain, { tokenIn: token0, tokenOut: token1, versions: ['v2', 'v3', 'v4'] }, ['v3'])
  const liquidity = { quote: () => Promise.reject(refusal) }
  const atHand = { amount0: 10n ** 18n, amount1: 0n }
  const given = { pool, ticks: { tickLower: -100, tickUpper: 100 }, atHand, without: null, kept: undefined }
  const failure = await quoteToRatio({ liquidity }, chain, given).catch((error: unknown) => error)
  expect(failure).toMatchObject({ code: 'POOL_NOT_FOUND' })
  const { message, suggestion, details } = failure as typeof refusal
  expect(message).toMatch(
    /^What is at hand does not fit the range unless a part is swapped\. No pools of v2, v3, v4 lead/,
  )
  expect(suggestion).toMatch(/range that what is at hand fits/)
  expect(details).toEqual([expect.not.objectContaining({ field: expect.anything() })])
  expect(details).toEqual([expect.not.objectContaining({ accepted: expect.anything() })])
})

test.each([
  [['v4', 'v4'], 'through v4.'],
  [['v4', 'v3', 'v4'], 'through v4, then v3, then v4.'],
] as const)('a trade over pools of %s says it goes %s', (versions, said) => {
  // Native currency and its wrapped token meet between two pools: each is a part of its own.
  const route = versions.map((version) => ({ pool: poolOf(version), tokenIn: token0, tokenOut: token1 }))
  const terms = { slippageBps: 50, deadline: 1, recipient: zeroAddress, keptReceipts: [] }
  const request = { tokenIn: token0, tokenOut: token1, ...terms }
  const version = versions.length === 2 ? 'v4' : 'mixed'
  const quote = {
    amountIn: 1n,
    amountOut: 1n,
    route,
    version,
    priceImpactBps: 0,
    gasEstimate: 1n,
    blockNumber: 1n,
  } as const
  const call = { router: chain.permit2, data: '0x', least: 1n, via: 'erc20', atomicity: 'single' } as const
  expect(swapIntent(chain, quote, request, call).why.endsWith(said)).toBe(true)
})
