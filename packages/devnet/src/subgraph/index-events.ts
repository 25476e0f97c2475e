import { parseAbi, zeroAddress } from 'viem'
import type { ChainClient } from '../chain/chain-client.ts'
import type { PeriodRecord, PoolRecord, TokenRecord, Traded } from './rows.ts'

/**
 * An index of AMM events that keeps what the public subgraphs keep, with their peculiarities: hours and days exist only where
 * something happened, a day's `close` stays its first price, and a trade in tokens without a known price has no volume in dollars.
 */
export function createIndex(options: IndexOptions): EventIndex {
  const pools = new Map<string, PoolRecord>()
  const tokens = new Map(options.tokens.map((token) => [token.id, token]))
  const usd = createUsd(options.ether)
  return {
    pools: () => [...pools.values()],
    usdOf: (token) => usd.of(token),
    add(event) {
      const created = createdPool(event, tokens)
      if (created !== null) pools.set(created.id, created)
      const pool = pools.get('id' in event.args ? event.args.id : event.address.toLowerCase())
      if (pool === undefined) return
      const traded = apply(pool, event, usd)
      if (traded === null) return
      usd.learn(pool)
      const time = Number(event.blockTimestamp)
      for (const [periods, seconds] of [[pool.hours, 3_600] as const, [pool.days, 86_400] as const]) {
        count(periods, Math.floor(time / seconds) * seconds, pool, traded, usd.held(pool))
      }
      // What the subgraphs forget, and readers of theirs must know.
      const day = pool.days.get(Math.floor(time / 86_400) * 86_400)
      if (day !== undefined) day.close = day.open
    },
  }
}

type IndexOptions = {
  readonly tokens: readonly TokenRecord[]
  /** Addresses that are ether: its own and the wrapped one, in lower case. */
  readonly ether: readonly string[]
}

export type EventIndex = {
  pools(): readonly PoolRecord[]
  usdOf(token: TokenRecord): number
  add(event: AmmEvent): void
}

function createdPool(event: AmmEvent, tokens: ReadonlyMap<string, TokenRecord>): PoolRecord | null {
  const at = (version: PoolRecord['version'], id: string, of: readonly [string, string], form: Form) => {
    const [token0, token1] = of.map((address) => tokens.get(address.toLowerCase()))
    if (token0 === undefined || token1 === undefined) return null
    return newPool({ version, id: id.toLowerCase(), token0, token1, createdAt: Number(event.blockTimestamp), ...form })
  }
  const { args } = event
  if (event.eventName === 'PairCreated') {
    const { pair, token0, token1 } = event.args
    return at('v2', pair, [token0, token1], { feePips: 3_000, tickSpacing: 0, hooks: zeroAddress })
  }
  if (event.eventName === 'PoolCreated') {
    const { pool, token0, token1, fee, tickSpacing } = event.args
    return at('v3', pool, [token0, token1], { feePips: fee, tickSpacing, hooks: zeroAddress })
  }
  if (event.eventName === 'Initialize' && 'currency0' in args) {
    const { id, currency0, currency1, fee, tickSpacing, hooks } = args
    return at('v4', id, [currency0, currency1], { feePips: fee, tickSpacing, hooks: hooks.toLowerCase() })
  }
  return null
}

type Form = Pick<PoolRecord, 'feePips' | 'tickSpacing' | 'hooks'>
type Facts = Form & Pick<PoolRecord, 'version' | 'id' | 'token0' | 'token1' | 'createdAt'>

function newPool(facts: Facts): PoolRecord {
  return {
    ...facts,
    sqrtPriceX96: 0n,
    liquidity: 0n,
    tick: 0,
    token0Price: 0,
    amount0: 0,
    amount1: 0,
    volumeUsd: 0,
    transactions: 0,
    hours: new Map(),
    days: new Map(),
  }
}

/** Brings a pool to the state after an event; null for one that counts for no period. */
function apply(pool: PoolRecord, event: AmmEvent, usd: Usd): Traded | null {
  const [scale0, scale1] = [10 ** pool.token0.decimals, 10 ** pool.token1.decimals]
  const add = (amount0: number, amount1: number) => {
    pool.amount0 += amount0 / scale0
    pool.amount1 += amount1 / scale1
  }
  const trade = (amount0: number, amount1: number): Traded => {
    const [whole0, whole1] = [Math.abs(amount0) / scale0, Math.abs(amount1) / scale1]
    return { amount0: whole0, amount1: whole1, usd: usd.traded(pool, whole0, whole1) }
  }
  const { eventName, args } = event
  if (eventName === 'Sync') {
    pool.amount0 = Number(args.reserve0) / scale0
    pool.amount1 = Number(args.reserve1) / scale1
    pool.token0Price = pool.amount1 === 0 ? 0 : pool.amount0 / pool.amount1
    return null
  }
  if ('sqrtPriceX96' in args) {
    pool.sqrtPriceX96 = args.sqrtPriceX96
    pool.tick = args.tick
    pool.token0Price = scale1 / scale0 / (Number(args.sqrtPriceX96) / 2 ** 96) ** 2
  }
  if (eventName === 'Swap' && 'liquidity' in args) {
    pool.liquidity = args.liquidity
    // v4 logs what the swapper gained.
    const sign = 'id' in args ? -1 : 1
    add(sign * Number(args.amount0), sign * Number(args.amount1))
    return trade(Number(args.amount0), Number(args.amount1))
  }
  if (eventName === 'Swap' && 'amount0In' in args) {
    return trade(Number(args.amount0In + args.amount0Out), Number(args.amount1In + args.amount1Out))
  }
  if (eventName === 'Mint' || eventName === 'Burn') {
    const sign = eventName === 'Mint' ? 1 : -1
    addActive(pool, args.tickLower, args.tickUpper, BigInt(sign) * args.amount)
    add(sign * Number(args.amount0), sign * Number(args.amount1))
    return nothingTraded
  }
  if (eventName === 'ModifyLiquidity') {
    const { tickLower, tickUpper, liquidityDelta } = args
    addActive(pool, tickLower, tickUpper, liquidityDelta)
    const [root, low, high] = [Math.sqrt(1.0001 ** pool.tick), ...[tickLower, tickUpper].map((t) => 1.0001 ** (t / 2))]
    const inside = Math.min(Math.max(root, low ?? 0), high ?? Infinity)
    add(
      Number(liquidityDelta) * (1 / inside - 1 / (high ?? inside)),
      Number(liquidityDelta) * (inside - (low ?? inside)),
    )
    return nothingTraded
  }
  return null
}

