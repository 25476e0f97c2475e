import {
  burnAmountsWithSlippage,
  getAmountsForLiquidity,
  getSqrtPriceAtTick,
  integerSqrt,
  maxAmountsWithSlippage,
  mintAmountsWithSlippage,
} from '@svc/lp-math'
import { liquidityFor, pairAmounts, type Pair, ticksAround, type Ticks } from '../world/deposits.fixture.ts'
import { kindOf, type OpenedKind } from '../world/open-pool.fixture.ts'
import { outsideRawPrice, priceOf } from '../world/outside-market.fixture.ts'
import { bestRoute, type Hop, quoteRoute } from './agent-routes.fixture.ts'
import type { AgentCall } from './agent-call.fixture.ts'
import { everyToken, spacings } from '../world/scenario.fixture.ts'
import { balanceOf, type SimPosition } from '../world/sim-account.fixture.ts'
import { type SimPool, sqrtPriceOfRaw } from '../world/sim-pool.fixture.ts'
import { amountOf, type SimToken } from '../world/sim-token.fixture.ts'
import type { SimWorld } from '../world/sim-world.fixture.ts'
import { createTickPool, liquidityOf } from '../world/tick-pool.fixture.ts'

/** What a call comes to at the pools' state, with the bounds that its calldata holds; as the server's own planners make it. */
export type PlannedCall = PlannedSwap | PlannedDeposit | PlannedRemoval

export type PlannedSwap = {
  readonly tool: 'swap'
  readonly hops: readonly Hop[]
  readonly tokenIn: SimToken
  readonly tokenOut: SimToken
  readonly amountIn: bigint
  readonly quotedOut: bigint
  readonly minOut: bigint
}

export type PlannedDeposit = {
  readonly tool: 'add' | 'open' | 'increase'
  /** Of a pool that is to be opened, the name it will have. */
  readonly pool: string
  readonly kind: OpenedKind
  /** The price a missing pool is opened at (token1 for one token0, smallest units). */
  readonly opensAt: number | null
  /** What the caller names of the tokens of a missing pool, whose price follows from it. */
  readonly named: Pair | null
  /** What is increased. */
  readonly position: SimPosition | null
  /** `null` in v2. */
  readonly ticks: Ticks | null
  /** What v4 fixes; `null` where it follows from the amounts. */
  readonly liquidity: bigint | null
  readonly most: Pair
  readonly least: Pair
  /** What it pays and mints at the pool's state; in a pool to come, at its first price. */
  readonly quoted: Pair & { readonly liquidity: bigint; readonly sqrtPriceX96: bigint }
}

export type PlannedRemoval = {
  readonly tool: 'remove'
  readonly pool: string
  readonly position: SimPosition
  readonly liquidity: bigint
  readonly least: Pair
}

/** `null` where the call makes no sense: no route, nothing to pay with, no such pool or position. */
export function planCall(world: SimWorld, call: AgentCall): PlannedCall | null {
  if (call.tool === 'swap') return planSwap(world, call)
  if (call.tool === 'add') return planAdd(world, call)
  if (call.tool === 'open') return planOpen(world, call)
  return call.tool === 'increase' ? planIncrease(world, call) : planRemove(world, call)
}

type CallOf<Tool extends AgentCall['tool']> = Extract<AgentCall, { tool: Tool }>

function planSwap(world: SimWorld, call: CallOf<'swap'>): PlannedSwap | null {
  const tokenIn = everyToken.find(({ symbol }) => symbol === call.sell)
  const tokenOut = everyToken.find(({ symbol }) => symbol === call.buy)
  if (tokenIn === undefined || tokenOut === undefined || tokenIn === tokenOut) return null
  const amountIn = payable(world, tokenIn, call.usd)
  const route = bestRoute(world, { tokenIn, tokenOut, amountIn, pool: call.pool })
  if (amountIn === 0n || route === null) return null
  const quotedOut = quoteRoute(world, route, amountIn)
  const minOut = lessSlippage(quotedOut, call.slippageBps)
  return minOut === 0n ? null : { tool: 'swap', hops: route, tokenIn, tokenOut, amountIn, quotedOut, minOut }
}

