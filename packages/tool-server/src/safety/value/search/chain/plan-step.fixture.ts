import { priceImpactBps } from '../../../../adapters/liquidity/quotes/mid-amount-out.ts'
import { routeQuery } from '../../../../adapters/liquidity/quotes/route-query.ts'
import { readQuery } from '../../../../adapters/rpc/read-query.ts'
import type { Intent } from '../../../../intent.ts'
import type { Quote, Token } from '../../../../ports.ts'
import type { Road } from '../../../open-road.fixture.ts'
import type { Step } from '../world/sim-world.fixture.ts'
import type { ChainMarket } from './open-market.fixture.ts'

/** What the server's own planners make of a decision of the search, at the chain's head: the same call through the same pools. */
export async function planStep(road: Road, market: ChainMarket, step: Step): Promise<Intent> {
  const { timestamp, number } = await road.rpc.head(road.chain)
  const { tokenIn, tokenOut, amountIn, slippageBps } = step.amounts
  if (tokenIn === undefined || tokenOut === undefined) throw new TypeError(`No chain does "${step.what}" again yet`)
  const [sold, bought] = await Promise.all([tokenIn, tokenOut].map((symbol) => tokenOf(road, `${symbol}`)))
  const quote = await quoteThrough(
    road,
    market,
    step.pool.split(' '),
    { tokenIn: sold!, amountIn: BigInt(amountIn ?? 0) },
    number,
  )
  const { intent } = await road.liquidity.planSwap(road.chain, quote, {
    tokenIn: sold!,
    tokenOut: bought!,
    slippageBps: Number(slippageBps),
    deadline: Number(timestamp) + deadlineSeconds,
    recipient: road.wallet,
  })
  return intent
}

/** As the policy has it. */
const deadlineSeconds = 600

/** What pools by their names give, one after the other. */
async function quoteThrough(
  road: Road,
  market: ChainMarket,
  names: readonly string[],
  { tokenIn, amountIn }: { readonly tokenIn: Token; readonly amountIn: bigint },
  blockNumber: bigint,
): Promise<Quote> {
  const hops: Quote['route'][number][] = []
  let entering = tokenIn
  for (const name of names) {
    const place = market.pools.get(name)
    if (place === undefined) throw new TypeError(`There is no pool ${name}`)
    const pool = await road.liquidity.pool(road.chain, place)
    const tokenOut = pool.token0.address === entering.address ? pool.token1 : pool.token0
    hops.push({ pool, tokenIn: entering, tokenOut })
    entering = tokenOut
  }
  const version = hops[0]?.pool.version ?? 'v3'
  const query = routeQuery(road.chain, { version, hops }, amountIn)
  const answer = await readQuery(road.rpc.client(road.chain), road.chain, query, blockNumber)
  if (answer === null) throw new TypeError(`The pools ${names.join(', ')} do not take the amount`)
  const { amountOut } = answer
  const impactBps = priceImpactBps(hops, amountIn, amountOut)
  return { amountIn, amountOut, route: hops, version, priceImpactBps: impactBps, gasEstimate: 0n, blockNumber }
}

function tokenOf(road: Road, symbol: string): Promise<Token> {
  return road.tokens.byAddress(road.chain, road.token(symbol))
}
