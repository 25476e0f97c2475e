import { startFaultProxy, useDevnet } from '@svc/devnet/testing'
import { formatUnits } from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openWorld, type World } from '../chain-world.fixture.ts'

const devnet = useDevnet()
let world: World

beforeEach(async () => {
  world = await openWorld(devnet())
})
afterEach(async () => {
  await world.close()
})

const decimals: Readonly<Record<string, number>> = { WETH: 18, ETH: 18, USDC: 6, DAI: 18, WBTC: 8, USDT: 6 }

async function swap(tokenIn: string, tokenOut: string, amount: string, args: Record<string, unknown> = {}) {
  const before = await Promise.all([tokenIn, tokenOut].map((symbol) => world.balance(symbol)))
  const answer = await world.call('execute_swap', { tokenIn, tokenOut, amount, ...args })
  const after = await Promise.all([tokenIn, tokenOut].map((symbol) => world.balance(symbol)))
  const gas = await world.gasPaid(answer)
  const sold = before[0]! - after[0]! - (tokenIn === 'ETH' ? gas : 0n)
  const bought = after[1]! - before[1]! + (tokenOut === 'ETH' ? gas : 0n)
  expect(answer.text('amountIn')).toBe(formatUnits(sold, decimals[tokenIn]!))
  expect(answer.text('amountOut')).toBe(formatUnits(bought, decimals[tokenOut]!))
  expect(Number(answer.text('amountIn'))).toBe(Number(amount))
  return answer
}

