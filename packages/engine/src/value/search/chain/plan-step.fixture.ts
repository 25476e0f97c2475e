import { getSqrtPriceAtTick, priceFromSqrtPrice } from '@svc/lp-math'
import type { Address } from 'viem'
import { priceImpactBps } from '../../../../../amm/src/liquidity/quotes/route-cost.ts'
import { routeQuery } from '../../../../../amm/src/liquidity/quotes/route-query.ts'
import { readQuery } from '../../../../../amm/src/rpc/query.ts'
import { type Intent, type PairShare, type Position, type Quote, type Token, ToolError, type Version } from '@svc/amm'
import type { Pipeline } from '../../../fixtures/open-pipeline.fixture.ts'
import type { Step } from '../world/sim-world.fixture.ts'
import type { ChainMarket } from './open-market.fixture.ts'

/** What the server's own planners make of a decision of the search, at the chain's head: the same call on the same pools. */
export async function planStep(pipeline: Pipeline, market: ChainMarket, step: Step): Promise<Intent> {
  const { timestamp, number } = await pipeline.rpc.head(pipeline.chain)
  const { slippageBps } = step.amounts
  const deadline = Number(timestamp) + deadlineSeconds
  const common = { slippageBps: Number(slippageBps), deadline, recipient: pipeline.wallet }
  if (step.what.startsWith('decide swap')) return planSwap(pipeline, market, step, { ...common, blockNumber: number })
  if (step.what.startsWith('decide remove')) return planRemoval(pipeline, market, step, common)
  return planDeposit(pipeline, market, step, common)
}

type Common = { readonly slippageBps: number; readonly deadline: number; readonly recipient: Address }

async function planSwap(
  pipeline: Pipeline,
  market: ChainMarket,
  { pool, amounts }: Step,
  { blockNumber, ...common }: Common & { readonly blockNumber: bigint },
): Promise<Intent> {
  const [tokenIn, tokenOut] = await Promise.all([
    tokenOf(pipeline, amounts['tokenIn']),
    tokenOf(pipeline, amounts['tokenOut']),
  ])
  const sold = { tokenIn, amountIn: BigInt(amounts['amountIn'] ?? 0) }
  const quote = await quoteThrough(pipeline, market, pool.split(' '), sold, blockNumber)
  return (await pipeline.liquidity.planSwap(pipeline.chain, quote, { tokenIn, tokenOut, ...common })).intent
}

async function planDeposit(pipeline: Pipeline, market: ChainMarket, step: Step, common: Common): Promise<Intent> {
  const { version, token0: symbol0, token1: symbol1, fee } = step.amounts
  const amounts = { amount0: BigInt(step.amounts['amount0'] ?? 0), amount1: BigInt(step.amounts['amount1'] ?? 0) }
  if (step.what.startsWith('decide increase')) {
    const position = await positionOf(pipeline, market, step)
    if (position.version !== 'v2') {
      const wanted = { ...amounts, payNative: false, ...common }
      return (await pipeline.liquidity.planIncrease(pipeline.chain, position, wanted)).intent
    }
  }
  const [token0, token1] = await Promise.all([tokenOf(pipeline, symbol0), tokenOf(pipeline, symbol1)])
  const priceAt = (tick: string | number) =>
    priceFromSqrtPrice(getSqrtPriceAtTick(Number(tick)), token0.decimals, token1.decimals)
  const { tickLower, tickUpper } = step.amounts
  const range =
    tickLower === undefined || tickUpper === undefined
      ? null
      : Number(tickLower) === -Number(tickUpper) && Number(tickUpper) > fullRangeFrom
        ? 'full'
        : { priceLower: priceAt(tickLower), priceUpper: priceAt(tickUpper) }
  const place = { version: version as Version, token0, token1, fee: version === 'v2' ? null : Number(fee), hooks: null }
  return (await pipeline.liquidity.planAdd(pipeline.chain, { ...place, ...amounts, range, ...common })).intent
}

/** Of every tick spacing, the full range ends above. */
const fullRangeFrom = 887_000

async function planRemoval(pipeline: Pipeline, market: ChainMarket, step: Step, common: Common): Promise<Intent> {
  const position = await positionOf(pipeline, market, step)
  const held = position.version === 'v2' ? position.shares : position.liquidity
  const percentage = Math.min(100, (Number(step.amounts['liquidity'] ?? 0) / Number(held)) * 100)
  return (await pipeline.liquidity.planRemove(pipeline.chain, position, { percentage, collectFees: true, ...common }))
    .intent
}

async function positionOf(
  pipeline: Pipeline,
  market: ChainMarket,
  { pool: name, amounts }: Step,
): Promise<Position | PairShare> {
  const { items } = await pipeline.liquidity.positionsByOwner(pipeline.chain, pipeline.wallet, ['v2', 'v3', 'v4'])
  const id = market.pools.get(name)?.id.toLowerCase()
  const position = items.find((item) => {
    if (item.pool.id.toLowerCase() !== id) return false
    return item.version === 'v2' || (item.tickLower === amounts['tickLower'] && item.tickUpper === amounts['tickUpper'])
  })
  // Of what the pipeline refused before.
  if (position === undefined) throw new ToolError('POSITION_NOT_FOUND', `The agent has no such position in ${name}.`)
  return position
}

/** As the policy has it. */
const deadlineSeconds = 600

/** What pools by their names give, one after the other. */
async function quoteThrough(
  pipeline: Pipeline,
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
    const pool = await pipeline.liquidity.pool(pipeline.chain, place)
    const tokenOut = pool.token0.address === entering.address ? pool.token1 : pool.token0
    hops.push({ pool, tokenIn: entering, tokenOut })
    entering = tokenOut
  }
  const version = hops[0]?.pool.version ?? 'v3'
  const query = routeQuery(pipeline.chain, { version, hops }, { side: 'in', amount: amountIn })
  const answer = await readQuery(pipeline.rpc.client(pipeline.chain), pipeline.chain, query, blockNumber)
  if (answer === null) throw new TypeError(`The pools ${names.join(', ')} do not take the amount`)
  const { amountOut } = answer
  const impactBps = priceImpactBps(hops, amountIn, amountOut)
  return { amountIn, amountOut, route: hops, version, priceImpactBps: impactBps, gasEstimate: 0n, blockNumber }
}

function tokenOf(pipeline: Pipeline, symbol: string | number | undefined): Promise<Token> {
  return pipeline.tokens.byAddress(pipeline.chain, pipeline.token(`${symbol}`))
}
