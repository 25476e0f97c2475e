import type { Devnet } from '@svc/devnet'
import { createPriceMemory } from '../../adapters/prices/create-price-memory.ts'
import {
  createPricedDevnet,
  type PricedDevnet,
  type PricedOptions,
} from '../../adapters/prices/priced-devnet.fixture.ts'
import type { Intent } from '../../intent.ts'
import type { PriceSource } from '../../ports.ts'
import type { Road, RoadOptions } from '../open-road.fixture.ts'
import { craftedIntent, sum, swapRouter, v3Single } from './attack-calls.fixture.ts'
import type { AttackRow, Stage } from './attack-row.fixture.ts'
import { newestPosition, planAdd } from './deposit-plans.fixture.ts'
import { chainDeadline, lenient, planSwap } from './plans.fixture.ts'
import { openV3Pool, pushV3, units } from './stranger.fixture.ts'

const bitcoinPool = 'v3 WBTC/WETH 0.3 %'
const etherPools = ['v3 WETH/USDC 0.05 %', 'v3 WETH/USDC 0.3 %']

const small = { perTransaction: '5000', perSession: '5000', daily: '5000' }

/** Prices that somebody forges, or that nobody tells any more. */
export const priceRows: readonly AttackRow[] = [
  {
    what: 'a stranger parks 30,000 dollars at a dollar for a bitcoin, for half an hour: it counts as nothing',
    options: sourced({ WETH: { pools: etherPools }, WBTC: { pools: [bitcoinPool] } }, { ...lenient, limitsUsd: small }),
    attack: async (stage) => {
      await passTime(stage, 5)
      await parkOneSided(stage, 'WBTC')
      await passTime(stage, 35)
      return sellBitcoin(stage, '0.1', units('WETH', '2.98'))
    },
    ends: 'SPENDING_LIMIT_EXCEEDED',
  },
  {
    what: 'the same beside ether freezes no wallet, not under a strict list either',
    options: sourced({ WETH: { pools: etherPools } }, { ...lenient, allowlist: { mode: 'strict' } }),
    attack: async (stage) => {
      await parkOneSided(stage, 'WETH')
      await passTime(stage, 35)
      return planSwap(stage.road, 'USDC', 'WETH', '3000', 'v3')
    },
    ends: { losesAtMostUsd: 5 },
  },
  {
    what: 'the named pool of a token without a feed, pushed in this block',
    options: sourced({ WETH: { pools: etherPools }, WBTC: { pools: [bitcoinPool] } }),
    attack: async (stage) => {
      await passTime(stage, 35)
      await pushV3(stage, 'WBTC', 3_000, 'WETH', '40')
      return sellBitcoin(stage, '0.5')
    },
    ends: 'PRICE_IMPACT_EXCEEDED',
  },
  {
    what: 'its memory pushed out by twelve trades first',
    options: sourced({ WETH: { pools: etherPools }, WBTC: { pools: [bitcoinPool] } }),
    attack: async (stage) => {
      await passTime(stage, 35)
      for (let trade = 0; trade < 12; trade += 1) {
        const [sold, bought, amount] = trade % 2 === 0 ? ['WBTC', 'WETH', '0.5'] : ['WETH', 'WBTC', '15']
        await pushV3(stage, sold!, 3_000, bought!, amount!)
      }
      await pushV3(stage, 'WBTC', 3_000, 'WETH', '40')
      return sellBitcoin(stage, '0.5')
    },
    ends: 'PRICE_IMPACT_EXCEEDED',
  },
  {
    what: 'held off for ten minutes, long enough for part of a mean',
    options: sourced({ WETH: { pools: etherPools }, WBTC: { pools: [bitcoinPool] } }),
    attack: async (stage) => {
      await passTime(stage, 35)
      await pushV3(stage, 'WBTC', 3_000, 'WETH', '12')
      await passTime(stage, 10)
      return sellBitcoin(stage, '0.5')
    },
    ends: 'PRICE_UNAVAILABLE',
  },
  {
    what: 'held off for longer than a mean: what was seen before bounds it',
    options: remembering({ WETH: { pools: etherPools }, WBTC: { pools: [bitcoinPool] } }),
    attack: async (stage) => {
      await passTime(stage, 35)
      await stage.road.run(await sellBitcoin(stage, '0.01', units('WETH', '0.297')))
      await pushV3(stage, 'WBTC', 3_000, 'WETH', '12')
      await passTime(stage, 35)
      return sellBitcoin(stage, '0.5')
    },
    ends: 'PRICE_UNAVAILABLE',
  },
  {
    what: 'a pool made a minute ago beside the named ones, deep and at twice the price',
    options: sourced({ WETH: { pools: etherPools }, WBTC: { pools: [bitcoinPool] } }),
    attack: async (stage) => {
      await passTime(stage, 35)
      await openDeepPool(stage, 180_000)
      const swap = { tokenIn: 'USDC', tokenOut: 'WBTC', fee: 3_000, amountIn: units('USDC', '3000'), least: 0n }
      return traded(stage.road, swap)
    },
    ends: 'PRICE_IMPACT_EXCEEDED',
  },
  {
    what: 'a thin named pool held off for an hour freezes nothing beside a deep one',
    options: sourced({ WETH: { pools: [...etherPools, 'v3 WETH/USDC 1 %'] } }),
    attack: async (stage) => {
      await pushV3(stage, 'WETH', 10_000, 'USDC', '50')
      await passTime(stage, 35)
      return planSwap(stage.road, 'USDC', 'WETH', '3000', 'v3')
    },
    ends: { losesAtMostUsd: 5 },
  },
  {
    what: 'of a token that pools alone price, more than a tenth of their depth',
    options: sourced({ WETH: { pools: etherPools }, WBTC: { pools: ['v3 WBTC/WETH 0.05 %'] } }),
    attack: async (stage) => {
      await passTime(stage, 35)
      return sellBitcoin(stage, '0.4', units('WETH', '11.9'))
    },
    ends: 'APPROVAL_REQUIRED',
  },
  {
    what: 'a feed that is too old, and pools that say the same',
    options: { usd: 'chain' },
    attack: async (stage) => {
      await passTime(stage, 35)
      await stopFeed(stage, 3_000)
      return planSwap(stage.road, 'USDC', 'WETH', '3000', 'v3')
    },
    ends: { losesAtMostUsd: 5 },
  },
  {
    what: 'a feed that is too old, and nothing else',
    options: (devnet) => sourced({ WETH: { feed: feedOf(devnet, 'WETH') } })(devnet),
    attack: async (stage) => {
      await stopFeed(stage, 3_000)
      return planSwap(stage.road, 'USDC', 'WETH', '3000', 'v3')
    },
    ends: 'PRICE_UNAVAILABLE',
  },
  {
    what: 'a feed that answers nothing',
    options: (devnet) => sourced({ WETH: { feed: feedOf(devnet, 'WETH') } })(devnet),
    attack: async ({ road, devnet }) => {
      await devnet.feeds.ETH.post(0)
      return planSwap(road, 'USDC', 'WETH', '3000', 'v3')
    },
    ends: 'PRICE_UNAVAILABLE',
  },
  {
    what: 'a feed while the sequencer is down',
    options: (devnet) => sourced({ WETH: { feed: feedOf(devnet, 'WETH') } })(devnet),
    attack: async ({ road, devnet }) => {
      await devnet.sequencer.set(false)
      return planSwap(road, 'USDC', 'WETH', '3000', 'v3')
    },
    ends: 'PRICE_UNAVAILABLE',
  },
  {
    what: 'a feed that lies by a third, beside pools that do not',
    options: { usd: 'chain' },
    attack: async (stage) => {
      await passTime(stage, 35)
      await stage.devnet.feeds.ETH.lie(0.67)
      return planSwap(stage.road, 'WETH', 'USDC', '1', 'v3')
    },
    ends: 'PRICE_UNAVAILABLE',
  },
  {
    what: 'a feed 4 % too low, and a pool pushed to where it says the market is',
    options: { usd: 'chain' },
    attack: async (stage) => {
      await passTime(stage, 35)
      await stage.devnet.feeds.ETH.lie(0.96)
      await pushV3(stage, 'WETH', 10_000, 'USDC', '2.2')
      const swap = {
        tokenIn: 'WETH',
        tokenOut: 'USDC',
        fee: 10_000,
        amountIn: units('WETH', '1'),
        least: units('USDC', '2700'),
      }
      return traded(stage.road, swap)
    },
    ends: 'VALUE_LOSS_EXCEEDED',
  },
  {
    what: 'a dollar token whose feed says 90 cents is no dollar',
    options: { usd: 'chain' },
    attack: async (stage) => {
      await stage.devnet.feeds.USDT.post(0.9)
      const swap = {
        tokenIn: 'USDC',
        tokenOut: 'USDT',
        fee: 100,
        amountIn: units('USDC', '3000'),
        least: units('USDT', '2990'),
      }
      return traded(stage.road, swap)
    },
    ends: 'PRICE_UNAVAILABLE',
  },
  {
    what: 'ether sold for a dollar token that lost its peg, at the price of a dollar',
    options: (devnet) =>
      sourced({ WETH: { feed: feedOf(devnet, 'WETH') }, USDC: { feed: feedOf(devnet, 'USDC') } })(devnet),
    attack: async ({ road, devnet }) => {
      await devnet.feeds.USDC.post(0.9)
      return planSwap(road, 'WETH', 'USDC', '1', 'v3')
    },
    ends: 'PRICE_IMPACT_EXCEEDED',
  },
  {
    what: 'a cold start: what nothing remembers the price of is sold',
    options: coldly('20000'),
    attack: async ({ road }) => planSwap(road, 'WETH', 'USDC', '1', 'v3'),
    ends: 'PRICE_UNAVAILABLE',
  },
  {
    what: 'a cold start: more than the small budget is paid at prices that nothing remembers',
    options: coldly('1000'),
    attack: async ({ road }) => planSwap(road, 'USDC', 'WETH', '3000', 'v3'),
    ends: 'SPENDING_LIMIT_EXCEEDED',
  },
  {
    what: 'a cold start: within it',
    options: coldly('20000'),
    attack: async ({ road }) => planSwap(road, 'USDC', 'WETH', '3000', 'v3'),
    ends: { losesAtMostUsd: 10 },
  },
  {
    what: 'feeds that nobody answers for any more keep no position from coming home',
    options: (devnet) => sourced({ WETH: { feed: feedOf(devnet, 'WETH') } })(devnet),
    attack: async (stage) => {
      const { road } = stage
      await road.run(await planAdd(road, { pair: ['WETH', 'USDC'], fee: 3_000, amount0: '1' }))
      await stopFeed(stage, 3_000)
      const { intent } = await road.liquidity.planRemove(road.chain, await newestPosition(road), {
        percentage: 100,
        collectFees: true,
        slippageBps: 50,
        deadline: Number(await chainDeadline(road)),
        recipient: road.wallet,
      })
      return intent
    },
    ends: { losesAtMostUsd: 0.1 },
  },
]

