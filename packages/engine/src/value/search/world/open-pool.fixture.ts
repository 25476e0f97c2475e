import { poolIdAt } from './build-world.fixture.ts'
import { everyToken, spacings } from './scenario.fixture.ts'
import { createPair } from './sim-pair.fixture.ts'
import { type SimPool, sqrtPriceOfRaw } from './sim-pool.fixture.ts'
import { note, type SimWorld } from './sim-world.fixture.ts'
import { createTickPool } from './tick-pool.fixture.ts'

export type PoolKind = {
  readonly version: SimPool['version']
  /** Symbols, in any order. */
  readonly tokens: readonly [string, string]
  readonly fee: number
}

export type OpenedKind = Pick<SimPool, 'version' | 'token0' | 'token1' | 'fee'>

/** The tokens in the pool's order, or `null` where a token is unknown or such a pool stands already. */
export function kindOf(world: SimWorld, { version, tokens, fee }: PoolKind): OpenedKind | null {
  const [a, b] = tokens.map((symbol) => everyToken.find((token) => token.symbol === symbol))
  if (a === undefined || b === undefined || a === b) return null
  const [token0, token1] = a.address < b.address ? [a, b] : [b, a]
  const kind = { version, token0, token1, fee: version === 'v2' ? 3000 : fee }
  return findPool(world, kind) === null ? kind : null
}

export function findPool(world: SimWorld, { version, token0, token1, fee }: OpenedKind): SimPool | null {
  for (const pool of world.pools.values()) {
    const isSame = pool.version === version && pool.token0 === token0 && pool.token1 === token1
    if (isSame && pool.fee === fee) return pool
  }
  return null
}

/**
 * Puts a pool into the world at a price (token1 for one token0, smallest units). A pair starts with `amount0` and what goes with it,
 * its opener's share; who pays is the caller's business.
 */
export function openPool(world: SimWorld, kind: OpenedKind, opening: Opening): SimPool | null {
  const { name, raw, amount0, who } = opening
  const { version, token0, token1, fee } = kind
  const { timestamp } = world
  const common = { id: poolIdAt(world.pools.size, version), name, token0, token1, fee, past: [] }
  if (world.pools.has(name) || !(raw > 1e-35 && raw < 1e35)) return null
  const amount1 = BigInt(Math.floor(Number(amount0) * raw))
  if (version === 'v2' && amount0 * amount1 < leastProduct) return null
  const start = { fee, tickSpacing: spacings[fee] ?? 60, sqrtPriceX96: sqrtPriceOfRaw(raw), cardinality: 1, timestamp }
  const pool: SimPool =
    version === 'v2'
      ? { ...common, version, pair: createPair(amount0, amount1, who, timestamp) }
      : { ...common, version, state: createTickPool(start) }
  world.pools.set(name, pool)
  world.changed.add(pool)
  const amounts = { amount0: String(amount0), amount1: String(amount1), sqrtPriceX96: String(start.sqrtPriceX96) }
  note(world, () => ({ who, what: `create ${version} ${token0.symbol}/${token1.symbol} ${fee}`, pool: name, amounts }))
  return pool
}

export type Opening = {
  readonly name: string
  readonly raw: number
  readonly amount0: bigint
  readonly who: 'attacker' | 'agent'
}

/** Beyond the 1,000 units that a pair locks up. */
const leastProduct = 10n ** 8n