function planAdd(world: SimWorld, call: CallOf<'add'>): PlannedDeposit | null {
  const pool = world.pools.get(call.pool)
  if (pool === undefined) return null
  return planDeposit(world, { tool: 'add', pool, position: null, ticks: ticksAround(pool, call), opensAt: null }, call)
}

function planIncrease(world: SimWorld, call: CallOf<'increase'>): PlannedDeposit | null {
  const position = positionAt(world, call.position)
  const pool = world.pools.get(position?.pool ?? '')
  if (position === null || pool === undefined) return null
  return planDeposit(world, { tool: 'increase', pool, position, ticks: position.range, opensAt: null }, call)
}

/** An honest caller takes the amounts from the market outside. */
function planOpen(world: SimWorld, call: CallOf<'open'>): PlannedDeposit | null {
  const kind = kindOf(world, call)
  const raw = kind === null ? null : outsideRawPrice(world.market, kind)
  if (kind === null || raw === null) return null
  const name = `agent-${world.pools.size}`
  const shape = poolToCome(kind, name, raw)
  return planDeposit(
    world,
    { tool: 'open', pool: shape, position: null, ticks: ticksAround(shape, call), opensAt: raw },
    call,
  )
}

type Target = {
  readonly tool: PlannedDeposit['tool']
  readonly pool: SimPool
  readonly position: SimPosition | null
  readonly ticks: Ticks | null
  readonly opensAt: number | null
}

/** The caller names the amount of one token; the other is what the pool asks for beside it. */
function planDeposit(world: SimWorld, target: Target, call: AgentCall): PlannedDeposit | null {
  const { pool, ticks, opensAt, tool, position } = target
  const { token0, token1, version, fee, name } = pool
  const common = { tool, pool: name, kind: { version, token0, token1, fee }, opensAt, position }
  const bounds =
    pool.version === 'v2'
      ? pairBounds(world, pool, opensAt, call)
      : ticks === null
        ? null
        : rangeBounds(world, pool, { ticks, opensAt }, call)
  return bounds === null ? null : { ...common, ticks, ...bounds }
}

type DepositBounds = Pick<PlannedDeposit, 'named' | 'liquidity' | 'most' | 'least' | 'quoted'>

function pairBounds(
  world: SimWorld,
  pool: Extract<SimPool, { version: 'v2' }>,
  opensAt: number | null,
  { usd, slippageBps }: AgentCall,
): DepositBounds | null {
  const named = payable(world, pool.token0, usd / 2)
  const rest = balanceOf(world.agent, pool.token1)
  const most =
    opensAt === null
      ? pairAmounts(pool, { amount0: named, amount1: rest })
      : { amount0: named, amount1: timesRaw(named, opensAt) }
  const { amount0, amount1 } = most
  if (amount0 === 0n || amount1 === 0n || amount1 > rest) return null
  const least = { amount0: lessSlippage(amount0, slippageBps), amount1: lessSlippage(amount1, slippageBps) }
  const liquidity = opensAt === null ? 0n : integerSqrt(amount0 * amount1) - 1000n
  return {
    named: opensAt === null ? null : most,
    liquidity: null,
    most,
    least,
    quoted: { ...most, liquidity, sqrtPriceX96: 0n },
  }
}

function rangeBounds(
  world: SimWorld,
  { version, token0, token1, state }: Extract<SimPool, { version: 'v3' | 'v4' }>,
  { ticks, opensAt }: { readonly ticks: Ticks; readonly opensAt: number | null },
  { usd, slippageBps }: AgentCall,
): DepositBounds | null {
  const { sqrtPriceX96 } = state
  const [sqrtPriceAX96, sqrtPriceBX96] = [getSqrtPriceAtTick(ticks.tickLower), getSqrtPriceAtTick(ticks.tickUpper)]
  const isAbove = sqrtPriceX96 >= sqrtPriceBX96
  const named = opensAt === null ? null : namedToOpen(world, token0, usd, opensAt)
  const amounts =
    named ??
    (isAbove
      ? { amount0: 0n, amount1: payable(world, token1, usd) }
      : { amount0: payable(world, token0, usd / 2), amount1: balanceOf(world.agent, token1) })
  const liquidity = liquidityFor(sqrtPriceX96, ticks, amounts)
  if (liquidity === 0n || liquidity > mostLiquidity) return null
  const fitted = getAmountsForLiquidity(sqrtPriceX96, sqrtPriceAX96, sqrtPriceBX96, liquidity, true)
  const slippage = { sqrtPriceX96, sqrtPriceAX96, sqrtPriceBX96, liquidity, slippageBps }
  const quoted = { ...fitted, liquidity, sqrtPriceX96 }
  if (version === 'v3')
    return { named, liquidity: null, most: fitted, least: mintAmountsWithSlippage(slippage), quoted }
  return { named, liquidity, most: maxAmountsWithSlippage(slippage), least: { amount0: 0n, amount1: 0n }, quoted }
}

