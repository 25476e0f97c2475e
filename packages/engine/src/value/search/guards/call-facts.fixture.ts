import { type Address, getAddress } from 'viem'
import type { Intent } from '@svc/amm'
import { type CallBounds, noBounds } from '../../../calldata/call-bounds.ts'
import type { DepositBounds } from '../../../calldata/deposit-bounds.ts'
import type { Inspected, PoolAfter } from '../../../simulation/inspection.ts'
import type { PoolIdentity } from '../../../calldata/pool-identity.ts'
import type { PlannedCall, PlannedDeposit, PlannedRemoval, PlannedSwap } from '../agent/agent-plan.fixture.ts'
import { poolIdAt } from '../world/build-world.fixture.ts'
import { keyOf, managers, simChain } from './sim-chain.fixture.ts'
import type { SimPool } from '../world/sim-pool.fixture.ts'
import type { SimToken } from '../world/sim-token.fixture.ts'
import { liquidityOf, amountsAt } from '../world/tick-pool.fixture.ts'
import type { WorldView } from '../world/world-view.fixture.ts'

/** A planned call as the server's rules see it: what its calldata permits, and what its simulation moves. */
export type CallFacts = {
  readonly tool: string
  readonly intent: Intent
  readonly bounds: CallBounds
  readonly inspected: Inspected
  readonly deltas: ReadonlyMap<string, bigint>
  /** What must have a price. */
  readonly tokens: readonly SimToken[]
  /** The pair whose shares leave; `null` where none do. */
  readonly pair: Extract<SimPool, { version: 'v2' }> | null
}

export function factsOf(view: WorldView, call: PlannedCall): CallFacts {
  if (call.tool === 'swap') return factsOfSwap(view, call)
  if (call.tool === 'remove') return factsOfRemoval(view, call)
  return factsOfDeposit(view, call)
}

const nothingInspected: Inspected = { positions: [], pools: [], orders: [], vaultDeposits: [] }

function factsOfSwap(view: WorldView, call: PlannedSwap): CallFacts {
  const { tokenIn, tokenOut, amountIn, quotedOut, minOut } = call
  const pools = call.hops.flatMap(({ pool }) => view.pools.get(pool) ?? [])
  const feeBps = pools.reduce((sum, { fee }) => sum + fee / 100, 0)
  const route = { tokenIn: keyOf(tokenIn), tokenOut: keyOf(tokenOut) }
  const through = pools.flatMap(({ token0, token1 }) => [token0, token1])
  return {
    tool: 'execute_swap',
    intent: intentOf([[tokenIn, amountIn]], [[tokenOut, minOut]]),
    bounds: {
      ...noBounds,
      trades: [{ ...route, pools: pools.map(({ id }) => id) }],
      pays: new Map([[route.tokenIn, amountIn]]),
      brings: new Map([[route.tokenOut, minOut]]),
      feeBps,
    },
    inspected: nothingInspected,
    deltas: new Map([
      [keyOf(tokenIn), -amountIn],
      [keyOf(tokenOut), quotedOut],
    ]),
    tokens: [...new Set([tokenIn, tokenOut, ...through])],
    pair: null,
  }
}

function factsOfDeposit(view: WorldView, call: PlannedDeposit): CallFacts {
  const { kind, quoted } = call
  const { token0, token1, version } = kind
  const standing = view.pools.get(call.pool) ?? null
  const id = standing?.id ?? poolIdAt(view.pools.size, version)
  const identity = { id, token0: keyOf(token0), token1: keyOf(token1) }
  const after = poolAfter(standing, identity, call)
  const deltas = new Map([
    [keyOf(token0), -quoted.amount0],
    [keyOf(token1), -quoted.amount1],
  ])
  if (after.pair !== null) deltas.set(id.toLowerCase(), sharesFor(standing, call))
  const spends = [
    [token0, call.most.amount0],
    [token1, call.most.amount1],
  ] as const
  return {
    tool: call.tool === 'increase' ? 'increase_liquidity' : 'add_liquidity',
    intent: intentOf(spends, []),
    bounds: { ...noBounds, deposits: [boundsOf(call, identity)] },
    inspected: {
      positions: increased(standing, identity, call),
      pools: [after],
      orders: [],
      vaultDeposits: [],
    },
    deltas,
    tokens: [token0, token1],
    pair: null,
  }
}

function boundsOf(
  { kind, position, ticks, liquidity, most, least }: PlannedDeposit,
  pool: PoolIdentity,
): DepositBounds {
  const { version } = kind
  const common = { version, contract: managers[version], liquidity, most, least }
  if (position === null || version === 'v2') return { ...common, positionId: null, pool, ticks }
  return { ...common, positionId: idOf(position.range?.owner), pool: null, ticks: null }
}

