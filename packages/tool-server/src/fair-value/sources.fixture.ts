import type { Devnet } from '@svc/devnet'
import { createPriceMemory } from '@svc/amm/prices'
import {
  createPricedDevnet,
  type PricedDevnet,
  type PricedOptions,
} from '../../../amm/src/prices/priced-devnet.fixture.ts'
import type { Intent, PriceSource } from '@svc/amm'
import type { Pipeline, PipelineOptions } from '../../../engine/src/fixtures/open-pipeline.fixture.ts'
import { craftedIntent, sum, swapRouter, v3Single } from './attack-calls.fixture.ts'
import { testClient } from './attack-kit.fixture.ts'
import type { Stage } from './attack-row.fixture.ts'
import { chainDeadline, lenient } from './plans.fixture.ts'
import { openV3Pool, units } from './stranger.fixture.ts'

type Named = NonNullable<PricedOptions['named']>

/** A pipeline whose prices rest on these sources alone. */
export function sourced(named: Named, policy: PipelineOptions['policy'] = lenient, more: Partial<PricedOptions> = {}) {
  return (devnet: Devnet): PipelineOptions => ({
    ...pipelineOf(createPricedDevnet(devnet, { named, ...more })),
    policy,
  })
}

/** Prices are read as if a block came every minute; the rest need not wait for it. */
function pipelineOf({ chain, prices }: PricedDevnet): Pick<PipelineOptions, 'chain' | 'engine'> {
  const usd: PriceSource['usd'] = (_chain, token, at) => prices.usd(chain, token, at)
  const doubt: PriceSource['doubt'] = (_chain, token, at) => prices.doubt(chain, token, at)
  return { chain: { ...chain, blockTimeSeconds: 1 }, engine: { prices: { ...prices, usd, doubt } } }
}

/** The same, and the server remembers what it has seen; nobody is asked before that is enough. */
export function remembering(named: Named) {
  return sourced(
    named,
    { ...lenient, unnamedSales: 'allow' },
    { memory: createPriceMemory({ store: () => null, now: Date.now }) },
  )
}

/** Ether is priced by a pool whose past the endpoint does not have. */
export function coldly(coldStartUsd: string) {
  return (devnet: Devnet): PipelineOptions => {
    const priced = createPricedDevnet(devnet, { named: { WETH: { pools: ['v4 WETH/USDC 0.05 %'] } } })
    priced.network.losesPast = true
    return { ...pipelineOf(priced), policy: { ...lenient, coldStartUsd } }
  }
}

export function feedOf(devnet: Devnet, symbol: string) {
  const feed = devnet.chain.tokens.find((token) => token.symbol === symbol)?.priceSources?.feed
  if (feed === undefined) throw new TypeError(`The local chain names no feed of ${symbol}`)
  return feed
}

/** A block every minute. The last is mined by itself, so that the chain's clock runs on from there. */
export async function passTime({ pipeline, devnet }: Stage, minutes: number): Promise<void> {
  const { timestamp } = await pipeline.rpc.client(pipeline.chain).getBlock()
  if (minutes > 1) await testClient(devnet).mine({ blocks: minutes - 1, interval: 60 })
  await devnet.mineTo(Number(timestamp) + minutes * 60)
}

/** Its last answer is of two days ago. */
export async function stopFeed({ pipeline, devnet }: Stage, usd: number): Promise<void> {
  const { timestamp } = await pipeline.rpc.client(pipeline.chain).getBlock()
  devnet.feeds.ETH.stop()
  await devnet.feeds.ETH.post(usd, { updatedAt: Number(timestamp) - 2 * 86_400 })
}

/** 30,000 USDT that would buy at a dollar apiece, in a pool that did not stand before. */
export async function parkOneSided(stage: Stage, base: string): Promise<void> {
  const { pipeline, stranger } = stage
  const pool = await openV3Pool(stage, base, 'USDT', 3_000, 1)
  const isBaseFirst = pool.token0 === pipeline.token(base)
  const near = Math.floor(pool.tick / 60) * 60
  const ticks = isBaseFirst
    ? { tickLower: near - 600, tickUpper: near }
    : { tickLower: near + 60, tickUpper: near + 660 }
  const [amount0Desired, amount1Desired] = isBaseFirst ? [0n, units('USDT', '30000')] : [units('USDT', '30000'), 0n]
  const { token0, token1 } = pool
  await stranger.mintV3({ token0, token1, fee: 3_000, ...ticks, amount0Desired, amount1Desired })
}

/** So many bitcoins, and as much of USDC, over all prices. */
export async function openDeepPool(stage: Stage, price: number, bitcoins = '10'): Promise<void> {
  const { token0, token1 } = await openV3Pool(stage, 'WBTC', 'USDC', 3_000, price)
  const [wbtc, usdc] = [units('WBTC', bitcoins), units('USDC', `${Number(bitcoins) * price}`)]
  const isBaseFirst = token0 === stage.pipeline.token('WBTC')
  const amounts = { amount0Desired: isBaseFirst ? wbtc : usdc, amount1Desired: isBaseFirst ? usdc : wbtc }
  await stage.stranger.mintV3({ token0, token1, fee: 3_000, tickLower: -887_220, tickUpper: 887_220, ...amounts })
}

/** Through the pool of 0.3 %, of a bitcoin that the wallet is given. */
export async function sellBitcoin({ pipeline, devnet }: Stage, amount: string, least = 0n): Promise<Intent> {
  if ((await pipeline.balance('WBTC')) === 0n) await devnet.fund(pipeline.wallet, { WBTC: '1' })
  const amountIn = units('WBTC', amount)
  return traded(pipeline, { tokenIn: 'WBTC', tokenOut: 'WETH', fee: 3_000, amountIn, least })
}

export async function traded(pipeline: Pipeline, swap: Parameters<typeof v3Single>[1]): Promise<Intent> {
  const deadline = await chainDeadline(pipeline)
  const intent = craftedIntent(pipeline, [swapRouter(pipeline, [v3Single(pipeline, swap)], 0n, deadline)], {
    spends: [sum(pipeline, swap.tokenIn, swap.amountIn)],
  })
  return { ...intent, deadline: Number(deadline) }
}
