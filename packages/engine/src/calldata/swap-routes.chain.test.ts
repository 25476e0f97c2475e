import { useDevnet } from '@svc/devnet/testing'
import { parseUnits, zeroAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import type { Intent, Quote, Token } from '@svc/amm'
import { expectRefused } from '../fixtures/expect-refused.fixture.ts'
import { laterDeadline } from '../fixtures/intents.fixture.ts'
import type { Pipeline } from '../fixtures/open-pipeline.fixture.ts'
import { usePipelines } from '../fixtures/use-pipelines.fixture.ts'
import { devnetPolicy, parsePolicy } from '../policy/policy.ts'
import { readBounds } from './call-bounds.ts'
import { knownContracts } from './known-contracts.ts'

const devnet = useDevnet()
const { open } = usePipelines(devnet)
const slippageBps = 70

const tokenOf = ({ tokens, chain, devnet }: Pipeline, symbol: string): Promise<Token> =>
  tokens.byAddress(
    chain,
    symbol === 'ETH' ? zeroAddress : devnet.tokens.find((token) => token.symbol === symbol)!.address,
  )

/** What some 3,000 dollars are, and what is a lot. */
const amounts: Readonly<Record<string, readonly [string, string]>> = {
  ETH: ['1', '300'],
  WETH: ['1', '300'],
  USDC: ['3000', '800000'],
  USDT: ['3000', '50000'],
  DAI: ['3000', '50000'],
  WBTC: ['0.05', '3'],
  FOT: ['10', '100'],
}

const trades = [
  ['FOT', 'USDC'] as const,
  // Of the one there is a pair of v2 alone, with wrapped ether; of the others there is none.
  ['FOT', 'WBTC'] as const,
  ['FOT', 'USDT'] as const,
  ...['ETH', 'WETH', 'USDC', 'USDT', 'DAI', 'WBTC'].flatMap((tokenIn) =>
    ['ETH', 'WETH', 'USDC', 'USDT', 'DAI', 'WBTC']
      .filter((tokenOut) => tokenOut !== tokenIn && new Set([tokenIn, tokenOut, 'ETH', 'WETH']).size > 2)
      .map((tokenOut) => [tokenIn, tokenOut] as const),
  ),
]

type QuoteRequest = Parameters<Pipeline['liquidity']['quote']>[1]

/** The most that is spent and the least that comes, by the slippage of the side that is not exact. */
function limitsOf({ amountIn, amountOut, isExactOut }: Quote): readonly [bigint, bigint] {
  return isExactOut === true
    ? [(amountIn * BigInt(10_000 + slippageBps)) / 10_000n, amountOut]
    : [amountIn, (amountOut * BigInt(10_000 - slippageBps)) / 10_000n]
}

async function plan(pipeline: Pipeline, quote: Quote, tokenIn: Token, tokenOut: Token): Promise<Intent> {
  const request = { tokenIn, tokenOut, slippageBps, deadline: Number(laterDeadline(0)), recipient: pipeline.wallet }
  return (await pipeline.liquidity.planSwap(pipeline.chain, quote, request)).intent
}

describe('every route by which a trade may go', () => {
  it('permits by its calldata just what its intent declares, which is within the slippage of its quote', async () => {
    const pipeline = await open()
    const { chain, liquidity } = pipeline
    const known = knownContracts(chain, parsePolicy(devnetPolicy(), { production: false }))
    const key = ({ address }: Token) => (address === zeroAddress ? chain.wrappedNative.address : address).toLowerCase()
    const seen = new Map<string, number>()
    for (const [symbolIn, symbolOut] of trades) {
      const [tokenIn, tokenOut] = await Promise.all([tokenOf(pipeline, symbolIn), tokenOf(pipeline, symbolOut)])
      const pair = { tokenIn, tokenOut }
      const requests: QuoteRequest[] = []
      for (const [size, amount] of (amounts[symbolIn] ?? []).entries()) {
        const amountIn = parseUnits(amount, tokenIn.decimals)
        const amountOut = parseUnits(amounts[symbolOut]?.[size] ?? '1', tokenOut.decimals)
        for (const version of ['v2', 'v3', 'v4'] as const) {
          requests.push({ ...pair, amountIn, versions: [version] }, { ...pair, amountOut, versions: [version] })
        }
        requests.push({ ...pair, amountIn, maySplit: true })
      }
      const quotes = await Promise.all(requests.map((request) => liquidity.quote(chain, request).catch(() => null)))
      for (const quote of quotes.filter((one) => one !== null)) {
        const intent = await plan(pipeline, quote, tokenIn, tokenOut)
        const { bounds, refusals } = readBounds(intent, chain, known)
        const [spends, receives] = [intent.spends[0]!.amount, intent.receives[0]!.amount]
        const named = `${symbolIn} ${symbolOut} ${quote.version}`
        expect([named, refusals]).toEqual([named, []])
        expect([named, bounds[0]?.pays]).toEqual([named, new Map([[key(tokenIn), spends]])])
        expect([named, bounds[0]?.brings]).toEqual([named, new Map([[key(tokenOut), receives]])])
        const pools = (quote.parts ?? [quote]).flatMap(({ route }) => route.map(({ pool }) => pool.id.toLowerCase()))
        expect(bounds[0]?.trades.flatMap((trade) => trade.pools.map((pool) => pool.toLowerCase()))).toEqual(pools)
        expect([named, spends, receives]).toEqual([named, ...limitsOf(quote)])
        const kind =
          quote.parts === undefined
            ? `${quote.version} ${quote.route.length} ${quote.isExactOut === true ? 'out' : 'in'}`
            : 'split'
        seen.set(kind, (seen.get(kind) ?? 0) + 1)
      }
    }
    const kinds = ['v2', 'v3', 'v4'].flatMap((version) =>
      [1, 2].flatMap((hops) => ['in', 'out'].map((side) => `${version} ${hops} ${side}`)),
    )
    const long = ['mixed 2 in', 'mixed 3 in', 'v3 3 in', 'v3 3 out']
    const missing = [...kinds, ...long, 'split'].filter((kind) => !seen.has(kind))
    expect(missing).toEqual([])
  })
})

describe('a trade of the wrapped token through a pool of v4 that holds native currency', () => {
  it.each([
    ['WETH', 'USDC', '1'],
    ['USDC', 'WETH', '3000'],
  ] as const)('passes every stage, and moves %s and %s to the wei', async (symbolIn, symbolOut, amount) => {
    const pipeline = await open()
    const [tokenIn, tokenOut] = await Promise.all([tokenOf(pipeline, symbolIn), tokenOf(pipeline, symbolOut)])
    const held = (symbol: string) => tokenOf(pipeline, symbol === 'WETH' ? 'ETH' : symbol)
    const quote = await pipeline.liquidity.quote(pipeline.chain, {
      tokenIn: await held(symbolIn),
      tokenOut: await held(symbolOut),
      amountIn: parseUnits(amount, tokenIn.decimals),
      versions: ['v4'],
    })
    const before = await Promise.all([symbolIn, symbolOut].map((symbol) => pipeline.balance(symbol)))
    await pipeline.run(await plan(pipeline, { ...quote, version: 'mixed' }, tokenIn, tokenOut))
    const after = await Promise.all([symbolIn, symbolOut].map((symbol) => pipeline.balance(symbol)))
    expect(after.map((value, index) => value - before[index]!)).toEqual([-quote.amountIn, quote.amountOut])
    const router = pipeline.chain.amm.universalRouter!.address
    expect(await pipeline.permit2Allowance(symbolIn, router)).toMatchObject([
      0n,
      expect.any(Number),
      expect.any(Number),
    ])
    expect(await pipeline.store.pendingRevocations.list()).toEqual([])
  })
})

describe('a trade whose calldata permits more than its intent declares', () => {
  const exactOut = async (pipeline: Pipeline, version: 'v2' | 'v3' | 'v4') => {
    const [tokenIn, tokenOut] = await Promise.all([tokenOf(pipeline, 'USDC'), tokenOf(pipeline, 'WETH')])
    const request = { tokenIn, tokenOut, amountOut: 10n ** 17n, versions: [version] }
    const quote = await pipeline.liquidity.quote(pipeline.chain, request)
    return { quote, intent: await plan(pipeline, quote, tokenIn, tokenOut), tokenIn, tokenOut }
  }

  it.each(['v2', 'v3', 'v4'] as const)(
    'is weighed by the calldata: an exact output of %s that may take ten times as much',
    async (version) => {
      const pipeline = await open()
      const { quote, intent, tokenIn, tokenOut } = await exactOut(pipeline, version)
      const greedy = await plan(pipeline, { ...quote, amountIn: quote.amountIn * 10n }, tokenIn, tokenOut)
      // The simulation shows what the honest one does.
      const disguised = { ...intent, calls: greedy.calls }
      await expectRefused(pipeline, disguised, 'VALUE_LOSS_EXCEEDED')
      expect(await pipeline.nonce()).toBe(0)
    },
  )
})