/** Both tokens, in the proportion that makes the price. */
function namedToOpen(world: SimWorld, token0: SimToken, usd: number, opensAt: number): Pair {
  const amount0 = payable(world, token0, usd / 2)
  return { amount0, amount1: timesRaw(amount0, opensAt) }
}

/** A tick holds no more, in the widest pool. */
const mostLiquidity = 10n ** 33n

function planRemove(world: SimWorld, call: CallOf<'remove'>): PlannedRemoval | null {
  const position = positionAt(world, call.position)
  const pool = world.pools.get(position?.pool ?? '')
  if (position === null || pool === undefined) return null
  const part = (held: bigint) => (call.part >= 1 ? held : BigInt(Math.floor(Number(held) * call.part)))
  const common = { tool: 'remove', pool: pool.name, position } as const
  if (pool.version === 'v2') {
    const { pair } = pool
    const liquidity = part(pair.shares.get(world.agent.name) ?? 0n)
    const share = (reserve: bigint) => lessSlippage((reserve * liquidity) / pair.totalSupply, call.slippageBps)
    if (liquidity < 1000n) return null
    return { ...common, liquidity, least: { amount0: share(pair.reserve0), amount1: share(pair.reserve1) } }
  }
  if (position.range === null) return null
  const liquidity = part(liquidityOf(pool.state, position.range))
  if (liquidity === 0n) return null
  const { tickLower, tickUpper } = position.range
  const bounds = { sqrtPriceAX96: getSqrtPriceAtTick(tickLower), sqrtPriceBX96: getSqrtPriceAtTick(tickUpper) }
  const { sqrtPriceX96 } = pool.state
  return {
    ...common,
    liquidity,
    least: burnAmountsWithSlippage({ sqrtPriceX96, ...bounds, liquidity, slippageBps: call.slippageBps }),
  }
}

function positionAt({ agent }: SimWorld, index: number): SimPosition | null {
  return agent.positions[index % Math.max(1, agent.positions.length)] ?? null
}

/** What a sum buys at the market outside, as far as the agent has it. */
function payable(world: SimWorld, token: SimToken, usd: number): bigint {
  const amount = amountOf(token, usd, priceOf(world.market, token))
  const held = balanceOf(world.agent, token)
  return amount < held ? amount : held
}

export function lessSlippage(amount: bigint, slippageBps: number): bigint {
  return (amount * BigInt(10_000 - slippageBps)) / 10_000n
}

function timesRaw(amount0: bigint, raw: number): bigint {
  return BigInt(Math.floor(Number(amount0) * raw))
}

/** Stands for a pool that does not exist: what a plan needs of it. */
function poolToCome(kind: OpenedKind, name: string, raw: number): SimPool {
  const { version, token0, token1, fee } = kind
  const common = { id: '0x' as const, name, token0, token1, fee, past: [] }
  if (version === 'v2') return { ...common, version, pair: emptyPair }
  const sqrtPriceX96 = sqrtPriceOfRaw(raw)
  return {
    ...common,
    version,
    state: createTickPool({ fee, tickSpacing: spacings[fee] ?? 60, sqrtPriceX96, cardinality: 1, timestamp: 0 }),
  }
}

const emptyPair = {
  reserve0: 0n,
  reserve1: 0n,
  totalSupply: 0n,
  shares: new Map(),
  price0Cumulative: 0n,
  price1Cumulative: 0n,
  updatedAt: 0,
}
