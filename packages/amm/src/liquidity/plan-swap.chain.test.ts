import { useDevnet } from '@svc/devnet/testing'
import { parseAmount } from '@svc/lp-math'
import { getAddress } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Quote, Token, Version } from '../ports.ts'
import { benchQuote, benchQuoteOut } from './planning/bench-quote.fixture.ts'
import { benchTrade } from './planning/bench-trade.fixture.ts'
import { type Bench, createBench } from './planning/bench.fixture.ts'

const devnet = useDevnet()
let bench: Bench
const tokens = new Map<string, Token>()
const token = (symbol: string) => tokens.get(symbol)!

beforeEach(async () => {
  bench = await createBench(devnet())
  for (const symbol of ['ETH', 'WETH', 'USDC', 'USDT', 'WBTC', 'DAI', 'FOT']) {
    tokens.set(symbol, await bench.token(symbol))
  }
})

async function swap(quote: Quote, path: readonly Token[], recipient = bench.address, slippageBps = 50) {
  const [tokenIn, tokenOut] = [path[0]!, path.at(-1)!]
  const request = { tokenIn, tokenOut, slippageBps, deadline: bench.deadline, recipient }
  const planned = await bench.liquidity.planSwap(bench.chain, quote, request)
  const { result: settled, changes } = await bench.changes([tokenIn, tokenOut], () => bench.run(planned.intent))
  return { planned, changes, outcome: await planned.decode(settled) }
}

describe.each([
  { version: 'v2', path: ['WETH', 'USDC'], amount: '1' },
  { version: 'v2', path: ['USDC', 'WETH'], amount: '3000' },
  { version: 'v2', path: ['ETH', 'USDC'], amount: '1' },
  { version: 'v2', path: ['USDC', 'ETH'], amount: '3000' },
  { version: 'v3', path: ['WETH', 'USDC'], amount: '1' },
  { version: 'v3', path: ['USDC', 'WETH'], amount: '3000' },
  { version: 'v3', path: ['ETH', 'USDC'], amount: '1' },
  { version: 'v3', path: ['USDC', 'ETH'], amount: '3000' },
  { version: 'v3', path: ['WBTC', 'WETH', 'USDC'], amount: '0.1' },
  { version: 'v3', path: ['ETH', 'USDC', 'USDT'], amount: '1' },
  { version: 'v3', path: ['USDT', 'USDC', 'ETH'], amount: '3000' },
  { version: 'v4', path: ['WETH', 'USDC'], amount: '1' },
  { version: 'v4', path: ['USDC', 'WETH'], amount: '3000' },
  { version: 'v4', path: ['ETH', 'USDC'], amount: '1' },
  { version: 'v4', path: ['USDC', 'ETH'], amount: '3000' },
  { version: 'v4', path: ['ETH', 'USDC', 'USDT'], amount: '1' },
  { version: 'v4', path: ['USDT', 'USDC', 'WETH'], amount: '3000' },
] satisfies { version: Version; path: string[]; amount: string }[])('$version $path', ({ version, path, amount }) => {
  it('gives what was quoted, and the outcome is what the wallet sees', async () => {
    const passed = path.map(token)
    const quote = await benchQuote(bench, version, passed, parseAmount(amount, passed[0]!.decimals))
    const { planned, changes, outcome } = await swap(quote, passed)
    expect(outcome).toEqual({ amountIn: quote.amountIn, amountOut: quote.amountOut })
    expect(changes).toEqual([-outcome.amountIn, outcome.amountOut])
    expect(planned.intent.calls).toHaveLength(1)
    expect(planned.intent.spends).toEqual([{ token: passed[0]!.address, amount: quote.amountIn }])
    expect(planned.intent.receives[0]!.amount).toBe((quote.amountOut * 9950n) / 10_000n)
  })
})