const nothingTraded: Traded = { amount0: 0, amount1: 0, usd: 0 }

function addActive(pool: PoolRecord, tickLower: number, tickUpper: number, amount: bigint): void {
  if (tickLower <= pool.tick && pool.tick < tickUpper) pool.liquidity += amount
}

function count(
  periods: Map<number, PeriodRecord>,
  startsAt: number,
  pool: PoolRecord,
  traded: Traded,
  tvlUsd: number,
): void {
  const price = pool.token0Price
  const fresh = {
    startsAt,
    open: price,
    high: price,
    low: price,
    volume0: 0,
    volume1: 0,
    volumeUsd: 0,
    transactions: 0,
  }
  const period = periods.get(startsAt) ?? fresh
  pool.transactions += 1
  const { sqrtPriceX96, liquidity, tick, amount0, amount1 } = pool
  periods.set(startsAt, {
    ...period,
    sqrtPriceX96,
    liquidity,
    tick,
    amount0,
    amount1,
    tvlUsd,
    high: Math.max(period.high, price),
    low: Math.min(period.low, price),
    close: price,
    token0Price: price,
    volume0: period.volume0 + traded.amount0,
    volume1: period.volume1 + traded.amount1,
    volumeUsd: period.volumeUsd + traded.usd,
    transactions: period.transactions + 1,
  })
}

type Usd = ReturnType<typeof createUsd>

const dollars = new Set(['USDC', 'USDT', 'DAI'])

/** Dollars by the latest trade against a token of known price, stable tokens being one dollar. */
function createUsd(ether: readonly string[]) {
  const known = new Map<string, number>()
  const keyOf = (token: TokenRecord) => (ether.includes(token.id) ? 'ether' : token.id)
  const of = (token: TokenRecord) => (dollars.has(token.symbol) ? 1 : (known.get(keyOf(token)) ?? 0))
  const followed = new Set(['WETH', 'ETH', 'WBTC'])
  return {
    of,
    learn({ token0, token1, token0Price }: PoolRecord) {
      if (token0Price === 0) return
      const [usd0, usd1] = [of(token0), of(token1)]
      if (usd1 > 0 && followed.has(token0.symbol) && !followed.has(token1.symbol))
        known.set(keyOf(token0), usd1 / token0Price)
      else if (usd0 > 0 && followed.has(token1.symbol) && !followed.has(token0.symbol))
        known.set(keyOf(token1), usd0 * token0Price)
      else if (token0.symbol === 'WBTC' && usd1 > 0) known.set(keyOf(token0), usd1 / token0Price)
      else if (token1.symbol === 'WBTC' && usd0 > 0) known.set(keyOf(token1), usd0 * token0Price)
    },
    /** The mean of both sides, as far as they are priced. */
    traded({ token0, token1 }: PoolRecord, amount0: number, amount1: number): number {
      const sides = [amount0 * of(token0), amount1 * of(token1)].filter((side) => side > 0)
      return sides.length === 0 ? 0 : sides.reduce((sum, side) => sum + side, 0) / sides.length
    },
    held: ({ token0, token1, amount0, amount1 }: PoolRecord) => amount0 * of(token0) + amount1 * of(token1),
  }
}

/** What AMM contracts logged in a range of blocks, in the order of the chain. */
export async function readEvents(client: ChainClient, fromBlock: bigint, toBlock: bigint) {
  return await client.getLogs({ events, fromBlock, toBlock, strict: true })
}

type AmmEvent = Awaited<ReturnType<typeof readEvents>>[number]

const events = parseAbi([
  'event PairCreated(address indexed token0, address indexed token1, address pair, uint256 count)',
  'event Sync(uint112 reserve0, uint112 reserve1)',
  'event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)',
  'event PoolCreated(address indexed token0, address indexed token1, uint24 indexed fee, int24 tickSpacing, address pool)',
  'event Initialize(uint160 sqrtPriceX96, int24 tick)',
  'event Mint(address sender, address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)',
  'event Burn(address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)',
  'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)',
  'event Initialize(bytes32 indexed id, address indexed currency0, address indexed currency1, uint24 fee, int24 tickSpacing, address hooks, uint160 sqrtPriceX96, int24 tick)',
  'event ModifyLiquidity(bytes32 indexed id, address indexed sender, int24 tickLower, int24 tickUpper, int256 liquidityDelta, bytes32 salt)',
  'event Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint24 fee)',
])
