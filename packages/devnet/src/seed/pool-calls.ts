import { type Address, encodeAbiParameters, encodeFunctionData, parseAbiParameters, zeroAddress } from 'viem'
import {
  v2RouterAbi,
  v3PoolAbi,
  v3PositionManagerAbi,
  v4PoolManagerAbi,
  v4PositionManagerAbi,
  swapRouter02Abi,
  universalRouterAbi,
} from '../abis.ts'
import type { Call } from '../chain/block-writer.ts'
import type { Layout, PlacedPool } from './layout.ts'
import { rawPrice, toSqrtPriceX96, unitsFor, type UsdPrices } from './market.ts'
import { arbitrageur } from '../contracts.gen.ts'

/** The calls that create a pool at the market's price. A v2 pair is created by its first liquidity. */
export function createPoolCalls(layout: Layout, pool: PlacedPool, usd: UsdPrices): readonly Call[] {
  const from = layout.roles.bank
  const sqrtPriceX96 = toSqrtPriceX96(rawPrice(pool, usd))
  const what = `create ${pool.version} ${pool.base}/${pool.quote}`
  if (pool.version === 'v2') return []
  if (pool.version === 'v4') {
    const data = encodeFunctionData({
      abi: v4PoolManagerAbi,
      functionName: 'initialize',
      args: [poolKey(pool), sqrtPriceX96],
    })
    return [{ from, to: layout.contracts.poolManager, data, gas: 300_000n, what }]
  }
  const create = encodeFunctionData({
    abi: v3PositionManagerAbi,
    functionName: 'createAndInitializePoolIfNecessary',
    args: [pool.token0, pool.token1, pool.fee, sqrtPriceX96],
  })
  return [{ from, to: layout.contracts.v3PositionManager, data: create, gas: 6_000_000n, what }]
}

/**
 * Makes room in the oracles of the v3 pools. Anvil hashes the whole state for each block, so a month of blocks is
 * written with little room, and more is made at the end.
 */
export function growOracleCalls(layout: Layout, entriesOf: (pool: PlacedPool) => number): readonly Call[] {
  return layout.pools
    .filter((pool) => pool.version === 'v3')
    .map((pool) => ({
      from: layout.roles.bank,
      to: pool.id,
      data: encodeFunctionData({
        abi: v3PoolAbi,
        functionName: 'increaseObservationCardinalityNext',
        args: [entriesOf(pool)],
      }),
      gas: 100_000n + 23_000n * BigInt(entriesOf(pool)),
      what: `oracle of ${pool.base}/${pool.quote} ${pool.fee}`,
    }))
}

/** The calls that put the pool's whole liquidity in place at the market's price, each range by another provider. */
export function addLiquidityCalls(layout: Layout, pool: PlacedPool, usd: UsdPrices): readonly Call[] {
  const { providers } = layout.roles
  const provider = (index: number): Address => providers[index % providers.length] ?? layout.roles.bank
  if (pool.version === 'v2') return [addToPair(layout, pool, usd, provider(0))]
  return pool.ranges.map(({ widthPct, share }, index) =>
    addRangeCall(layout, pool, { usd, from: provider(index), widthPct, valueUsd: pool.tvlUsd * share }),
  )
}

/** One position around the market's price. */
export function addRangeCall(layout: Layout, pool: PlacedPool, range: RangeRequest): Call {
  const { tickLower, tickUpper } = ticksAround(pool, rawPrice(pool, range.usd), range.widthPct)
  const { liquidity, amount0, amount1 } = amountsFor(pool, range, tickLower, tickUpper)
  const what = `add ${pool.version} ${pool.base}/${pool.quote} ${tickLower}..${tickUpper}`
  if (pool.version === 'v4') {
    const data = mintV4(pool, range.from, tickLower, tickUpper, liquidity)
    const value = pool.token0 === zeroAddress ? amount0 + amount0 / 50n : 0n
    return { from: range.from, to: layout.contracts.v4PositionManager, data, value, gas: 700_000n, what }
  }
  const data = encodeFunctionData({
    abi: v3PositionManagerAbi,
    functionName: 'mint',
    args: [
      {
        token0: pool.token0,
        token1: pool.token1,
        fee: pool.fee,
        tickLower,
        tickUpper,
        amount0Desired: amount0,
        amount1Desired: amount1,
        amount0Min: 0n,
        amount1Min: 0n,
        recipient: range.from,
        deadline: noDeadline,
      },
    ],
  })
  return { from: range.from, to: layout.contracts.v3PositionManager, data, gas: 700_000n, what }
}

export type RangeRequest = {
  readonly usd: UsdPrices
  readonly from: Address
  /** Half width in percent of the price; `null` for the full range. */
  readonly widthPct: number | null
  readonly valueUsd: number
}

