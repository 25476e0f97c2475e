import { useDevnet } from '@svc/devnet/testing'
import { parseUnits, zeroAddress } from 'viem'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Intent, Settled } from './intent.ts'
import type { PairShare, Planned, Position, Token, Version } from './ports.ts'
import { devnetPolicy } from './safety/devnet-policy.ts'
import { openRoad, type Road } from './safety/open-road.fixture.ts'

const devnet = useDevnet()
let road: Road

// Nothing but what the planners make of honest requests, under a strict allowlist and the chain's own prices.
beforeEach(async () => {
  road = await openRoad(devnet(), { usd: 'chain', policy: { ...devnetPolicy(), allowlist: { mode: 'strict' } } })
})
afterEach(() => road.close())

describe.each<{ version: Version; base: string; quote: string }>([
  { version: 'v2', base: 'WETH', quote: 'USDC' },
  { version: 'v2', base: 'ETH', quote: 'USDC' },
  { version: 'v3', base: 'WETH', quote: 'USDC' },
  { version: 'v3', base: 'USDC', quote: 'WETH' },
  { version: 'v3', base: 'ETH', quote: 'USDC' },
  { version: 'v4', base: 'WETH', quote: 'USDC' },
  { version: 'v4', base: 'ETH', quote: 'USDC' },
])('plans of $version for $base and $quote pass the road', ({ version, base, quote }) => {
  it("add, swap, collect, increase, remove: the deltas are the wallet's, and nothing stays approved", async () => {
    const [token0, token1] = await Promise.all([tokenOf(base), tokenOf(quote)])
    const fee = await feeOfBestPool(version, token0, token1)
    const added = await add(version, token0, token1, fee)
    await swap(version, token0, token1)
    await swap(version, token1, token0)
    if (version === 'v2') {
      await remove(await road.liquidity.pairShare(road.chain, added.positionId as `0x${string}`, road.wallet))
    } else {
      const position = () => road.liquidity.position(road.chain, version, added.positionId)
      const collect = { deadline: terms().deadline, recipient: road.wallet }
      await carryOut(await road.liquidity.planCollect(road.chain, await position(), collect))
      const { pool } = await position()
      const amount0 = pool.token0.decimals === 6 ? parseUnits('100', 6) : parseUnits('0.05', 18)
      const more = { amount0, amount1: null, payNative: base === 'ETH', ...terms() }
      await carryOut(await road.liquidity.planIncrease(road.chain, await position(), more))
      await remove(await position())
    }
    const { v2, v3, v4, universalRouter } = road.chain.amm
    const spenders = [
      v2!.router,
      v3!.positionManager,
      v3!.swapRouter02,
      v4!.positionManager,
      universalRouter!.address,
      road.chain.permit2,
    ]
    for (const symbol of ['USDC', 'WETH']) {
      expect(await Promise.all(spenders.map((spender) => road.allowance(symbol, spender)))).toEqual(
        spenders.map(() => 0n),
      )
    }
    expect(await road.store.ledger.open()).toEqual([])
    expect(road.lines.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([])
  })
})

describe('a pool that does not exist yet', () => {
  it.each(['v3', 'v4'] as const)('is created by the same call on %s', async (version) => {
    await devnet().fund(road.wallet, { DAI: '2000' })
    const [dai, usdc] = await Promise.all([tokenOf('DAI'), tokenOf('USDC')])
    await carryOut(
      await road.liquidity.planAdd(road.chain, {
        version,
        token0: dai,
        token1: usdc,
        fee: 10_000,
        hooks: null,
        amount0: parseUnits('1000', 18),
        amount1: parseUnits('1000', 6),
        range: { pctEachSide: 50 },
        recipient: road.wallet,
        ...terms(),
      }),
    )
  })
})

async function add(version: Version, token0: Token, token1: Token, fee: number) {
  const planned = await road.liquidity.planAdd(road.chain, {
    version,
    token0,
    token1,
    fee: version === 'v2' ? null : fee,
    hooks: null,
    amount0: token0.decimals === 6 ? parseUnits('1500', 6) : parseUnits('0.5', 18),
    amount1: null,
    range: version === 'v2' ? null : { pctEachSide: 15 },
    recipient: road.wallet,
    ...terms(),
  })
  return carryOut(planned)
}

/** Where the swaps of this test will go, so that the position earns something. */
async function feeOfBestPool(version: Version, tokenIn: Token, tokenOut: Token): Promise<number> {
  const quote = await road.liquidity.quote(road.chain, {
    tokenIn,
    tokenOut,
    amountIn: tokenIn.decimals === 6 ? parseUnits('600', 6) : parseUnits('0.2', 18),
    versions: [version],
  })
  return quote.route[0]!.pool.fee
}

async function swap(version: Version, tokenIn: Token, tokenOut: Token) {
  const amountIn = tokenIn.decimals === 6 ? parseUnits('600', 6) : parseUnits('0.2', 18)
  const quote = await road.liquidity.quote(road.chain, { tokenIn, tokenOut, amountIn, versions: [version] })
  const request = { tokenIn, tokenOut, recipient: road.wallet, ...terms() }
  return carryOut(await road.liquidity.planSwap(road.chain, quote, request))
}

async function remove(position: Position | PairShare) {
  const request = { percentage: 100, collectFees: true, recipient: road.wallet, ...terms() }
  return carryOut(await road.liquidity.planRemove(road.chain, position, request))
}

/** Carries a plan out and holds what the road reports against the wallet's balances. */
async function carryOut<Outcome>(planned: Planned<unknown, Outcome>): Promise<Outcome> {
  const before = await holdings()
  const settled = await carried(planned.intent)
  const after = await holdings()
  const changes = new Map([...after].map(([token, amount]) => [token, amount - before.get(token)!]))
  changes.set('ETH', changes.get('ETH')! + settled.gasCostWei)
  const symbols = new Map<string, string>(road.devnet.tokens.map(({ address, symbol }) => [address, symbol]))
  symbols.set(zeroAddress, 'ETH')
  const reported = new Map(
    settled.deltas.flatMap(({ token, amount }) => (symbols.has(token) ? [[symbols.get(token)!, amount]] : [])),
  )
  for (const [symbol, change] of changes) expect([symbol, reported.get(symbol) ?? 0n]).toEqual([symbol, change])
  return planned.decode(settled)
}

async function carried(intent: Intent): Promise<Settled> {
  const settled = await road.run(intent)
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
  return new Map(await Promise.all(symbols.map(async (symbol) => [symbol, await road.balance(symbol)] as const)))
}

function tokenOf(symbol: string): Promise<Token> {
  return road.tokens.resolve(road.chain, symbol, 'token')
}

function terms() {
  return { slippageBps: 50, deadline: Math.floor(Date.now() / 1000) + 600 }
}
