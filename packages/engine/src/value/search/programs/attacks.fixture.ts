import { depositInPair, depositInTicks, liquidityFor, type Pair, ticksAround } from '../world/deposits.fixture.ts'
import { kindOf, openPool } from '../world/open-pool.fixture.ts'
import { outsideRawPrice, priceOf } from '../world/outside-market.fixture.ts'
import { swapToPrice, trade, type Traded } from '../world/pool-trades.fixture.ts'
import type { Action } from './program.fixture.ts'
import { affordable, credit, pay } from '../world/sim-account.fixture.ts'
import { burnInPair, donateToPair } from '../world/sim-pair.fixture.ts'
import { rawPriceOf, sidesOf, type SimPool } from '../world/sim-pool.fixture.ts'
import { amountOf, type SimToken } from '../world/sim-token.fixture.ts'
import { note, type SimWorld } from '../world/sim-world.fixture.ts'
import { burnInTickPool, donateToTickPool, liquidityOf } from '../world/tick-pool.fixture.ts'

type ActionOf<Name extends Action['do']> = Extract<Action, { do: Name }>

export function attackerSwaps(world: SimWorld, { pool: name, zeroForOne, usd }: ActionOf<'swap'>): void {
  const pool = world.pools.get(name)
  if (pool === undefined) return
  const [tokenIn] = sidesOf(pool, zeroForOne)
  const amountIn = upTo(world, tokenIn, usd)
  settle(world, pool, zeroForOne, trade(world, pool, { zeroForOne, amountIn }, 'attacker'))
}

/** Takes a pool as far towards a multiple of the price outside as the attacker's funds go. */
export function attackerPushes(
  world: SimWorld,
  { pool: name, factor }: Pick<ActionOf<'push'>, 'pool' | 'factor'>,
): void {
  const pool = world.pools.get(name)
  if (pool === undefined) return
  pushTo(world, pool, (outsideRawPrice(world.market, pool) ?? rawPriceOf(pool)) * factor)
}

/** One small trade that moves the tick: up in even blocks, down in odd ones. */
export function attackerStirs(world: SimWorld, name: string): void {
  const pool = world.pools.get(name)
  if (pool === undefined) return
  pushTo(world, pool, rawPriceOf(pool) * (world.block % 2 === 0 ? 1.0002 : 1 / 1.0002))
}

/** A pool at a multiple of the price outside; a token of the attacker's own counts as a dollar there. */
export function attackerCreates(world: SimWorld, action: ActionOf<'create'>): void {
  const kind = kindOf(world, action)
  if (kind === null) return
  const { token0, token1 } = kind
  const raw = (askedPrice(world, token0) / askedPrice(world, token1)) * 10 ** (token1.decimals - token0.decimals)
  const name = `own-${[...world.pools.keys()].filter((known) => known.startsWith('own-')).length}`
  const amount0 = upTo(world, token0, action.usd / 2) / 2n
  const opening = { name, raw: raw * action.factor, amount0, who: 'attacker' } as const
  const needed1 = BigInt(Math.floor(Math.min(Number(amount0) * opening.raw, 1e40)))
  if (kind.version === 'v2' && needed1 > affordable(world.attacker, world.market, token1) / 2n) return
  const pool = openPool(world, kind, opening)
  if (pool?.version !== 'v2') return
  world.attacker.positions.push({ pool: name, range: null })
  payBoth(world, pool, { amount0: pool.pair.reserve0, amount1: pool.pair.reserve1 })
}

