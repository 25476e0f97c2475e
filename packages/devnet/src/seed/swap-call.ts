import { type Address, encodeAbiParameters, encodeFunctionData, parseAbiParameters, zeroAddress } from 'viem'
import { swapRouter02Abi, universalRouterAbi, v2RouterAbi } from '../abis.ts'
import type { Call } from '../chain/block-writer.ts'
import { arbitragedPools } from '../chain/fund.ts'
import { arbitrageur } from '../contracts.gen.ts'
import { noDeadline } from './add-liquidity-calls.ts'
import type { Layout, PlacedPool } from './layout.ts'
import { rawPrice, toSqrtPriceX96, type UsdPrices } from './prices.ts'

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
