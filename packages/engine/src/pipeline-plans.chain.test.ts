import { useDevnet } from '@svc/devnet/testing'
import { parseUnits, zeroAddress } from 'viem'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Intent, LiquidityPlan, PairShare, Position, Settled, Token, Version } from '@svc/amm'
import { devnetPolicy } from './policy/policy.ts'
import { openPipeline, type Pipeline } from './fixtures/open-pipeline.fixture.ts'
import { testClient } from './fixtures/pipeline-facts.fixture.ts'

const devnet = useDevnet()
let pipeline: Pipeline

// Nothing but what the planners make of honest requests, under a strict allowlist and the chain's own prices.
beforeEach(async () => {
  pipeline = await openPipeline(devnet(), {
    usd: 'chain',
    policy: { ...devnetPolicy(), allowlist: { mode: 'strict' } },
  })
})
afterEach(() => pipeline.close())

describe.each<{ version: Version; base: string; quote: string }>([
  { version: 'v2', base: 'WETH', quote: 'USDC' },
  { version: 'v2', base: 'ETH', quote: 'USDC' },
  { version: 'v3', base: 'WETH', quote: 'USDC' },
  { version: 'v3', base: 'USDC', quote: 'WETH' },
  { version: 'v3', base: 'ETH', quote: 'USDC' },
  { version: 'v4', base: 'WETH', quote: 'USDC' },
  { version: 'v4', base: 'ETH', quote: 'USDC' },
])('plans of $version for $base and $quote pass the pipeline', ({ version, base, quote }) => {
  it("add, swap, collect, increase, remove: the deltas are the wallet's, and nothing stays approved", async () => {
    const [token0, token1] = await Promise.all([tokenOf(base), tokenOf(quote)])
    const fee = await feeOfBestPool(version, token0, token1)
    const added = await add(version, token0, token1, fee)
    await swap(version, token0, token1)
    await swap(version, token1, token0)
    if (version === 'v2') {
      await remove(
        await pipeline.liquidity.pairShare(pipeline.chain, added.positionId as `0x${string}`, pipeline.wallet),
      )
    } else {
      const position = () => pipeline.liquidity.position(pipeline.chain, version, added.positionId)
      const collect = { deadline: terms().deadline, recipient: pipeline.wallet }
      await carryOut(await pipeline.liquidity.planCollect(pipeline.chain, await position(), collect))
      await testClient(pipeline).mine({ blocks: 2 })
      const { pool } = await position()
      const amount0 = pool.token0.decimals === 6 ? parseUnits('100', 6) : parseUnits('0.05', 18)
      const more = { amount0, amount1: null, payNative: base === 'ETH', ...terms() }
      await carryOut(await pipeline.liquidity.planIncrease(pipeline.chain, await position(), more))
      await remove(await position())
    }
    const { v2, v3, v4, universalRouter } = pipeline.chain.amm
    const spenders = [
      v2!.router,
      v3!.positionManager,
      v3!.swapRouter02,
      v4!.positionManager,
      universalRouter!.address,
      pipeline.chain.permit2,
    ]
    for (const symbol of ['USDC', 'WETH']) {
      expect(await Promise.all(spenders.map((spender) => pipeline.allowance(symbol, spender)))).toEqual(
        spenders.map(() => 0n),
      )
    }
    expect(await pipeline.store.ledger.open()).toEqual([])
    expect(pipeline.lines.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([])
  })
})

describe('a pool that does not exist yet', () => {
  it.each(['v3', 'v4'] as const)('is created by the same call on %s', async (version) => {
    await devnet().fund(pipeline.wallet, { DAI: '2000' })
    const [dai, usdc] = await Promise.all([tokenOf('DAI'), tokenOf('USDC')])
    await carryOut(
      await pipeline.liquidity.planAdd(pipeline.chain, {
        version,
        token0: dai,
        token1: usdc,
        fee: 10_000,
        hooks: null,
        amount0: parseUnits('1000', 18),
        amount1: parseUnits('1000', 6),
        range: { pctEachSide: 50 },
        recipient: pipeline.wallet,
        ...terms(),
      }),
    )
  })
})

async function add(version: Version, token0: Token, token1: Token, fee: number) {
  const planned = await pipeline.liquidity.planAdd(pipeline.chain, {
    version,
    token0,
    token1,
    fee: version === 'v2' ? null : fee,
    hooks: null,
    amount0: token0.decimals === 6 ? parseUnits('1500', 6) : parseUnits('0.5', 18),
    amount1: null,
    range: version === 'v2' ? null : { pctEachSide: 15 },
    recipient: pipeline.wallet,
    ...terms(),
  })
  return carryOut(planned)
}

/** Where the swaps of this test will go, so that the position earns something. */
async function feeOfBestPool(version: Version, tokenIn: Token, tokenOut: Token): Promise<number> {
  const quote = await pipeline.liquidity.quote(pipeline.chain, {
    tokenIn,
    tokenOut,
    amountIn: tokenIn.decimals === 6 ? parseUnits('600', 6) : parseUnits('0.2', 18),
    versions: [version],
  })
  return quote.route[0]!.pool.fee
}

async function swap(version: Version, tokenIn: Token, tokenOut: Token) {
  const amountIn = tokenIn.decimals === 6 ? parseUnits('600', 6) : parseUnits('0.2', 18)
  const quote = await pipeline.liquidity.quote(pipeline.chain, { tokenIn, tokenOut, amountIn, versions: [version] })
  const request = { tokenIn, tokenOut, recipient: pipeline.wallet, ...terms() }
  return carryOut(await pipeline.liquidity.planSwap(pipeline.chain, quote, request))
}

async function remove(position: Position | PairShare) {
  const request = { percentage: 100, collectFees: true, recipient: pipeline.wallet, ...terms() }
  return carryOut(await pipeline.liquidity.planRemove(pipeline.chain, position, request))
}

/** Carries a plan out and holds what the pipeline reports against the wallet's balances. */
async function carryOut<Outcome>(planned: LiquidityPlan<unknown, Outcome>): Promise<Outcome> {
  const before = await holdings()
  const settled = await carried(planned.intent)
  const after = await holdings()
  const changes = new Map([...after].map(([token, amount]) => [token, amount - before.get(token)!]))
  changes.set('ETH', changes.get('ETH')! + settled.gasCostWei)
  const symbols = new Map<string, string>(pipeline.devnet.tokens.map(({ address, symbol }) => [address, symbol]))
  symbols.set(zeroAddress, 'ETH')
  const reported = new Map(
    settled.deltas.flatMap(({ token, amount }) => (symbols.has(token) ? [[symbols.get(token)!, amount]] : [])),
  )
  for (const [symbol, change] of changes) expect([symbol, reported.get(symbol) ?? 0n]).toEqual([symbol, change])
  return planned.decode(settled)
}

async function carried(intent: Intent): Promise<Settled> {
  const settled = await pipeline.run(intent)
  if ('plan' in settled) throw new Error('only planned')
  expect(settled.safetyChecks).toEqual({
    tokenAllowlistPassed: true,
    spendingLimitPassed: true,
    simulationPassed: true,
  })
  return settled
}

async function holdings(): Promise<Map<string, bigint>> {
  const symbols = ['ETH', 'WETH', 'USDC', 'DAI'] as const
  return new Map(await Promise.all(symbols.map(async (symbol) => [symbol, await pipeline.balance(symbol)] as const)))
}

function tokenOf(symbol: string): Promise<Token> {
  return pipeline.tokens.resolve(pipeline.chain, symbol, 'token')
}

function terms() {
  return { slippageBps: 50, deadline: Math.floor(Date.now() / 1000) + 600 }
}