describe('execute_swap', () => {
  for (const version of ['v2', 'v3', 'v4'] as const) {
    test.each([
      ['WETH', 'USDC', '0.5'],
      ['USDC', 'WETH', '1500'],
      ['ETH', 'USDC', '0.5'],
      ['USDC', 'ETH', '1500'],
    ])(`sells %s for %s over ${version}, to the wei`, async (tokenIn, tokenOut, amount) => {
      const quoted = await world.call('get_quote', { tokenIn, tokenOut, amount, version })
      const answer = await swap(tokenIn, tokenOut, amount, { version })
      expect(answer.text('version')).toBe(version)
      expect(answer.text('amountOut')).toBe(quoted.text('amountOut'))
      expect(answer.number('amountOutUsd') / answer.number('amountInUsd')).toBeGreaterThan(0.97)
      expect((await world.call('get_agent_balance')).at('allowances')).toEqual([])
    })
  }

  test('says that a trade went to the private endpoint alone', async () => {
    const apart = await startFaultProxy({ target: devnet().rpcUrl })
    const own = await openWorld(devnet(), { privateUrls: [apart.url] })
    try {
      const answer = await own.call('execute_swap', { tokenIn: 'WETH', tokenOut: 'USDC', amount: '0.5' })
      expect(answer.text('submission')).toBe('private')
      expect(apart.methods().get('eth_sendRawTransaction')).toBe((answer.at('transactions') as unknown[]).length)
    } finally {
      await own.close()
      await apart.stop()
    }
  })

  test('takes the best version by itself', async () => {
    const outputs = await Promise.all(
      ['v2', 'v3', 'v4'].map(async (version) =>
        Number(
          (await world.call('get_quote', { tokenIn: 'WETH', tokenOut: 'USDC', amount: '2', version })).text(
            'amountOut',
          ),
        ),
      ),
    )
    const answer = await swap('WETH', 'USDC', '2')
    expect(Number(answer.text('amountOut'))).toBe(Math.max(...outputs))
  })

  test('goes over two pools where there is no direct one', async () => {
    const answer = await swap('WBTC', 'USDC', '0.05')
    expect(answer.at('pools')).toHaveLength(2)
  })

  test('refuses more slippage than the policy allows, before anything is signed', async () => {
    const refusal = await world.refuse('execute_swap', {
      tokenIn: 'WETH',
      tokenOut: 'USDC',
      amount: '1',
      slippageBps: 501,
    })
    expect(refusal.code).toBe('SLIPPAGE_TOO_HIGH')
    expect(await world.client.getTransactionCount({ address: world.wallet })).toBe(0)
  })

  test('names a token that keeps a part of each transfer, and the slippage it takes', async () => {
    const buy = { tokenIn: 'WETH', tokenOut: world.address('FOT'), amount: '0.01', dryRun: true }
    expect(await world.refuse('execute_swap', buy)).toMatchObject({
      code: 'SIMULATION_FAILED',
      retryable: false,
      message: expect.stringContaining(' keeps 1 % of each transfer'),
      details: [{ field: 'slippageBps', accepted: expect.stringContaining('at least 150'), transferFeeBps: 100 }],
    })
    const planned = await world.call('execute_swap', { ...buy, slippageBps: 150 })
    expect(planned.text('status')).toBe('planned')
    expect(planned.text('plan.why')).toMatch(
      /, less any fee that the token takes of transfers: deltas say what arrives\.$/,
    )
  })

  test('says of a token that nobody prices, before and after it is bought, what it takes to sell it, and so it is', async () => {
    const fot = world.address('FOT')
    const buy = { tokenIn: 'WETH', tokenOut: fot, amount: '0.1', slippageBps: 150 }
    const says = expect.stringMatching(
      /^No named source tells what 0x\w+ is worth\. To sell it later, .* needs a person's approval .*, and any amount of it counts then, with its gas, as the whole limit of one transaction\./,
    )
    expect((await world.call('get_quote', buy)).at('notes')).toContainEqual(says)
    expect((await world.call('execute_swap', { ...buy, dryRun: true })).at('plan.warnings')).toContainEqual(says)
    const bought = await world.call('execute_swap', buy)
    expect(bought.at('notes')).toContainEqual(says)
    const sale = { tokenIn: fot, tokenOut: 'WETH', amount: '1', slippageBps: 150 }
    expect((await world.call('get_quote', sale)).at('notes')).not.toContainEqual(says)
    const planned = await world.call('execute_swap', { ...sale, dryRun: true })
    expect(planned.at('plan.policy.conditions')).toMatchObject([{ code: 'APPROVAL_REQUIRED' }])
    const limit = (await world.call('check_safety_status')).text('limitsUsd.perTransaction')
    expect(Number(planned.text('plan.spendUsd'))).toBeGreaterThan(Number(limit) * 0.99)
  })

  test('says what a negative price impact means, and nothing of others', async () => {
    const pair = { version: 'v2', slippageBps: 100 }
    const sold = await swap('WETH', 'USDC', '5', pair)
    expect(sold.number('priceImpactBps')).toBeGreaterThan(0)
    expect(sold.at('notes')).not.toContainEqual(expect.stringContaining('priceImpactBps'))
    const bought = await swap('USDC', 'WETH', '500', pair)
    expect(bought.number('priceImpactBps')).toBeLessThan(0)
    const bps = -bought.number('priceImpactBps')
    const note = `priceImpactBps is negative: ${bps} bps better than the market price, fees left out.`
    expect(bought.at('notes')).toContain(note)
  })

  test('says first that the wallet does not hold the amount, and what was meant where it is written in smallest units', async () => {
    for (const args of [{ amount: '100000000' }, { amount: '100000000', dryRun: true }]) {
      expect(await world.refuse('execute_swap', { tokenIn: 'USDC', tokenOut: 'WETH', ...args })).toMatchObject({
        code: 'INSUFFICIENT_BALANCE',
        message: expect.stringMatching(
          /^The wallet holds [0-9.]+ USDC where the call needs 100000000\. Amounts are in whole tokens: were 100 USDC meant\?$/,
        ),
        details: [{ symbol: 'USDC', needs: '100000000' }],
      })
    }
    // 1 wei of 18 decimals, and a speck of what is held, are meant by nobody.
    const more = await world.refuse('execute_swap', { tokenIn: 'ETH', tokenOut: 'USDC', amount: '100000000' })
    expect(more).toMatchObject({ code: 'INSUFFICIENT_BALANCE', message: expect.stringMatching(/needs 100000000\.$/) })
  })

  test('a dry run sells nothing', async () => {
    const before = await world.balance('WETH')
    const plan = await world.call('execute_swap', { tokenIn: 'WETH', tokenOut: 'USDC', amount: '1', dryRun: true })
    expect(plan.text('status')).toBe('planned')
    expect(await world.balance('WETH')).toBe(before)
    expect(await world.client.getTransactionCount({ address: world.wallet })).toBe(0)
  })
})
