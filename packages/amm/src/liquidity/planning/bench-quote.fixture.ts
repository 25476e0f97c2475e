import { isAddressEqual } from 'viem'
import type { Pool, Quote, Token, Version } from '../../ports.ts'
import { v2RouterAbi } from '../../abis/v2.ts'
import { v3QuoterV2Abi } from '../../abis/v3.ts'
import { v4QuoterAbi } from '../../abis/v4.ts'
import { readQuery } from '../../rpc/query.ts'
import { routeQuery } from '../quotes/route-query.ts'
import { poolKeyOf } from '../v4/pool-key.ts'
import type { Bench } from './bench.fixture.ts'

/** A quote along a path of tokens, asked of the quoter contracts pool by pool. */
export async function benchQuote(
  bench: Bench,
  version: Version,
  path: readonly Token[],
  amountIn: bigint,
  fee = version === 'v2' ? 3000 : 500,
): Promise<Quote> {
  const route: { pool: Pool; tokenIn: Token; tokenOut: Token }[] = []
  let amount = amountIn
  for (const [index, tokenOut] of path.slice(1).entries()) {
    const tokenIn = path[index]!
    const pools = await bench.liquidity.findPools(bench.chain, tokenIn, tokenOut, [version])
    const pool = pools.find((candidate) => candidate.fee === fee) ?? pools[0]!
    amount = await amountOut(bench, pool, tokenIn, amount)
    route.push({ pool, tokenIn, tokenOut })
  }
  return { amountIn, amountOut: amount, route, version, priceImpactBps: 0, gasEstimate: 0n, blockNumber: 0n }
}

/** The same for an exact output, which the quoters tell of the route as a whole. */
export async function benchQuoteOut(
  bench: Bench,
  version: Version,
  path: readonly Token[],
  amountOut: bigint,
): Promise<Quote> {
  const one = 10n ** BigInt(path[0]!.decimals)
  const { route } = await benchQuote(bench, version, path, one / 100n)
  const query = routeQuery(
    bench.chain,
    { version, hops: heldAlong(bench, version, route) },
    { side: 'out', amount: amountOut },
  )
  const answer = await readQuery(bench.client, bench.chain, query, await bench.client.getBlockNumber())
  return { ...answer!, isExactOut: true, route, version, priceImpactBps: 0, gasEstimate: 0n, blockNumber: 0n }
}

/** Hops by the tokens that the pools hold. */
export function heldAlong({ tokens, chain }: Bench, version: Version, route: Quote['route']): Quote['route'] {
  const held = (token: Token) => (token.isNative && version !== 'v4' ? tokens.wrapped(chain) : token)
  return route.map(({ pool, tokenIn, tokenOut }) => ({ pool, tokenIn: held(tokenIn), tokenOut: held(tokenOut) }))
}

async function amountOut(bench: Bench, pool: Pool, token: Token, amountIn: bigint): Promise<bigint> {
  const { amm } = bench.chain
  const held = token.isNative && pool.version !== 'v4' ? bench.tokens.wrapped(bench.chain) : token
  const zeroForOne = isAddressEqual(pool.token0.address, held.address)
  const tokenOut = zeroForOne ? pool.token1 : pool.token0
  if (pool.version === 'v2') {
    const amounts = await bench.client.readContract({
      address: amm.v2!.router,
      abi: v2RouterAbi,
      functionName: 'getAmountsOut',
      args: [amountIn, [held.address, tokenOut.address]],
    })
    return amounts[1]!
  }
  if (pool.version === 'v3') {
    const { result } = await bench.client.simulateContract({
      address: amm.v3!.quoterV2,
      abi: v3QuoterV2Abi,
      functionName: 'quoteExactInputSingle',
      args: [{ tokenIn: held.address, tokenOut: tokenOut.address, amountIn, fee: pool.fee, sqrtPriceLimitX96: 0n }],
    })
    return result[0]
  }
  const { result } = await bench.client.simulateContract({
    address: amm.v4!.quoter,
    abi: v4QuoterAbi,
    functionName: 'quoteExactInputSingle',
    args: [{ poolKey: poolKeyOf(pool), zeroForOne, exactAmount: amountIn, hookData: '0x' }],
  })
  return result[0]
}
