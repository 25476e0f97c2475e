import { describe, expect, test } from 'vitest'
import type { AddPreview, AddRequest, Intent, IntentDeposit } from '@svc/amm'
import type { Liquidity } from '../../../../amm/src/ports.ts'
import type { WriteContext } from '../../tool-context.ts'
import { describeRefusals, refusalOf, refusedFields, untouchedWorld } from '../refusals.fixture.ts'
import { addLiquidity } from './add-liquidity.ts'
describeRefusals(
  addLiquidity,
  { token0: 'WETH', token1: 'USDC', fee: 500, amount0: '1', chain: 'base', rangeStrategy: 'medium' },
  {
    token0: 'token',
    token1: 'token',
    fee: 'fee',
    amount0: 'amount',
    amount1: 'amount',
    chain: 'chain',
    version: 'anyVersion',
    priceLower: 'priceLower',
    priceUpper: 'priceUpper',
    rangeStrategy: 'rangeStrategy',
    hookAddress: 'address',
    createPool: 'flag',
    slippageBps: 'slippage',
    deadlineSeconds: 'deadline',
  },
)

const pair = { token0: 'WETH', token1: 'USDC', amount0: '1', chain: 'base' }

describe('add_liquidity refuses contradictions', () => {
  const hook = '0x0000000000000000000000000000000000000080'
  const rows: readonly (readonly [label: string, args: Record<string, unknown>, field: string])[] = [
    ['no fee on v3', { ...pair, rangeStrategy: 'full' }, 'fee'],
    ['no fee on v4', { ...pair, version: 'v4', rangeStrategy: 'full' }, 'fee'],
    ['a fee of v4 on v3', { ...pair, fee: 400, rangeStrategy: 'full' }, 'fee'],
    ['no range', { ...pair, fee: 500 }, 'priceLower'],
    ['half a range', { ...pair, fee: 500, priceLower: 1000 }, 'priceUpper'],
    ['the other half', { ...pair, fee: 500, priceUpper: 1000 }, 'priceLower'],
    ['prices the wrong way round', { ...pair, fee: 500, priceLower: 3000, priceUpper: 2000 }, 'priceLower'],
    ['an empty range', { ...pair, fee: 500, priceLower: 3000, priceUpper: 3000 }, 'priceLower'],
    [
      'strategy and prices',
      { ...pair, fee: 500, rangeStrategy: 'wide', priceLower: 1, priceUpper: 2 },
      'rangeStrategy',
    ],
    ['strategy and one price', { ...pair, fee: 500, rangeStrategy: 'wide', priceUpper: 2 }, 'rangeStrategy'],
    ['a hook on v3', { ...pair, fee: 500, rangeStrategy: 'full', hookAddress: hook }, 'hookAddress'],
    ['nothing at all', { ...pair, fee: 500, rangeStrategy: 'full', amount0: '0' }, 'amount0'],
    ['two times nothing', { ...pair, fee: 500, rangeStrategy: 'full', amount0: '0.0', amount1: '0' }, 'amount0'],
    ['a range on v2', { ...pair, version: 'v2', priceLower: 1, priceUpper: 2 }, 'priceLower'],
    ['a strategy on v2', { ...pair, version: 'v2', rangeStrategy: 'full' }, 'rangeStrategy'],
    ['a hook on v2', { ...pair, version: 'v2', hookAddress: hook }, 'hookAddress'],
    ['one side of v2', { ...pair, version: 'v2', amount1: '0' }, 'amount1'],
    ['one token twice', { ...pair, fee: 500, rangeStrategy: 'full', token1: 'WETH' }, 'token1'],
    ['a currency and its wrapped form', { ...pair, fee: 500, rangeStrategy: 'full', token1: 'ETH' }, 'token1'],
    ['more digits than USDC has', { ...pair, fee: 500, rangeStrategy: 'full', amount1: '1.0000001' }, 'amount1'],
  ]
  test.each(rows)('%s', async (_label, args, field) => {
    expect(await refusedFields(addLiquidity, args)).toContain(field)
  })

  test('a fee in percent is refused once, and the refusal says in which unit fees are', async () => {
    const { details } = await refusalOf(addLiquidity, { ...pair, fee: 0.05, rangeStrategy: 'full' })
    expect(details).toMatchObject([{ field: 'fee', message: expect.stringContaining('500 (0.05 %)') }])
  })

  test('saying how many digits a token has', async () => {
    const args = { ...pair, fee: 500, rangeStrategy: 'full', amount1: '1.0000001' }
    expect((await refusalOf(addLiquidity, args)).details).toEqual([
      expect.objectContaining({ field: 'amount1', accepted: expect.stringContaining('at most 6 digits') }),
    ])
  })
})

