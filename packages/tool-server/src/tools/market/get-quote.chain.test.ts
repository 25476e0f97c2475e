import { useDevnet } from '@svc/devnet/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openWorld, type World } from '../chain-world.fixture.ts'

const devnet = useDevnet()
let world: World

beforeAll(async () => {
  world = await openWorld(devnet())
})
afterAll(async () => {
  await world.close()
})

describe('get_quote', () => {
  test('says what a trade brings, at least, and how it goes', async () => {
    const answer = await world.call('get_quote', { tokenIn: 'WETH', tokenOut: 'USDC', amount: '1', slippageBps: 100 })
    expect(Number(answer.text('minAmountOut')) / Number(answer.text('amountOut'))).toBeCloseTo(0.99, 5)
    expect(answer.number('price') / Number(answer.text('amountOut'))).toBeCloseTo(1, 4)
    expect(answer.list('route').length).toBeGreaterThan(0)
    expect(answer.number('gasUsd')).toBeGreaterThan(0)
    expect(Date.parse(answer.text('expiresAt')) - Date.parse(answer.text('timestamp'))).toBeGreaterThan(10_000)
  })

  test('names the token of each amount, and notes nothing where nothing is missing', async () => {
    const answer = await world.call('get_quote', { tokenIn: 'WETH', tokenOut: 'USDC', amount: '1' })
    const sides = ['tokenIn', 'tokenOut'].map((side) => [answer.text(`${side}.symbol`), answer.at(`${side}.decimals`)])
    expect(sides).toEqual([
      ['WETH', 18],
      ['USDC', 6],
    ])
    expect(answer.at('notes')).toEqual([])
  })

  test('notes against what the impact is measured where no named source has a price, and what a token keeps of each transfer', async () => {
    const tokenIn = world.address('FOT')
    const answer = await world.call('get_quote', { tokenIn, tokenOut: 'WETH', amount: '1' })
    expect([answer.text('tokenIn.address'), answer.at('notes')]).toEqual([
      tokenIn,
      [
        expect.stringContaining('priceImpactBps is against the price of the pools'),
        `${tokenIn} keeps 1 % of each transfer: less arrives than is quoted.`,
      ],
    ])
  })

  test('a larger trade has a larger impact', async () => {
    const impact = async (amount: string) =>
      (await world.call('get_quote', { tokenIn: 'WETH', tokenOut: 'USDC', amount, version: 'v2' })).number(
        'priceImpactBps',
      )
    expect(await impact('100')).toBeGreaterThan((await impact('1')) * 20)
  })

  test('keeps to the version asked for', async () => {
    for (const version of ['v2', 'v3', 'v4']) {
      const answer = await world.call('get_quote', { tokenIn: 'USDC', tokenOut: 'WETH', amount: '100', version })
      expect(answer.text('version')).toBe(version)
    }
  })

  test('buys no pool empty', async () => {
    const everything = { tokenIn: 'WETH', tokenOut: 'USDC', amount: '1000000', version: 'v4' }
    expect(await world.refuse('get_quote', everything)).toMatchObject({
      code: 'INSUFFICIENT_LIQUIDITY',
      details: [{ field: 'amount' }],
    })
  })

  test('finds no way where there is none', async () => {
    const tokenOut = world.address('FOT')
    const message = `No pools of v4 lead from USDC to ${tokenOut} on local directly; of v2 some do.`
    const looked = { message, tokens: ['USDC', tokenOut], versionsLookedFor: ['v4'] }
    expect(await world.refuse('get_quote', { tokenIn: 'USDC', tokenOut, amount: '1', version: 'v4' })).toMatchObject({
      code: 'POOL_NOT_FOUND',
      message,
      suggestion: 'Leave version out, or name one that leads there.',
      details: [{ field: 'version', accepted: ['v2'], ...looked }],
    })
  })
})