type Named = NonNullable<PricedOptions['named']>

/** A road whose prices rest on these sources alone. */
function sourced(named: Named, policy: RoadOptions['policy'] = lenient, more: Partial<PricedOptions> = {}) {
  return (devnet: Devnet): RoadOptions => ({ ...roadOf(createPricedDevnet(devnet, { named, ...more })), policy })
}

/** Prices are read as if a block came every minute; the rest need not wait for it. */
function roadOf({ chain, prices }: PricedDevnet): Pick<RoadOptions, 'chain' | 'engine'> {
  const usd: PriceSource['usd'] = (_chain, token, at) => prices.usd(chain, token, at)
  return { chain: { ...chain, blockTimeSeconds: 1 }, engine: { prices: { ...prices, usd } } }
}

/** The same, and the server remembers what it has seen. */
function remembering(named: Named) {
  return sourced(named, lenient, { memory: createPriceMemory({ store: () => null, now: Date.now }) })
}

/** Ether is priced by a pool whose past the endpoint does not have. */
function coldly(coldStartUsd: string) {
  return (devnet: Devnet): RoadOptions => {
    const priced = createPricedDevnet(devnet, { named: { WETH: { pools: ['v4 WETH/USDC 0.05 %'] } } })
    priced.network.losesPast = true
    return { ...roadOf(priced), policy: { ...lenient, coldStartUsd } }
  }
}

