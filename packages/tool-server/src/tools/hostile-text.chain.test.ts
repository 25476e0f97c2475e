import { useDevnet } from '@svc/devnet/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { devnetPolicy } from '@svc/engine'
import type { Answer } from './answer.fixture.ts'
import { callApproved, openWorld, type World } from './chain-world.fixture.ts'

const devnet = useDevnet()
let world: World

beforeEach(async () => {
  world = await openWorld(devnet(), { policy: { ...devnetPolicy(), unnamedSales: 'allow' } })
})
afterEach(async () => {
  await world.close()
})

/** The members that carry text of a contract, as data. */
const dataMembers = new Set(['symbol', 'name', 'token0Symbol', 'token1Symbol', 'amount0Symbol', 'amount1Symbol'])

test('text of a contract reaches the agent as short, escaped data and nowhere else', async () => {
  const token = world.address('HOSTILE')
  const pool = devnet().pools.find((each) => each.label.startsWith('HOSTILE'))!.id
  const add = { token0: token, token1: 'USDC', fee: 10_000, amount0: '10', rangeStrategy: 'full' }
  const opened = await callApproved(world, 'add_liquidity', add)
  const positionId = opened.text('positionId')
  const swap = await world.call('execute_swap', { tokenIn: token, tokenOut: 'USDC', amount: '1' })
  const answers: Answer[] = [
    opened,
    swap,
    await world.call('add_liquidity', { ...add, dryRun: true }),
    await world.call('get_token_info', { token }),
    await world.call('get_pool_info', { pool }),
    await world.call('get_pools_by_token_pair', { token0: token, token1: 'USDC' }),
    await world.call('get_quote', { tokenIn: token, tokenOut: 'USDC', amount: '1' }),
    await world.call('get_position', { positionId }),
    await world.call('get_positions_by_owner'),
    await world.call('get_agent_balance', { tokens: [token] }),
    await world.call('get_transaction_status', { txHash: swap.text('txHash') }),
    await world.call('collect_fees', { positionId }),
    await world.call('remove_liquidity', { positionId }),
  ]
  const refusals = [
    await world.refuse('execute_swap', { tokenIn: token, tokenOut: 'USDC', amount: '100000000' }),
    await world.refuse('get_token_price', { token, quote: 'WBTC' }),
    await world.refuse('execute_swap', { tokenIn: token, tokenOut: 'WBTC', amount: '1', slippageBps: 1000 }),
  ]
  const texts = answers.flatMap((answer) => textsOf(answer.data, ''))
  expect(texts.some(({ member }) => dataMembers.has(member))).toBe(true)
  for (const { member, text } of [...texts, ...textsOf(refusals, '')]) {
    expect(text).not.toMatch(/\p{C}|\p{Zl}|\p{Zp}|\p{sc=Cyrillic}/u)
    expect([member, text.length > 64 && dataMembers.has(member)]).toEqual([member, false])
    expect([member, text.includes('IGNORE') && member !== 'name']).toEqual([member, false])
  }
})

test('a purchase of a token whose text is made to mislead warns of it first, in words of ours', async () => {
  const token = world.address('HOSTILE')
  const bought = await world.call('execute_swap', { tokenIn: 'USDC', tokenOut: token, amount: '1', dryRun: true })
  const [first] = bought.at('plan.warnings') as string[]
  expect(first).toBe(
    `Put nothing into ${token} unless your owner asked for this very address. It calls itself like the listed USDC, which is ${world.address('USDC')}: it is another token.`,
  )
  // The reads before it say so, too, and nobody buys it without a person, who is asked about no other purchase of a dollar.
  const quoted = await world.call('get_quote', { tokenIn: 'USDC', tokenOut: token, amount: '1' })
  expect(quoted.at('notes')).toContain(first)
  const pool = devnet().pools.find((each) => each.label.startsWith('HOSTILE'))!.id
  expect((await world.call('get_pool_info', { pool })).at('notes')).toContain(first)
  expect((await world.call('search_pools', { token })).at('notes')).toContain(first)
  expect(bought.at('plan.policy')).toMatchObject({ conditions: [{ code: 'APPROVAL_REQUIRED' }] })
  const refused = { code: 'APPROVAL_REQUIRED', message: `It needs a person's approval. ${first}` }
  const trade = { tokenIn: 'USDC', tokenOut: token, amount: '1' }
  expect(await world.refuse('execute_swap', trade)).toMatchObject(refused)
  const planId = bought.text('plan.planId')
  expect(await world.refuse('execute_plan', { planId })).toMatchObject({ code: 'APPROVAL_REQUIRED' })
  const sound = await world.call('execute_swap', { ...trade, tokenOut: 'WETH', dryRun: true })
  expect(sound.at('plan.policy.conditions')).toEqual([])
  const sold = await world.call('execute_swap', { tokenIn: token, tokenOut: 'USDC', amount: '1', dryRun: true })
  expect(sold.at('plan.warnings')).not.toContainEqual(expect.stringContaining('Put nothing'))
})

test('reads say what an unlisted token keeps of transfers, that balances look at no others, and what tells of one without a price', async () => {
  const pair = { token0: world.address('FOT'), token1: 'WETH', version: 'v2' }
  expect((await world.call('get_pool_info', pair)).at('notes')).toContainEqual(
    expect.stringMatching(/keeps [\d.]+ % of each transfer: less arrives than is sent/),
  )
  expect((await world.call('get_agent_balance')).at('notes')).toContainEqual(
    expect.stringMatching(/^Of unlisted tokens only those named/),
  )
  const unpriced = await world.refuse('get_token_price', { token: world.address('HOSTILE') })
  expect(unpriced.code).toBe('PRICE_UNAVAILABLE')
  expect(unpriced.suggestion).toMatch(/search_pools with token.*get_quote/)
  expect(unpriced.suggestion).not.toContain('get_token_price')
})

/** Every text in a result, with the name of its member. */
function textsOf(value: unknown, member: string): { readonly member: string; readonly text: string }[] {
  if (typeof value === 'string') return [{ member, text: value }]
  if (Array.isArray(value)) return value.flatMap((item) => textsOf(item, member))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, item]) => textsOf(item, key))
}

test('whoever is short of a token that poses as another is warned of it, and not told to get more', async () => {
  const token = world.address('HOSTILE')
  const warning = `Put nothing into ${token} unless your owner asked for this very address. It calls itself like the listed USDC`
  const add = { token0: token, token1: 'USDC', fee: 10_000, rangeStrategy: 'full' }
  for (const refusal of [
    await world.refuse('add_liquidity', { ...add, amount0: '2000000', dryRun: true }),
    await world.refuse('add_liquidity', { ...add, amount0: '2000000' }),
  ]) {
    expect(refusal.code).toBe('INSUFFICIENT_BALANCE')
    expect(refusal.message.startsWith(warning)).toBe(true)
    expect(refusal.suggestion).toContain('with the listed token that was meant')
  }
  const listed = await world.refuse('execute_swap', { tokenIn: 'WETH', tokenOut: 'USDC', amount: '70' })
  expect(listed.message).not.toContain('Put nothing')
})