describe('add_liquidity takes', () => {
  const rows: readonly (readonly [label: string, args: Record<string, unknown>])[] = [
    ['one side of a range', { ...pair, fee: 500, priceLower: 1, priceUpper: 2, amount0: '0', amount1: '5' }],
    ['no fee on v2', { ...pair, version: 'v2' }],
    ['a fee on v2, which does not use it', { ...pair, version: 'v2', fee: 3000 }],
    ['a fee of an existing pool on v4', { ...pair, version: 'v4', fee: 400, rangeStrategy: 'narrow' }],
    ['native currency', { ...pair, token0: 'ETH', version: 'v4', fee: 500, rangeStrategy: 'narrow' }],
    ['a chain by its id', { ...pair, chain: '8453', version: 'v2' }],
    ['a chain by its id as a number', { ...pair, chain: 8453, version: 'v2' }],
  ]
  test.each(rows)('%s', async (_label, args) => {
    await expect(refusalOf(addLiquidity, args)).rejects.toThrow('liquidity.planAdd was touched')
  })
})

describe('add_liquidity hands on', () => {
  const kept = { deposit: { pool: '0x12' } as unknown as IntentDeposit, slippageBps: 50 }

  async function intentOf(args: Record<string, unknown>, change: Partial<WriteContext> = {}) {
    const requests: AddRequest[] = []
    const intents: Intent[] = []
    const planAdd: Liquidity['planAdd'] = async (_chain, request) => {
      requests.push(request)
      return {
        intent: { why: 'add' } as Intent,
        preview: {} as AddPreview,
        decode: () => Promise.reject(new Error('not mined')),
      }
    }
    const context: WriteContext = {
      ...untouchedWorld(),
      liquidity: { planAdd } as Liquidity,
      prices: { usd: async () => null, ratio: async () => null, doubt: async () => 'unnamed' as const },
      execute: async (intent) => {
        intents.push(intent)
        throw new Error('enough')
      },
      ...change,
    }
    const input = addLiquidity.input.parse({ ...pair, fee: 500, rangeStrategy: 'narrow', ...args })
    await expect(addLiquidity.handle(input, context)).rejects.toThrow('enough')
    return { request: requests[0]!, intent: intents[0]! }
  }

  test('whether the caller takes a pool without a trusted price', async () => {
    expect((await intentOf({ createPool: true })).intent).toEqual({ why: 'add', allowsUnpricedPool: true })
    expect((await intentOf({ createPool: false })).intent).toEqual({ why: 'add' })
    expect((await intentOf({})).intent).toEqual({ why: 'add' })
  })

  test('a price as text is refused in our own words alone', async () => {
    const args = { ...pair, fee: 500, amount0: '1', priceLower: 2800, priceUpper: '3200' }
    const { details } = await refusalOf(addLiquidity, args)
    const accepted = 'Accepted: a number above 0, or "Infinity" for a range without an upper end'
    expect(details).toEqual([{ field: 'priceUpper', message: accepted }])
  })

  test('a range without ends as answers show it, also as it is stored', async () => {
    const range = async (args: Record<string, unknown>) =>
      (await intentOf({ rangeStrategy: undefined, ...args })).request.range
    expect(await range({ priceLower: 0, priceUpper: 'Infinity' })).toBe('full')
    // As answers show an end that a range has not.
    expect(await range({ priceLower: null, priceUpper: 2000 })).toEqual({ priceLower: 0, priceUpper: 2000 })
    expect(await range({ priceLower: 2000, priceUpper: null })).toEqual({ priceLower: 2000, priceUpper: Infinity })
    expect(await range({ priceLower: null, priceUpper: null, rangeStrategy: 'full' })).toBe('full')
    await expect(range({ priceLower: null, priceUpper: null })).rejects.toThrow('in place of two ends that are null')
    expect(await range({ priceLower: 0, priceUpper: 5000 })).toEqual({ priceLower: 0, priceUpper: 5000 })
    const open = { priceLower: 2000, priceUpper: 'Infinity' }
    expect(await range(open)).toEqual({ priceLower: 2000, priceUpper: Number.POSITIVE_INFINITY })
    const parsed = addLiquidity.input.parse({ ...pair, fee: 500, ...open })
    expect(addLiquidity.input.parse(JSON.parse(JSON.stringify(parsed)))).toEqual(parsed)
  })

  test('the deposit of the plan that it carries out', async () => {
    expect((await intentOf({}, { keptDeposits: () => [kept] })).request.kept).toBe(kept)
    expect((await intentOf({})).request.kept).toBeUndefined()
  })
})