function feedOf(devnet: Devnet, symbol: string) {
  const feed = devnet.chain.tokens.find((token) => token.symbol === symbol)?.priceSources?.feed
  if (feed === undefined) throw new TypeError(`The local chain names no feed of ${symbol}`)
  return feed
}

/** A block every minute. */
async function passTime({ road, devnet }: Stage, minutes: number): Promise<void> {
  const { timestamp } = await road.rpc.client(road.chain).getBlock()
  for (let minute = 1; minute <= minutes; minute += 1) await devnet.mineTo(Number(timestamp) + minute * 60)
}

/** Its last answer is of two days ago. */
async function stopFeed({ road, devnet }: Stage, usd: number): Promise<void> {
  const { timestamp } = await road.rpc.client(road.chain).getBlock()
  devnet.feeds.ETH.stop()
  await devnet.feeds.ETH.post(usd, { updatedAt: Number(timestamp) - 2 * 86_400 })
}

/** 30,000 USDT that would buy at a dollar apiece, in a pool that did not stand before. */
async function parkOneSided(stage: Stage, base: string): Promise<void> {
  const { road, stranger } = stage
  const pool = await openV3Pool(stage, base, 'USDT', 3_000, 1)
  const isBaseFirst = pool.token0 === road.token(base)
  const near = Math.floor(pool.tick / 60) * 60
  const ticks = isBaseFirst
    ? { tickLower: near - 600, tickUpper: near }
    : { tickLower: near + 60, tickUpper: near + 660 }
  const [amount0Desired, amount1Desired] = isBaseFirst ? [0n, units('USDT', '30000')] : [units('USDT', '30000'), 0n]
  const { token0, token1 } = pool
  await stranger.mintV3({ token0, token1, fee: 3_000, ...ticks, amount0Desired, amount1Desired })
}