export const noDeadline = 2n ** 48n - 1n

export function poolKey(pool: PlacedPool) {
  const { token0, token1, fee, hooks } = pool
  return { currency0: token0, currency1: token1, fee, tickSpacing: pool.tickSpacing ?? 0, hooks }
}

function addToPair(layout: Layout, pool: PlacedPool, usd: UsdPrices, from: Address): Call {
  const amount = (asset: PlacedPool['asset0']) => unitsFor(asset, pool.tvlUsd / 2, usd)
  const data = encodeFunctionData({
    abi: v2RouterAbi,
    functionName: 'addLiquidity',
    args: [pool.token0, pool.token1, amount(pool.asset0), amount(pool.asset1), 0n, 0n, from, noDeadline],
  })
  return { from, to: layout.contracts.v2Router, data, gas: 4_000_000n, what: `add v2 ${pool.base}/${pool.quote}` }
}

/** The calldata of a position in a v4 pool, for its position manager. */
export function mintV4(
  pool: Pick<PlacedPool, 'token0' | 'token1' | 'fee' | 'tickSpacing' | 'hooks'>,
  owner: Address,
  tickLower: number,
  tickUpper: number,
  liquidity: bigint,
) {
  const maximum = 2n ** 128n - 1n
  const mint = encodeAbiParameters(
    parseAbiParameters(
      '(address,address,uint24,int24,address) key, int24 tickLower, int24 tickUpper, uint256 liquidity, uint128 amount0Max, uint128 amount1Max, address owner, bytes hookData',
    ),
    [
      [pool.token0, pool.token1, pool.fee, pool.tickSpacing ?? 0, pool.hooks],
      tickLower,
      tickUpper,
      liquidity,
      maximum,
      maximum,
      owner,
      '0x',
    ],
  )
  const settlePair = encodeAbiParameters(parseAbiParameters('address, address'), [pool.token0, pool.token1])
  const sweep = encodeAbiParameters(parseAbiParameters('address, address'), [pool.token0, owner])
  // MINT_POSITION 02, SETTLE_PAIR 0d, SWEEP 14 (v4-periphery, Actions)
  const unlockData = encodeAbiParameters(parseAbiParameters('bytes, bytes[]'), ['0x020d14', [mint, settlePair, sweep]])
  return encodeFunctionData({
    abi: v4PositionManagerAbi,
    functionName: 'modifyLiquidities',
    args: [unlockData, noDeadline],
  })
}

function ticksAround(pool: PlacedPool, price: number, widthPct: number | null) {
  const spacing = pool.tickSpacing ?? 1
  const maxTick = Math.floor(887_272 / spacing) * spacing
  if (widthPct === null) return { tickLower: -maxTick, tickUpper: maxTick }
  const tick = (at: number) => Math.log(at) / Math.log(1.0001)
  const half = tick(1 + widthPct / 100)
  return {
    tickLower: Math.floor((tick(price) - half) / spacing) * spacing,
    tickUpper: Math.ceil((tick(price) + half) / spacing) * spacing,
  }
}

/** Liquidity and amounts of a position by its dollar value (Uniswap v3 whitepaper, 6.29 and 6.30). */
function amountsFor(pool: PlacedPool, range: RangeRequest, tickLower: number, tickUpper: number) {
  const root = Math.sqrt(rawPrice(pool, range.usd))
  const lower = 1.0001 ** (tickLower / 2)
  const upper = 1.0001 ** (tickUpper / 2)
  const per0 = 1 / root - 1 / upper
  const per1 = root - lower
  const dollarUnits = (asset: PlacedPool['asset0']) => Number(unitsFor(asset, 1e6, range.usd)) / 1e6
  const liquidity = range.valueUsd / (per0 / dollarUnits(pool.asset0) + per1 / dollarUnits(pool.asset1))
  const units = (value: number) => BigInt(Math.floor(value))
  return { liquidity: units(liquidity), amount0: units(liquidity * per0), amount1: units(liquidity * per1) }
}

/** A swap in one pool as a person's wallet sends it: through the router of the pool's version, at any price. */
export function swapCall(layout: Routers, pool: TradedPool, swap: Swap): Call {
  return {
    ...encoders[pool.version](layout, pool, swap),
    from: swap.from,
    what: `swap in ${pool.version} ${pool.base}/${pool.quote} ${pool.fee}`,
  }
}

type Swap = {
  readonly from: Address
  /** Whether the pool's token0 goes in. */
  readonly zeroForOne: boolean
  readonly amountIn: bigint
}

type Routers = {
  readonly contracts: Pick<Layout['contracts'], 'v2Router' | 'swapRouter02' | 'universalRouter'>
}