/** The position that grows, before and after. */
function increased(
  standing: SimPool | null,
  pool: PoolIdentity,
  { kind, position, quoted }: PlannedDeposit,
): Inspected['positions'] {
  const range = position?.range ?? null
  if (standing === null || standing.version === 'v2' || range === null) return []
  const { tickLower, tickUpper, owner } = range
  const liquidityBefore = liquidityOf(standing.state, range)
  const liquidityAfter = liquidityBefore + quoted.liquidity
  return [
    {
      contract: managers[kind.version],
      id: idOf(owner),
      pool,
      isHooked: false,
      tickLower,
      tickUpper,
      liquidityBefore,
      liquidityAfter,
    },
  ]
}

function poolAfter(standing: SimPool | null, identity: PoolIdentity, { kind, quoted }: PlannedDeposit): PoolAfter {
  const own = { ...identity, version: kind.version, stoodBefore: standing !== null, sqrtPriceX96: null, pair: null }
  if (kind.version !== 'v2') return { ...own, sqrtPriceX96: quoted.sqrtPriceX96 }
  const { reserve0, reserve1, totalSupply } = standing?.version === 'v2' ? standing.pair : emptyPair
  const shares = totalSupply === 0n ? quoted.liquidity + lockedShares : (quoted.amount0 * totalSupply) / reserve0
  const pair = {
    reserve0: reserve0 + quoted.amount0,
    reserve1: reserve1 + quoted.amount1,
    burnSupply: totalSupply + shares,
  }
  return { ...own, pair }
}

/** Of a new pair, for ever. */
const lockedShares = 1000n

const emptyPair = { reserve0: 0n, reserve1: 0n, totalSupply: 0n }

function sharesFor(standing: SimPool | null, { quoted }: PlannedDeposit): bigint {
  if (standing?.version !== 'v2') return quoted.liquidity
  const { reserve0, reserve1, totalSupply } = standing.pair
  const [by0, by1] = [(quoted.amount0 * totalSupply) / reserve0, (quoted.amount1 * totalSupply) / reserve1]
  return by0 < by1 ? by0 : by1
}

function factsOfRemoval(view: WorldView, { pool: name, position, liquidity, least }: PlannedRemoval): CallFacts {
  const pool = view.pools.get(name)
  if (pool === undefined) throw new TypeError(`There is no pool ${name}.`)
  const { token0, token1 } = pool
  const receives = [
    [token0, least.amount0],
    [token1, least.amount1],
  ] as const
  const common = { tool: 'remove_liquidity', bounds: noBounds, tokens: [token0, token1] }
  if (pool.version === 'v2') {
    const { reserve0, reserve1, totalSupply } = pool.pair
    const deltas = new Map([
      [pool.id.toLowerCase(), -liquidity],
      [keyOf(token0), (reserve0 * liquidity) / totalSupply],
      [keyOf(token1), (reserve1 * liquidity) / totalSupply],
    ])
    const spends = [{ token: pool.id, amount: liquidity }]
    const intent = { ...intentOf([], receives), spends, calls: [callTo(managers.v2)] }
    return { ...common, intent, inspected: nothingInspected, deltas, pair: pool }
  }
  const range = position.range ?? { owner: '', tickLower: 0, tickUpper: 0 }
  const paid = amountsAt(pool.state.sqrtPriceX96, range, liquidity, false)
  const held = liquidityOf(pool.state, range)
  const identity = { id: pool.id, token0: keyOf(token0), token1: keyOf(token1) }
  const { tickLower, tickUpper } = range
  const moved = { tickLower, tickUpper, liquidityBefore: held, liquidityAfter: held - liquidity }
  const state = { contract: managers[pool.version], id: idOf(range.owner), isHooked: false, pool: identity, ...moved }
  return {
    ...common,
    intent: intentOf([], receives),
    inspected: { ...nothingInspected, positions: [state] },
    deltas: new Map([
      [keyOf(token0), paid.amount0],
      [keyOf(token1), paid.amount1],
    ]),
    pair: null,
  }
}

/** Every position has an id of its own, the number in its owner's name. */
function idOf(owner: string | undefined): bigint {
  return BigInt(owner?.split('#')[1] ?? 0)
}

type Quantities = readonly (readonly [SimToken, bigint])[]

function intentOf(spends: Quantities, receives: Quantities): Intent {
  const listed = (quantities: Quantities) =>
    quantities
      .filter(([, amount]) => amount > 0n)
      .map(([token, amount]) => ({ token: getAddress(token.address), amount }))
  return {
    chainId: simChain.id,
    calls: [callTo(managers.v3)],
    atomicity: 'single',
    spends: listed(spends),
    receives: listed(receives),
    approvals: [],
    riskTier: 'routine',
    slippageBps: 50,
    deadline: null,
    recipients: [],
    why: 'A call of the simulated agent.',
  }
}

function callTo(to: Address): Intent['calls'][number] {
  return { to, data: '0x', valueWei: 0n, label: 'call' }
}