describe.each([
  { version: 'v2', path: ['WETH', 'USDC'], amount: '3000' },
  { version: 'v2', path: ['USDC', 'WETH'], amount: '1' },
  { version: 'v2', path: ['ETH', 'USDC'], amount: '3000' },
  { version: 'v2', path: ['USDC', 'ETH'], amount: '1' },
  { version: 'v3', path: ['WETH', 'USDC'], amount: '3000' },
  { version: 'v3', path: ['USDC', 'WETH'], amount: '1' },
  { version: 'v3', path: ['ETH', 'USDC'], amount: '3000' },
  { version: 'v3', path: ['USDC', 'ETH'], amount: '1' },
  { version: 'v3', path: ['WBTC', 'WETH', 'USDC'], amount: '3000' },
  { version: 'v3', path: ['ETH', 'USDC', 'USDT'], amount: '3000' },
  { version: 'v3', path: ['USDT', 'USDC', 'ETH'], amount: '1' },
  { version: 'v4', path: ['WETH', 'USDC'], amount: '3000' },
  { version: 'v4', path: ['USDC', 'WETH'], amount: '1' },
  { version: 'v4', path: ['ETH', 'USDC'], amount: '3000' },
  { version: 'v4', path: ['USDC', 'ETH'], amount: '1' },
  { version: 'v4', path: ['ETH', 'USDC', 'USDT'], amount: '3000' },
  { version: 'v4', path: ['USDT', 'USDC', 'WETH'], amount: '1' },
] satisfies { version: Version; path: string[]; amount: string }[])('$version $path to an exact output', (row) => {
  const { version, path, amount } = row
  it('takes what was quoted for exactly that, gives back what was sent beyond it, and bounds what it may take', async () => {
    const passed = path.map(token)
    const [tokenIn, tokenOut] = [passed[0]!, passed.at(-1)!]
    const wanted = parseAmount(amount, tokenOut.decimals)
    const quote = await benchQuoteOut(bench, version, passed, wanted)
    const { planned, changes, outcome } = await swap(quote, passed)
    expect(outcome).toEqual({ amountIn: quote.amountIn, amountOut: wanted })
    expect(changes).toEqual([-quote.amountIn, wanted])
    const most = (quote.amountIn * 10_050n) / 10_000n
    expect(planned.intent.spends).toEqual([{ token: tokenIn.address, amount: most }])
    expect(planned.intent.receives).toEqual([{ token: tokenOut.address, amount: wanted }])
    expect(planned.intent.approvals.map((approval) => approval.amount)).toEqual(tokenIn.isNative ? [] : [most])
    expect(planned.intent.calls.map(({ valueWei }) => valueWei)).toEqual([tokenIn.isNative ? most : 0n])
  })
})

