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
        expect.stringMatching(/^No named source tells what 0x.* is worth: a sale of it .* may need a person/),
        expect.stringContaining(`${tokenIn} keeps 1 % of each transfer: amountOut is what arrives`),
      ],
    ])
  })

  test('says what arrives after the fee on transfers, and the slippage that the swap takes', async () => {
    const fot = world.address('FOT')
    for (const [tokenIn, tokenOut] of [
      ['WETH', fot],
      [fot, 'WETH'],
    ]) {
      const trade = { tokenIn, tokenOut, amount: '0.1' }
      const quote = await world.call('get_quote', trade)
      const [, named] = /slippageBps (\d+)/.exec(String(quote.at('notes'))) ?? []
      expect(named).toBe('150')
      const refused = await world.refuse('execute_swap', trade)
      expect(refused.suggestion).toContain(`slippageBps to at least ${named}`)
      const slippageBps = Number(named)
      const again = await world.call('get_quote', { ...trade, slippageBps })
      expect(again.text('minAmountOut')).toBe(quote.text('minAmountOut'))
      const planned = await world.call('execute_swap', { ...trade, slippageBps, dryRun: true })
      const arriving = planned.list('plan.deltas').find((delta) => !delta.text('amount').startsWith('-'))
      expect(Number(arriving?.text('amount')) / Number(quote.text('amountOut'))).toBeCloseTo(1, 6)
      const least = planned.list('plan.bounds.receivesAtLeast').map((one) => one.text('amount'))
      expect(least).toEqual([quote.text('minAmountOut')])
      if (tokenIn === 'WETH') await world.call('execute_swap', { ...trade, slippageBps })
    }
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
    const message = `No pools of v4 lead from USDC to ${tokenOut} on local directly or over one or two listed tokens between them; of v2 some do.`
    const looked = { message, tokens: ['USDC', tokenOut], versionsLookedFor: ['v4'] }
    expect(await world.refuse('get_quote', { tokenIn: 'USDC', tokenOut, amount: '1', version: 'v4' })).toMatchObject({
      code: 'POOL_NOT_FOUND',
      message,
      suggestion: 'Leave version out, or name one that leads there.',
      details: [{ field: 'version', accepted: ['v2'], ...looked }],
    })
  })
})
