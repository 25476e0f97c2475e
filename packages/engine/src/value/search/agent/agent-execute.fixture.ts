import type { PlannedCall, PlannedDeposit, PlannedRemoval, PlannedSwap } from './agent-plan.fixture.ts'
import { quoteRoute } from './agent-routes.fixture.ts'
import { depositInPair, depositInTicks, liquidityFor, pairAmounts, type Pair } from '../world/deposits.fixture.ts'
import { findPool, openPool } from '../world/open-pool.fixture.ts'
import { trade } from '../world/pool-trades.fixture.ts'
import { balanceOf, credit } from '../world/sim-account.fixture.ts'
import { burnInPair } from '../world/sim-pair.fixture.ts'
import type { SimPool } from '../world/sim-pool.fixture.ts'
import { note, type SimWorld } from '../world/sim-world.fixture.ts'
import { amountsAt, burnInTickPool, mintCost } from '../world/tick-pool.fixture.ts'

/** Mines a planned call at this place in the pending block. False where its own bounds make it revert, which changes nothing. */
export function executeCall(world: SimWorld, planned: PlannedCall): boolean {
  if (planned.tool === 'swap') return executeSwap(world, planned)
  if (planned.tool === 'remove') return executeRemoval(world, planned)
  return executeDeposit(world, planned)
}

function executeSwap(world: SimWorld, { hops, tokenIn, tokenOut, amountIn, minOut }: PlannedSwap): boolean {
  if (balanceOf(world.agent, tokenIn) < amountIn || quoteRoute(world, hops, amountIn) < minOut) return false
  let amount = amountIn
  for (const { pool: name, zeroForOne } of hops) {
    const pool = world.pools.get(name)
    if (pool !== undefined) amount = trade(world, pool, { zeroForOne, amountIn: amount }, 'agent').amountOut
  }
  credit(world.agent, tokenIn, -amountIn)
  credit(world.agent, tokenOut, amount)
  return true
}

function executeDeposit(world: SimWorld, planned: PlannedDeposit): boolean {
  const standing = findPool(world, planned.kind)
  const deposit = standing === null ? null : depositNow(standing, planned)
  if (standing === null) return planned.opensAt !== null && openAndDeposit(world, planned, planned.opensAt)
  if (deposit === null || !canPay(world, planned, deposit)) return false
  pay(world, planned, applyDeposit(world, standing, planned, deposit))
  return true
}

type Deposit = Pair & { readonly liquidity: bigint }

/** What the contract would take at the pool's state; `null` where it would revert. */
function depositNow(pool: SimPool, { most, least, liquidity, ticks }: PlannedDeposit): Deposit | null {
  if (pool.version === 'v2') {
    const amounts = pairAmounts(pool, most)
    const isEnough = amounts.amount0 >= least.amount0 && amounts.amount1 >= least.amount1
    return isEnough ? { ...amounts, liquidity: 0n } : null
  }
  if (ticks === null) return null
  const minted = liquidity ?? liquidityFor(pool.state.sqrtPriceX96, ticks, most)
  if (minted === 0n) return null
  const cost = mintCost(pool.state, { owner: '', ...ticks }, minted)
  const isEnough = cost.amount0 >= least.amount0 && cost.amount1 >= least.amount1
  return isEnough && cost.amount0 <= most.amount0 && cost.amount1 <= most.amount1
    ? { ...cost, liquidity: minted }
    : null
}

function applyDeposit(world: SimWorld, pool: SimPool, planned: PlannedDeposit, { liquidity }: Deposit): Pair {
  const { agent } = world
  const known = planned.position
  if (pool.version === 'v2') {
    if (!agent.positions.some(({ pool: name }) => name === pool.name))
      agent.positions.push({ pool: pool.name, range: null })
    return noteDeposit(world, planned, depositInPair(world, pool, agent.name, planned.most))
  }
  const range = known?.range ?? {
    owner: `agent#${agent.minted++}`,
    ...(planned.ticks ?? { tickLower: 0, tickUpper: 0 }),
  }
  if (known === null) agent.positions.push({ pool: pool.name, range })
  return noteDeposit(world, planned, depositInTicks(world, pool, range, liquidity))
}

function openAndDeposit(world: SimWorld, planned: PlannedDeposit, raw: number): boolean {
  const { amount0 } = planned.most
  if (!canPay(world, planned, planned.most)) return false
  const pool = openPool(world, planned.kind, { name: planned.pool, raw, amount0, who: 'agent' })
  if (pool === null) return false
  if (pool.version === 'v2') {
    world.agent.positions.push({ pool: pool.name, range: null })
    pay(world, planned, { amount0: pool.pair.reserve0, amount1: pool.pair.reserve1 })
    return true
  }
  const deposit = depositNow(pool, planned)
  if (deposit !== null) pay(world, planned, applyDeposit(world, pool, planned, deposit))
  return deposit !== null
}

function executeRemoval(world: SimWorld, { pool: name, position, liquidity, least }: PlannedRemoval): boolean {
  const pool = world.pools.get(name)
  if (pool === undefined) return false
  const paid = removeNow(world, pool, { position, liquidity, least })
  if (paid === null) return false
  credit(world.agent, pool.token0, paid.amount0)
  credit(world.agent, pool.token1, paid.amount1)
  note(world, () => ({
    who: 'agent',
    what: 'remove',
    pool: name,
    amounts: { liquidity: `${liquidity}`, amount0: `${paid.amount0}`, amount1: `${paid.amount1}` },
  }))
  return true
}

function removeNow(
  world: SimWorld,
  pool: SimPool,
  removal: Pick<PlannedRemoval, 'position' | 'liquidity' | 'least'>,
): Pair | null {
  const { position, liquidity, least } = removal
  const isEnough = (amounts: Pair) => amounts.amount0 >= least.amount0 && amounts.amount1 >= least.amount1
  if (pool.version === 'v2') {
    const { reserve0, reserve1, totalSupply } = pool.pair
    const share = (reserve: bigint) => (reserve * liquidity) / totalSupply
    if (!isEnough({ amount0: share(reserve0), amount1: share(reserve1) })) return null
    world.changed.add(pool)
    return burnInPair(pool.pair, world.agent.name, liquidity, world.timestamp)
  }
  if (position.range === null) return null
  if (!isEnough(amountsAt(pool.state.sqrtPriceX96, position.range, liquidity, false))) return null
  world.changed.add(pool)
  return burnInTickPool(pool.state, position.range, liquidity, world.timestamp)
}

function canPay({ agent }: SimWorld, { kind }: PlannedDeposit, { amount0, amount1 }: Pair): boolean {
  return balanceOf(agent, kind.token0) >= amount0 && balanceOf(agent, kind.token1) >= amount1
}

function pay({ agent }: SimWorld, { kind }: PlannedDeposit, { amount0, amount1 }: Pair): void {
  credit(agent, kind.token0, -amount0)
  credit(agent, kind.token1, -amount1)
}

function noteDeposit(world: SimWorld, { tool, pool, ticks }: PlannedDeposit, paid: Pair): Pair {
  const range = ticks === null ? {} : { tickLower: `${ticks.tickLower}`, tickUpper: `${ticks.tickUpper}` }
  note(world, () => ({
    who: 'agent',
    what: tool,
    pool,
    amounts: { amount0: `${paid.amount0}`, amount1: `${paid.amount1}`, ...range },
  }))
  return paid
}