describe.each(['v2', 'v3', 'v4'] as const)('%s', (version) => {
  it('refuses on chain to take more than the most for an exact output', async () => {
    const path = [token('WETH'), token('USDC')]
    const quote = await benchQuoteOut(bench, version, path, parseAmount('3000', 6))
    const other = await createBench(devnet(), 1)
    await devnet().fund(other.address, { WETH: '300' })
    await benchTrade(other, version, token('WETH'), token('USDC'), parseAmount('300', 18))
    await expect(swap(quote, path)).rejects.toThrow(/revert|V4TooMuchRequested|Too much requested|EXCESSIVE/i)
  })

  it('takes no more for an exact output than the plan that is carried out says, and is refused beyond it', async () => {
    const path = [token('WETH'), token('USDC')]
    const quote = await benchQuoteOut(bench, version, path, parseAmount('3000', 6))
    const request = {
      tokenIn: path[0]!,
      tokenOut: path[1]!,
      slippageBps: 50,
      deadline: bench.deadline,
      recipient: bench.address,
    }
    const plan = (amount: bigint) =>
      bench.liquidity.planSwap(bench.chain, quote, { ...request, keptSpends: [{ token: path[0]!.address, amount }] })
    expect((await plan(quote.amountIn + 1n)).intent.spends).toEqual([
      { token: path[0]!.address, amount: quote.amountIn + 1n },
    ])
    await expect(plan(quote.amountIn - 1n)).rejects.toMatchObject({
      code: 'SIMULATION_DRIFT',
      details: [{ planned: `${quote.amountIn - 1n}`, now: `${quote.amountIn}` }],
    })
  })

  it('refuses on chain what a moved price would give below the minimum', async () => {
    const path = [token('WETH'), token('USDC')]
    const quote = await benchQuote(bench, version, path, parseAmount('1', 18))
    const other = await createBench(devnet(), 1)
    await devnet().fund(other.address, { WETH: '300' })
    await benchTrade(other, version, token('WETH'), token('USDC'), parseAmount('300', 18))
    await expect(swap(quote, path)).rejects.toThrow(/revert|V4TooLittleReceived|Too little received/i)
  })

  it('pays another recipient where asked to', async () => {
    const other = await createBench(devnet(), 1)
    for (const out of [token('USDC'), token(version === 'v4' ? 'WETH' : 'ETH')]) {
      const path = out === token('USDC') ? [token('WETH'), out] : [token('USDC'), out]
      const quote = await benchQuote(bench, version, path, parseAmount('1', path[0]!.decimals))
      const before = await other.balance(out)
      const { outcome, planned } = await swap(quote, path, other.address)
      expect((await other.balance(out)) - before).toBe(outcome.amountOut)
      expect(planned.intent.recipients).toEqual([other.address])
    }
  })

  it('carries out the best route that the port itself quotes', async () => {
    for (const [tokenIn, tokenOut] of [
      [token('ETH'), token('USDC')],
      [token('USDC'), token('ETH')],
    ] as const) {
      const amountIn = parseAmount('2', tokenIn.decimals)
      const quote = await bench.liquidity.quote(bench.chain, { tokenIn, tokenOut, amountIn, versions: [version] })
      const { outcome, changes } = await swap(quote, [tokenIn, tokenOut])
      expect(outcome).toEqual({ amountIn, amountOut: quote.amountOut })
      expect(changes).toEqual([-outcome.amountIn, outcome.amountOut])
    }
  })

  it('says so where the version is not deployed', async () => {
    const path = [token('WETH'), token('USDC')]
    const quote = await benchQuote(bench, version, path, parseAmount('1', 18))
    const request = { tokenIn: path[0]!, tokenOut: path[1]!, slippageBps: 50, deadline: 1, recipient: bench.address }
    const bare = { ...bench.chain, amm: {} }
    await expect(bench.liquidity.planSwap(bare, quote, request)).rejects.toMatchObject({ code: 'VERSION_NOT_DEPLOYED' })
  })

  it('never plans a minimum of zero', async () => {
    const path = [token('WETH'), token('USDC')]
    const quote = await benchQuote(bench, version, path, parseAmount('1', 18))
    await expect(swap({ ...quote, amountOut: 1n }, path)).rejects.toMatchObject({ code: 'AMOUNT_TOO_SMALL' })
  })
})

it('holds a token with a fee on transfer to the same minimum, and reports what arrived', async () => {
  await devnet().fund(bench.address, { FOT: '1000' })
  const path = [token('FOT'), token('WETH')]
  const quote = await benchQuote(bench, 'v2', path, parseAmount('10', 18))
  await expect(swap(quote, path)).rejects.toThrow(/INSUFFICIENT_OUTPUT_AMOUNT/)
  const { outcome, changes } = await swap(quote, path, bench.address, 150)
  expect(changes).toEqual([-outcome.amountIn, outcome.amountOut])
  expect(outcome.amountIn).toBe(parseAmount('10', 18))

  const back = [token('WETH'), token('FOT')]
  const second = await swap(await benchQuote(bench, 'v2', back, parseAmount('0.01', 18)), back, bench.address, 150)
  expect(second.changes).toEqual([-second.outcome.amountIn, second.outcome.amountOut])
})

it('asks the universal router for exactly the amount through Permit2, and is paid natively only where the pool is native', async () => {
  const path = [token('USDC'), token('ETH')]
  const quote = await benchQuote(bench, 'v4', path, parseAmount('100', 6))
  const { planned } = await swap(quote, path)
  const router = getAddress(bench.chain.amm.universalRouter!.address)
  expect(planned.intent.approvals).toEqual([
    { token: token('USDC').address, spender: router, amount: quote.amountIn, via: 'permit2', revokeAfter: true },
  ])
})
