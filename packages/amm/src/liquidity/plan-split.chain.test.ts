import { useDevnet } from '@svc/devnet/testing'
import { parseAmount } from '@svc/lp-math'
import { createTestClient, http, parseGwei } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Quote, Token } from '../ports.ts'
import { benchQuote, heldAlong } from './planning/bench-quote.fixture.ts'
import { type Bench, createBench } from './planning/bench.fixture.ts'

const devnet = useDevnet()
let bench: Bench
const tokens = new Map<string, Token>()
const token = (symbol: string) => tokens.get(symbol)!

beforeEach(async () => {
  bench = await createBench(devnet())
  for (const symbol of ['ETH', 'WETH', 'USDC', 'USDT', 'WBTC', 'DAI']) tokens.set(symbol, await bench.token(symbol))
})

async function carryOut(quote: Quote, tokenIn: Token, tokenOut: Token) {
  const request = { tokenIn, tokenOut, slippageBps: 50, deadline: bench.deadline, recipient: bench.address }
  const planned = await bench.liquidity.planSwap(bench.chain, quote, request)
  const { result: settled, changes } = await bench.changes([tokenIn, tokenOut], () => bench.run(planned.intent))
  return { planned, changes, outcome: await planned.decode(settled) }
}

const large = { WETH: '400', ETH: '400', USDC: '900000' } as const

describe.each([
  ['WETH', 'USDC'],
  ['USDC', 'WETH'],
  ['ETH', 'USDC'],
  ['USDC', 'ETH'],
] as const)('a large trade of %s for %s', (from, to) => {
  it('is shared by routes where that brings more than one and its gas, and brings what was quoted', async () => {
    await devnet().fund(bench.address, { [from]: '2000000' })
    const [tokenIn, tokenOut] = [token(from), token(to)]
    const request = { tokenIn, tokenOut, amountIn: parseAmount(large[from], tokenIn.decimals) }
    const single = await bench.liquidity.quote(bench.chain, request)
    const quote = await bench.liquidity.quote(bench.chain, { ...request, maySplit: true })
    const parts = quote.parts ?? []
    expect(parts.length).toBeGreaterThan(1)
    expect(quote.amountOut).toBeGreaterThan(single.amountOut)
    expect(parts.reduce((sum, part) => sum + part.amountIn, 0n)).toBe(request.amountIn)
    const pools = parts.flatMap(({ route }) => route.map(({ pool }) => pool.id))
    expect(new Set(pools).size).toBe(pools.length)
    const { planned, changes, outcome } = await carryOut(quote, tokenIn, tokenOut)
    expect(planned.intent.calls).toHaveLength(1)
    expect(planned.intent.receives).toEqual([{ token: tokenOut.address, amount: (quote.amountOut * 9950n) / 10_000n }])
    expect(changes).toEqual([-request.amountIn, outcome.amountOut])
    expect(outcome.amountOut - quote.amountOut).toBeGreaterThanOrEqual(0n)
    expect(outcome.amountOut - quote.amountOut).toBeLessThan(1_000_000n)
    expect(outcome.through?.map(({ pool }) => pool)).toEqual(pools)
  })
})

describe('a split', () => {
  /** Halves through a pool of each version. */
  async function shared(from: string, to: string, amount: string): Promise<Quote> {
    const path = [token(from), token(to)]
    const third = parseAmount(amount, token(from).decimals) / 3n
    const parts = await Promise.all(
      (['v2', 'v3', 'v4'] as const).map(async (version) => {
        const part = await benchQuote(bench, version, path, third)
        return Object.assign(part, { route: heldAlong(bench, version, part.route) })
      }),
    )
    const [first] = parts
    const sum = (side: 'amountIn' | 'amountOut') => parts.reduce((total, part) => total + part[side], 0n)
    return { ...first!, parts, amountIn: sum('amountIn'), amountOut: sum('amountOut') }
  }

  it.each([
    ['WETH', 'USDC', '3'],
    ['USDC', 'WETH', '9000'],
    ['ETH', 'USDC', '3'],
    ['USDC', 'ETH', '9000'],
  ] as const)('goes through pools of all three versions at once, from %s to %s', async (from, to, amount) => {
    const quote = await shared(from, to, amount)
    const { changes, outcome } = await carryOut(quote, token(from), token(to))
    expect(outcome).toMatchObject({ amountIn: quote.amountIn, amountOut: quote.amountOut })
    expect(changes).toEqual([-quote.amountIn, quote.amountOut])
  })

  it('is one trade to its minimum: what a part loses another may bring, and what all lose is refused', async () => {
    const whole = await shared('WETH', 'USDC', '3')
    const [first, second, third] = whole.parts!
    const parts = (more: bigint, less: bigint): Quote => {
      const uneven = [
        { ...first!, amountOut: first!.amountOut + more },
        { ...second!, amountOut: second!.amountOut - less },
        third!,
      ]
      const sum = (side: 'amountIn' | 'amountOut') => uneven.reduce((total, part) => total + part[side], 0n)
      return { ...whole, parts: uneven, amountIn: sum('amountIn'), amountOut: sum('amountOut') }
    }
    // A tenth less than was said of a part is more than the slippage of it.
    const tenth = first!.amountOut / 10n
    const { outcome } = await carryOut(parts(tenth, tenth), token('WETH'), token('USDC'))
    expect(outcome.amountOut).toBeGreaterThan(0n)
    await expect(carryOut(parts(tenth, 0n), token('WETH'), token('USDC'))).rejects.toThrow(/revert|InsufficientToken/i)
  })

  it('is left where its gas is dearer than what it brings more', async () => {
    const request = {
      tokenIn: token('USDC'),
      tokenOut: token('WETH'),
      amountIn: parseAmount('50000', 6),
      maySplit: true,
    } as const
    const shared = await bench.liquidity.quote(bench.chain, request)
    expect(shared.parts?.length).toBeGreaterThan(1)
    const test = createTestClient({ mode: 'anvil', transport: http(devnet().rpcUrl) })
    await test.setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('3000') })
    await test.mine({ blocks: 1 })
    expect((await bench.liquidity.quote(bench.chain, request)).parts).toBeUndefined()
  })

  it('is left where one route brings as much: of a small trade, and where there is no universal router', async () => {
    const [tokenIn, tokenOut] = [token('WETH'), token('USDC')]
    const ask = (amount: string, chain = bench.chain) =>
      bench.liquidity.quote(chain, { tokenIn, tokenOut, amountIn: parseAmount(amount, 18), maySplit: true })
    expect((await ask('0.01')).parts).toBeUndefined()
    const { universalRouter: _, ...amm } = bench.chain.amm
    expect((await ask('400', { ...bench.chain, amm })).parts).toBeUndefined()
  })
})
