import type { AttackRow } from './attack-row.fixture.ts'
import { newestPosition, planAdd } from './deposit-plans.fixture.ts'
import { chainDeadline, lenient, planSwap } from './plans.fixture.ts'
import {
  coldly,
  feedOf,
  openDeepPool,
  parkOneSided,
  passTime,
  remembering,
  sellBitcoin,
  sourced,
  stopFeed,
  traded,
} from './sources.fixture.ts'
import { pushV3, units } from './stranger.fixture.ts'

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
      return planSwap(stage.pipeline, 'USDC', 'WETH', '3000', 'v3')
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
        const [sold, bought, amount] =
          trade % 2 === 0 ? (['WBTC', 'WETH', '0.5'] as const) : (['WETH', 'WBTC', '15'] as const)
        await pushV3(stage, sold, 3_000, bought, amount)
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
      await stage.pipeline.run(await sellBitcoin(stage, '0.01', units('WETH', '0.297')))
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
      return traded(stage.pipeline, swap)
    },
    ends: 'PRICE_IMPACT_EXCEEDED',
  },
  {
    what: 'a thin named pool held off for an hour freezes nothing beside a deep one',
    options: sourced({ WETH: { pools: [...etherPools, 'v3 WETH/USDC 1 %'] } }),
    attack: async (stage) => {
      await pushV3(stage, 'WETH', 10_000, 'USDC', '50')
      await passTime(stage, 35)
      return planSwap(stage.pipeline, 'USDC', 'WETH', '3000', 'v3')
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
      return planSwap(stage.pipeline, 'USDC', 'WETH', '3000', 'v3')
    },
    ends: { losesAtMostUsd: 5 },
  },
  {
    what: 'a feed that is too old, and nothing else',
    options: (devnet) => sourced({ WETH: { feed: feedOf(devnet, 'WETH') } })(devnet),
    attack: async (stage) => {
      await stopFeed(stage, 3_000)
      return planSwap(stage.pipeline, 'USDC', 'WETH', '3000', 'v3')
    },
    ends: 'PRICE_UNAVAILABLE',
  },
  {
    what: 'a feed that answers nothing',
    options: (devnet) => sourced({ WETH: { feed: feedOf(devnet, 'WETH') } })(devnet),
    attack: async ({ pipeline, devnet }) => {
      await devnet.feeds.ETH.post(0)
      return planSwap(pipeline, 'USDC', 'WETH', '3000', 'v3')
    },
    ends: 'PRICE_UNAVAILABLE',
  },
  {
    what: 'a feed while the sequencer is down',
    options: (devnet) => sourced({ WETH: { feed: feedOf(devnet, 'WETH') } })(devnet),
    attack: async ({ pipeline, devnet }) => {
      await devnet.sequencer.set(false)
      return planSwap(pipeline, 'USDC', 'WETH', '3000', 'v3')
    },
    ends: 'PRICE_UNAVAILABLE',
  },
  {
    what: 'a feed that lies by a third, beside pools that do not',
    options: { usd: 'chain' },
    attack: async (stage) => {
      await passTime(stage, 35)
      await stage.devnet.feeds.ETH.lie(0.67)
      return planSwap(stage.pipeline, 'WETH', 'USDC', '1', 'v3')
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
      return traded(stage.pipeline, swap)
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
      return traded(stage.pipeline, swap)
    },
    ends: 'PRICE_UNAVAILABLE',
  },
  {
    what: 'ether sold for a dollar token that lost its peg, at the price of a dollar',
    options: (devnet) =>
      sourced({ WETH: { feed: feedOf(devnet, 'WETH') }, USDC: { feed: feedOf(devnet, 'USDC') } })(devnet),
    attack: async ({ pipeline, devnet }) => {
      await devnet.feeds.USDC.post(0.9)
      return planSwap(pipeline, 'WETH', 'USDC', '1', 'v3')
    },
    ends: 'PRICE_IMPACT_EXCEEDED',
  },
  {
    what: 'a cold start: what nothing remembers the price of is sold',
    options: coldly('20000'),
    attack: async ({ pipeline }) => planSwap(pipeline, 'WETH', 'USDC', '1', 'v3'),
    ends: 'PRICE_UNAVAILABLE',
  },
  {
    what: 'a cold start: more than the small budget is paid at prices that nothing remembers',
    options: coldly('1000'),
    attack: async ({ pipeline }) => planSwap(pipeline, 'USDC', 'WETH', '3000', 'v3'),
    ends: 'SPENDING_LIMIT_EXCEEDED',
  },
  {
    what: 'a cold start: within it',
    options: coldly('20000'),
    attack: async ({ pipeline }) => planSwap(pipeline, 'USDC', 'WETH', '3000', 'v3'),
    ends: { losesAtMostUsd: 10 },
  },
  {
    what: 'feeds that nobody answers for any more keep no position from coming home',
    options: (devnet) => sourced({ WETH: { feed: feedOf(devnet, 'WETH') } })(devnet),
    attack: async (stage) => {
      const { pipeline } = stage
      await pipeline.run(await planAdd(pipeline, { pair: ['WETH', 'USDC'], fee: 3_000, amount0: '1' }))
      await stopFeed(stage, 3_000)
      const { intent } = await pipeline.liquidity.planRemove(pipeline.chain, await newestPosition(pipeline), {
        percentage: 100,
        collectFees: true,
        slippageBps: 50,
        deadline: Number(await chainDeadline(pipeline)),
        recipient: pipeline.wallet,
      })
      return intent
    },
    ends: { losesAtMostUsd: 0.1 },
  },
]
