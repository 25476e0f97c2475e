import { isAddressEqual } from 'viem'
import type { Pool, Quote, Token, Version } from '../../ports.ts'
import { v2RouterAbi } from '../../abis/v2.ts'
import { v3QuoterV2Abi } from '../../abis/v3.ts'
import { v4QuoterAbi } from '../../abis/v4.ts'
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