type TradedPool = Pick<PlacedPool, 'version' | 'token0' | 'token1' | 'fee' | 'tickSpacing'> & {
  readonly base: string
  readonly quote: string
}

type Encoder = (layout: Routers, pool: TradedPool, swap: Swap) => Pick<Call, 'to' | 'data' | 'value' | 'gas'>

const encoders: Readonly<Record<PlacedPool['version'], Encoder>> = {
  v2: ({ contracts }, pool, { from, zeroForOne, amountIn }) => ({
    to: contracts.v2Router,
    gas: 400_000n,
    data: encodeFunctionData({
      abi: v2RouterAbi,
      functionName: 'swapExactTokensForTokensSupportingFeeOnTransferTokens',
      args: [amountIn, 0n, path(pool, zeroForOne), from, noDeadline],
    }),
  }),
  v3: ({ contracts }, pool, { from, zeroForOne, amountIn }) => {
    const [tokenIn, tokenOut] = path(pool, zeroForOne)
    const order = { tokenIn, tokenOut, fee: pool.fee, recipient: from, amountIn }
    return {
      to: contracts.swapRouter02,
      gas: 600_000n,
      data: encodeFunctionData({
        abi: swapRouter02Abi,
        functionName: 'exactInputSingle',
        args: [{ ...order, amountOutMinimum: 0n, sqrtPriceLimitX96: 0n }],
      }),
    }
  },
  v4: ({ contracts }, pool, { zeroForOne, amountIn }) => {
    const [tokenIn, tokenOut] = path(pool, zeroForOne)
    const key = [pool.token0, pool.token1, pool.fee, pool.tickSpacing ?? 0, zeroAddress] as const
    const swap = encodeAbiParameters(parseAbiParameters(v4SwapParameters), [
      { key, zeroForOne, amountIn, amountOutMinimum: 0n, hookData: '0x' },
    ])
    const settle = encodeAbiParameters(parseAbiParameters('address, uint256'), [tokenIn, amountIn])
    const take = encodeAbiParameters(parseAbiParameters('address, uint256'), [tokenOut, 0n])
    // Command V4_SWAP 10; actions SWAP_EXACT_IN_SINGLE 06, SETTLE_ALL 0c, TAKE_ALL 0f
    const input = encodeAbiParameters(parseAbiParameters('bytes, bytes[]'), ['0x060c0f', [swap, settle, take]])
    return {
      to: contracts.universalRouter,
      gas: 600_000n,
      value: tokenIn === zeroAddress ? amountIn : 0n,
      data: encodeFunctionData({
        abi: universalRouterAbi,
        functionName: 'execute',
        args: ['0x10', [input], noDeadline],
      }),
    }
  },
}

/** The swap struct of routers up to 2.1.0. */
const v4SwapParameters =
  '((address,address,uint24,int24,address) key, bool zeroForOne, uint128 amountIn, uint128 amountOutMinimum, bytes hookData)'

function path(pool: TradedPool, zeroForOne: boolean): readonly [Address, Address] {
  return zeroForOne ? [pool.token0, pool.token1] : [pool.token1, pool.token0]
}

/** Brings pools back into their bands around the market's prices. Pools outside `only` are left alone. */
export function arbitrageCall(layout: Layout, usd: UsdPrices, only?: ReadonlySet<PlacedPool>): Call {
  const targets = arbitragedPools(layout).map((pool) =>
    only && !only.has(pool) ? 0n : toSqrtPriceX96(rawPrice(pool, usd)),
  )
  return {
    from: layout.roles.deployer,
    to: layout.contracts.arbitrageur,
    data: encodeFunctionData({ abi: arbitrageur.abi, functionName: 'arbitrage', args: [targets] }),
    gas: 8_000_000n,
    what: 'arbitrage',
  }
}

/** Tells the arbitrageur which pools it looks after, in the order of `layout.pools` less those without a band, the hooked one last. */
export function venueCall(layout: Layout): Call {
  const version = { v2: 2, v3: 3, v4: 4 } as const
  const venues = arbitragedPools(layout).map((pool) => ({
    version: version[pool.version],
    bandBps: pool.bandBps ?? 0,
    pool: pool.version === 'v4' ? zeroAddress : pool.id,
    key: poolKey(pool),
  }))
  const data = encodeFunctionData({ abi: arbitrageur.abi, functionName: 'addVenues', args: [venues] })
  return { from: layout.roles.deployer, to: layout.contracts.arbitrageur, data, gas: 5_000_000n, what: 'add venues' }
}

function arbitragedPools(layout: Layout): readonly PlacedPool[] {
  return [...layout.pools, layout.twamm.pool].filter((pool) => pool.bandBps !== null)
}