export function attackerAdds(world: SimWorld, action: ActionOf<'add'>): void {
  const pool = world.pools.get(action.pool)
  if (pool === undefined) return
  const { attacker } = world
  const half = (token: SimToken) =>
    least(upTo(world, token, action.usd), affordable(attacker, world.market, token) / 2n)
  const most = { amount0: half(pool.token0), amount1: half(pool.token1) }
  if (pool.version === 'v2') {
    const isFirst = !attacker.positions.some((position) => position.pool === pool.name)
    if (isFirst) attacker.positions.push({ pool: pool.name, range: null })
    const paid = depositInPair(world, pool, attacker.name, most)
    const shares = { amount0: `${paid.amount0}`, amount1: `${paid.amount1}` }
    note(world, () => ({ who: 'attacker', what: 'add', pool: pool.name, amounts: shares }))
    return payBoth(world, pool, paid)
  }
  const ticks = ticksAround(pool, action)
  if (ticks === null) return
  const liquidity = least(liquidityFor(pool.state.sqrtPriceX96, ticks, most), mostLiquidity)
  if (liquidity === 0n) return
  const range = { owner: `attacker#${attacker.minted++}`, ...ticks }
  attacker.positions.push({ pool: pool.name, range })
  const paid = depositInTicks(world, pool, range, liquidity)
  const amounts = { amount0: `${paid.amount0}`, amount1: `${paid.amount1}`, liquidity: `${liquidity}`, ...ticks }
  note(world, () => ({ who: 'attacker', what: 'add', pool: pool.name, amounts }))
  payBoth(world, pool, paid)
}

export function attackerRemoves(world: SimWorld, { position: index, part }: ActionOf<'remove'>): void {
  const { attacker } = world
  const position = attacker.positions[index % Math.max(1, attacker.positions.length)]
  const pool = world.pools.get(position?.pool ?? '')
  if (position === undefined || pool === undefined) return
  const held =
    pool.version === 'v2'
      ? (pool.pair.shares.get(attacker.name) ?? 0n)
      : position.range === null
        ? 0n
        : liquidityOf(pool.state, position.range)
  const liquidity = part >= 1 ? held : BigInt(Math.floor(Number(held) * part))
  if (liquidity <= 1000n) return
  world.changed.add(pool)
  note(world, () => ({ who: 'attacker', what: 'remove', pool: pool.name, amounts: { liquidity: String(liquidity) } }))
  const paid =
    pool.version === 'v2'
      ? burnInPair(pool.pair, attacker.name, liquidity, world.timestamp)
      : position.range === null
        ? { amount0: 0n, amount1: 0n }
        : burnInTickPool(pool.state, position.range, liquidity, world.timestamp)
  credit(attacker, pool.token0, paid.amount0)
  credit(attacker, pool.token1, paid.amount1)
}

export function attackerDonates(world: SimWorld, { pool: name, usd, of0 }: ActionOf<'donate'>): void {
  const pool = world.pools.get(name)
  if (pool === undefined) return
  const amount = upTo(world, of0 ? pool.token0 : pool.token1, usd)
  const given = of0 ? { amount0: amount, amount1: 0n } : { amount0: 0n, amount1: amount }
  world.changed.add(pool)
  const { timestamp } = world
  if (pool.version === 'v2') donateToPair(pool.pair, given.amount0, given.amount1, timestamp)
  else if (!donateToTickPool(pool.state, given.amount0, given.amount1, timestamp)) return
  note(world, () => ({
    who: 'attacker',
    what: 'donate',
    pool: name,
    amounts: { amount0: `${given.amount0}`, amount1: `${given.amount1}` },
  }))
  payBoth(world, pool, given)
}

function pushTo(world: SimWorld, pool: SimPool, raw: number): void {
  const zeroForOne = raw < rawPriceOf(pool)
  const [tokenIn] = sidesOf(pool, zeroForOne)
  const most = affordable(world.attacker, world.market, tokenIn)
  settle(world, pool, zeroForOne, swapToPrice(world, pool, raw, 'attacker', most))
}

function settle(world: SimWorld, pool: SimPool, zeroForOne: boolean, { amountIn, amountOut }: Traded): void {
  const [tokenIn, tokenOut] = sidesOf(pool, zeroForOne)
  pay(world.attacker, world.market, tokenIn, amountIn)
  credit(world.attacker, tokenOut, amountOut)
}

function payBoth({ attacker, market }: SimWorld, pool: SimPool, { amount0, amount1 }: Pair): void {
  pay(attacker, market, pool.token0, amount0)
  pay(attacker, market, pool.token1, amount1)
}

function upTo(world: SimWorld, token: SimToken, usd: number): bigint {
  return least(amountOf(token, usd, askedPrice(world, token)), affordable(world.attacker, world.market, token))
}

function askedPrice(world: SimWorld, token: SimToken): number {
  return token.own ? 1 : priceOf(world.market, token)
}

function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other
}

/** A tick holds no more, in the widest pool. */
const mostLiquidity = 10n ** 33n
