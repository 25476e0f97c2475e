import { useDevnet } from '@svc/devnet/testing'
import { describe, expect, it } from 'vitest'
import { v3PathOf } from '../../../amm/src/liquidity/chain-actor.fixture.ts'
import { createFetchWithoutPast } from '../../../amm/src/prices/priced-devnet.fixture.ts'
import { openWorld } from '../tools/chain-world.fixture.ts'
import { devnetPolicy } from '../../../engine/src/policy/policy.ts'
import { nextIn, openStranger, passBlocks, syncClock } from './attack-kit.fixture.ts'

// A process that nobody else was served by: anvil counts the states that earlier files took away among those that it keeps.
const devnet = useDevnet({ chainId: 31_337 })

describe('G7: a token that nobody named a source for', () => {
  it('is not sold for what a dump says once the memory of its pools is pushed out, nor without a person where older blocks are gone', async () => {
    const { tokens: listed } = devnet().chain
    const tokens = listed.filter(({ symbol }) => symbol !== 'WBTC')
    // 10 WBTC are some 900,000 dollars; one transaction may move 50,000 of them.
    const world = await openWorld(devnet(), { chain: { tokens }, funds: { WBTC: '10' } })
    const stranger = await openStranger(devnet())
    await devnet().fund(stranger.address, { WBTC: '500' })
    const [wbtc, weth] = [world.address('WBTC'), world.address('WETH')]
    await passBlocks(devnet(), stranger, 400)
    // Each block in which the tick moves takes one of the 120 records of a pool.
    for (let swap = 0; swap < 130; swap += 1) {
      const [from, to, amount] = swap % 2 === 0 ? [wbtc, weth, 3n * 10n ** 8n] : [weth, wbtc, 89n * 10n ** 18n]
      await nextIn(devnet(), stranger, 1)
      await stranger.swapV3(v3PathOf(from, 3_000, to), amount)
      await nextIn(devnet(), stranger, 1)
      await stranger.swapV3(v3PathOf(from, 500, to), amount / 4n)
    }
    await stranger.swapV3(v3PathOf(wbtc, 3_000, weth), 240n * 10n ** 8n)
    await stranger.swapV3(v3PathOf(wbtc, 500, weth), 60n * 10n ** 8n)
    await syncClock(world)
    const before = [await world.balance('WBTC'), await world.balance('WETH')] as const
    const refusal = await world
      .refuse('execute_swap', { tokenIn: wbtc, tokenOut: weth, amount: '10', slippageBps: 500 })
      .catch(() => null)
    const sold = Number(before[0] - (await world.balance('WBTC'))) / 1e8
    const got = Number((await world.balance('WETH')) - before[1]) / 1e18
    world.network.fetch = createFetchWithoutPast()
    // What was read is kept for its block.
    await nextIn(devnet(), stranger, 1)
    await stranger.swapV3(v3PathOf(wbtc, 500, weth), 1n)
    await syncClock(world)
    const forgotten = await world.refuse('execute_swap', { tokenIn: wbtc, tokenOut: weth, amount: '0.01' })
    const bought = await world.call('execute_swap', { tokenIn: weth, tokenOut: wbtc, amount: '0.001', dryRun: true })
    await world.close()
    expect({ lostUsd: sold * 90_000 - got * 3_000, code: refusal?.code }).toEqual({
      lostUsd: 0,
      code: 'SPENDING_LIMIT_EXCEEDED',
    })
    expect(forgotten).toMatchObject({ code: 'APPROVAL_REQUIRED', message: expect.stringContaining('No named source') })
    expect(bought.text('status')).toBe('planned')
  })

  it.each([
    ['lenient', 'APPROVAL_REQUIRED'],
    // Nothing may be speculated with under a strict list.
    ['strict', 'SPENDING_LIMIT_EXCEEDED'],
  ] as const)('leaves with a person alone, however little it counts as (%s)', async (mode, ofDeposit) => {
    const { id, tokens: listed } = devnet().chain
    const tokens = listed.filter(({ symbol }) => symbol !== 'WBTC')
    const wbtc = listed.find(({ symbol }) => symbol === 'WBTC')!.address
    const policy = { ...devnetPolicy(), allowlist: { mode, tokens: { [id]: [wbtc] } } }
    const world = await openWorld(devnet(), { chain: { tokens }, policy })
    const sale = await world.refuse('execute_swap', { tokenIn: wbtc, tokenOut: 'WETH', amount: '0.0001' })
    const pair = { token0: wbtc, token1: 'WETH', fee: 3_000, rangeStrategy: 'wide' }
    const deposit = await world.refuse('add_liquidity', { ...pair, amount0: '0.0001' })
    await world.close()
    const named = expect.stringContaining('No named source')
    expect(sale).toMatchObject({ code: 'APPROVAL_REQUIRED', message: named })
    expect(deposit.code).toBe(ofDeposit)
  })
})