/** Two million dollars of WBTC and USDC over all prices. */
async function openDeepPool(stage: Stage, price: number): Promise<void> {
  const { token0, token1 } = await openV3Pool(stage, 'WBTC', 'USDC', 3_000, price)
  const [wbtc, usdc] = [units('WBTC', '10'), units('USDC', `${10 * price}`)]
  const isBaseFirst = token0 === stage.road.token('WBTC')
  const amounts = { amount0Desired: isBaseFirst ? wbtc : usdc, amount1Desired: isBaseFirst ? usdc : wbtc }
  await stage.stranger.mintV3({ token0, token1, fee: 3_000, tickLower: -887_220, tickUpper: 887_220, ...amounts })
}

/** Through the pool of 0.3 %, of a bitcoin that the wallet is given. */
async function sellBitcoin({ road, devnet }: Stage, amount: string, least = 0n): Promise<Intent> {
  if ((await road.balance('WBTC')) === 0n) await devnet.fund(road.wallet, { WBTC: '1' })
  const amountIn = units('WBTC', amount)
  return traded(road, { tokenIn: 'WBTC', tokenOut: 'WETH', fee: 3_000, amountIn, least })
}

async function traded(road: Road, swap: Parameters<typeof v3Single>[1]): Promise<Intent> {
  const deadline = await chainDeadline(road)
  const intent = craftedIntent(road, [swapRouter(road, [v3Single(road, swap)], 0n, deadline)], {
    spends: [sum(road, swap.tokenIn, swap.amountIn)],
  })
  return { ...intent, deadline: Number(deadline) }
}
