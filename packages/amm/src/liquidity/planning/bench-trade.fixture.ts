import type { Settled } from '../../intent.ts'
import type { Token, Version } from '../../ports.ts'
import type { Bench } from './bench.fixture.ts'
import { benchQuote } from './bench-quote.fixture.ts'

/** Swaps at any price: how a test lets others trade. */
export async function benchTrade(
  bench: Bench,
  version: Version,
  tokenIn: Token,
  tokenOut: Token,
  amountIn: bigint,
  fee?: number,
): Promise<Settled> {
  const quote = await benchQuote(bench, version, [tokenIn, tokenOut], amountIn, fee)
  const planned = await bench.liquidity.planSwap(bench.chain, quote, {
    tokenIn,
    tokenOut,
    slippageBps: 5_000,
    deadline: bench.deadline,
    recipient: bench.address,
  })
  return await bench.run(planned.intent)
}
