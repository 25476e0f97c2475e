import { parseUnits } from 'viem'
import { encodeActions, v4Action } from '../../../amm/src/liquidity/v4/v4-action.ts'
import { approveIntent, swapIntent } from '../../../engine/src/fixtures/intents.fixture.ts'
import { beforeSending } from '../../../engine/src/fixtures/network.fixture.ts'
import {
  command,
  craftedIntent,
  sum,
  swapRouter,
  universal,
  v3Path,
  v3Single,
  v4SingleSwap,
} from './attack-calls.fixture.ts'
import type { AttackRow } from './attack-row.fixture.ts'
import { cautious, lenient, listingHostile, planSwap } from './plans.fixture.ts'
import { pushV3, units } from './stranger.fixture.ts'
import {
  buyWorthless,
  dearPool,
  giveShares,
  halfABitcoin,
  openDearPool,
  openPairOfDollars,
  openWorthlessPool,
  rebasePair,
  sellShares,
  withoutLogs,
  withPretext,
} from './trade-stages.fixture.ts'

const usdc = (amount: string) => parseUnits(amount, 6)
const eth = (amount: string) => parseUnits(amount, 18)

const payee = '0x00000000000000000000000000000000000bad00'

/** Trades as an agent asks for them, in pools that were made or moved for it. */
export const tradeRows: readonly AttackRow[] = [
  {
    what: 'the wrong fee tier: 36,000 dollars through a pool of 350,000',
    attack: async ({ pipeline, devnet }) => {
      await devnet.fund(pipeline.wallet, { WETH: '10' })
      const swap = { tokenIn: 'WETH', tokenOut: 'USDC', fee: 10_000, amountIn: eth('12'), least: 1n }
      return craftedIntent(pipeline, [swapRouter(pipeline, [v3Single(pipeline, swap)])], {
        spends: [sum(pipeline, 'WETH', eth('12'))],
      })
    },
    ends: 'VALUE_LOSS_EXCEEDED',
  },
  {
    what: 'a thin pair that a stranger made beside the deep pools',
    attack: async (stage) => {
      const { pipeline, stranger, devnet } = stage
      await stranger.addV2(pipeline.token('WBTC'), pipeline.token('USDC'), units('WBTC', '1'), usdc('90000'))
      await devnet.fund(pipeline.wallet, { WBTC: '1' })
      return planSwap(pipeline, 'WBTC', 'USDC', '0.1', 'v2')
    },
    ends: 'PRICE_IMPACT_EXCEEDED',
  },
  {
    what: 'the pool was pushed to a hundredth before the quote',
    attack: async (stage) => {
      await stage.devnet.fund(stage.pipeline.wallet, { WBTC: '1' })
      await pushV3(stage, 'WBTC', 500, 'WETH', '40')
      return craftedIntent(stage.pipeline, [swapRouter(stage.pipeline, [v3Single(stage.pipeline, halfABitcoin)])], {
        spends: [sum(stage.pipeline, 'WBTC', halfABitcoin.amountIn)],
      })
    },
    ends: 'PRICE_IMPACT_EXCEEDED',
  },
  {
    what: 'the pool was pushed by 2 %',
    attack: async (stage) => {
      await pushV3(stage, 'USDC', 3_000, 'WETH', '290000')
      return swapIntent(stage.pipeline, '3000', { fee: 3_000, minimumOut: eth('0.97') })
    },
    ends: 'VALUE_LOSS_EXCEEDED',
  },
  {
    what: 'the pool was pushed by half a percent',
    attack: async (stage) => {
      await pushV3(stage, 'USDC', 3_000, 'WETH', '75000')
      return swapIntent(stage.pipeline, '3000', { fee: 3_000, minimumOut: eth('0.988') })
    },
    ends: { losesAtMostUsd: 39 },
  },
  {
    what: 'the pool was pushed for the wallet',
    attack: async (stage) => {
      await pushV3(stage, 'WETH', 3_000, 'USDC', '100')
      return swapIntent(stage.pipeline, '3000', { fee: 3_000 })
    },
    ends: { losesAtMostUsd: 0 },
  },
  {
    what: 'one pool of two on the way was pushed',
    attack: async (stage) => {
      await stage.devnet.fund(stage.pipeline.wallet, { WBTC: '1' })
      await pushV3(stage, 'WBTC', 3_000, 'WETH', '4')
      return planSwap(stage.pipeline, 'WBTC', 'USDC', '0.1', 'v3')
    },
    ends: 'VALUE_LOSS_EXCEEDED',
  },
  {
    what: 'pushed before the block and back after it, beyond the minimum',
    attack: async (stage) => {
      const planned = await planSwap(stage.pipeline, 'USDC', 'WETH', '3000', 'v3')
      beforeSending(stage.pipeline, 2, () => pushV3(stage, 'USDC', 500, 'WETH', '1000000'))
      return planned
    },
    // The gas of what failed.
    ends: { losesAtMostUsd: 3, fails: 'TRANSACTION_REVERTED' },
  },
  {
    what: 'pushed before the block and back after it, up to the minimum',
    attack: async (stage) => {
      const planned = await planSwap(stage.pipeline, 'USDC', 'WETH', '3000', 'v3')
      beforeSending(stage.pipeline, 2, () => pushV3(stage, 'USDC', 500, 'WETH', '80000'))
      return planned
    },
    ends: { losesAtMostUsd: 3_000 * 0.013 },
  },
  {
    what: 'rebasing: half of what a pair holds of its token goes, before the quote',
    attack: async (stage) => {
      await openPairOfDollars(stage)
      await rebasePair(stage, 50n)
      return planSwap(stage.pipeline, 'USDC', 'DAI', '1000', 'v2')
    },
    ends: 'PRICE_IMPACT_EXCEEDED',
  },
  {
    what: 'rebasing: half of what a pair holds of its token goes, between the simulation and the block',
    attack: async (stage) => {
      await openPairOfDollars(stage)
      const planned = await planSwap(stage.pipeline, 'USDC', 'DAI', '1000', 'v2')
      beforeSending(stage.pipeline, 2, () => rebasePair(stage, 50n))
      return planned
    },
    ends: { losesAtMostUsd: 3, fails: 'TRANSACTION_REVERTED' },
  },
  {
    what: 'a pool that keeps 9 % as its fee',
    attack: async (stage) => dearPool(stage, 90_000, eth('0.905')),
    ends: 'VALUE_LOSS_EXCEEDED',
  },
  {
    what: 'a pool that keeps 3 %, which is all that is excused',
    attack: async (stage) => dearPool(stage, 30_000, eth('0.966')),
    ends: { losesAtMostUsd: 3_000 * 0.05 },
  },
  {
    what: 'a cent through a dear pool beside 3,000 dollars in a cheap one without a proper minimum',
    attack: async (stage) => {
      const { pipeline } = stage
      const key = await openDearPool(stage, 40_000)
      const dust = [
        v4SingleSwap(key, key.currency0 === pipeline.token('USDC'), 10_000n, 0n),
        v4Action.settleAll(pipeline.token('USDC'), 10_000n),
        v4Action.takeAllTo(pipeline.token('WETH'), pipeline.wallet),
      ]
      const main = command.v3In(pipeline.wallet, usdc('3000'), eth('0.965'), v3Path(pipeline, ['USDC', 500, 'WETH']))
      const calls = [universal(pipeline, [command.v4(encodeActions(dust)), main])]
      return craftedIntent(pipeline, calls, { spends: [sum(pipeline, 'USDC', usdc('3000.01'))] })
    },
    ends: 'VALUE_LOSS_EXCEEDED',
  },
  {
    what: 'his own token in his own pool, at a thousand dollars each',
    options: cautious,
    attack: async (stage) => {
      await openWorthlessPool(stage)
      return buyWorthless(stage.pipeline, '400')
    },
    ends: 'SPENDING_LIMIT_EXCEEDED',
  },
  {
    what: 'the same within what may be spent on such tokens',
    options: (devnet) => ({ policy: listingHostile(devnet) }),
    attack: async (stage) => {
      await openWorthlessPool(stage)
      return buyWorthless(stage.pipeline, '90')
    },
    ends: { losesAtMostUsd: 90.01 },
  },
  {
    what: 'the same day by day: the second purchase finds the budget used',
    options: (devnet) => ({ policy: listingHostile(devnet) }),
    attack: async (stage) => {
      await openWorthlessPool(stage)
      return [buyWorthless(stage.pipeline, '60'), buyWorthless(stage.pipeline, '60')]
    },
    ends: 'SPENDING_LIMIT_EXCEEDED',
  },
  {
    what: 'the same under a strict list that does not have it',
    options: { policy: { ...lenient, allowlist: { mode: 'strict' } } },
    attack: async (stage) => {
      await openWorthlessPool(stage)
      return buyWorthless(stage.pipeline, '90')
    },
    ends: 'TOKEN_NOT_ALLOWLISTED',
  },
  {
    what: 'a unit of a worthless token as a pretext for a trade without a proper minimum',
    options: cautious,
    attack: async (stage) => {
      await openWorthlessPool(stage)
      return withPretext(stage.pipeline)
    },
    ends: 'SPENDING_LIMIT_EXCEEDED',
  },
  {
    what: 'a token that keeps a hundredth of every transfer',
    options: cautious,
    attack: async ({ pipeline }) => planSwap(pipeline, 'WETH', 'FOT', '0.1', 'v2'),
    ends: 'SIMULATION_DRIFT',
  },
  {
    what: 'proceeds to an address that the operator lists, without a minimum',
    options: { policy: { ...lenient, recipients: { '31337': [payee] } } },
    attack: async ({ pipeline }) =>
      swapIntent(pipeline, '3000', { recipient: payee, minimumOut: 0n, intent: { receives: [] } }),
    ends: 'VALUE_LOSS_EXCEEDED',
  },
  {
    what: 'proceeds to an address that nobody lists',
    attack: async ({ pipeline }) => swapIntent(pipeline, '3000', { recipient: payee, intent: { receives: [] } }),
    ends: 'RECIPIENT_NOT_ALLOWED',
  },
  {
    what: 'native currency to a contract that the operator lists, for nothing',
    options: { policy: { ...lenient, contracts: { '31337': [payee] } } },
    attack: async ({ pipeline }) =>
      craftedIntent(pipeline, [{ to: payee, data: '0x', valueWei: eth('1') }], {
        spends: [sum(pipeline, 'ETH', eth('1'))],
      }),
    ends: 'VALUE_LOSS_EXCEEDED',
  },
  {
    what: 'native currency sent along with a swap of something else, for whoever comes next',
    attack: async ({ pipeline }) => {
      const step = v3Single(pipeline, { tokenIn: 'USDC', tokenOut: 'WETH', amountIn: usdc('3000'), least: eth('0.99') })
      return craftedIntent(pipeline, [swapRouter(pipeline, [step], eth('1'))], {
        spends: [sum(pipeline, 'USDC', usdc('3000')), sum(pipeline, 'ETH', eth('1'))],
      })
    },
    ends: 'UNSAFE_TRANSACTION',
  },
  {
    what: 'wrapped and taken for spent: a wrap alone loses nothing',
    attack: async ({ pipeline }) => {
      const calls = [universal(pipeline, [command.wrap(pipeline.wallet, eth('1'))], eth('1'))]
      return craftedIntent(pipeline, calls, {
        spends: [sum(pipeline, 'ETH', eth('1'))],
        receives: [sum(pipeline, 'WETH', eth('1'))],
      })
    },
    ends: { losesAtMostUsd: 0.01 },
  },
  {
    what: 'an allowance that lasts, above the limit of one transaction',
    attack: async ({ pipeline }) => approveIntent(pipeline, pipeline.chain.amm.v3!.swapRouter02, '60000'),
    ends: 'SPENDING_LIMIT_EXCEEDED',
  },
  {
    what: 'an allowance for a stranger',
    attack: async ({ pipeline }) => approveIntent(pipeline, payee, '1'),
    ends: 'SPENDER_NOT_ALLOWED',
  },
  {
    what: 'an endpoint that shows no logs, and a swap that declares nothing and draws on an allowance that stands',
    attack: async ({ pipeline }) => {
      await pipeline.run(approveIntent(pipeline, pipeline.chain.amm.v3!.swapRouter02, '3000'))
      withoutLogs(pipeline)
      const step = v3Single(pipeline, { tokenIn: 'USDC', tokenOut: 'WETH', amountIn: usdc('3000'), least: 0n })
      return craftedIntent(pipeline, [swapRouter(pipeline, [step])], {})
    },
    ends: 'UNSAFE_TRANSACTION',
  },
  {
    what: 'an endpoint that shows no logs, and a swap without a minimum',
    attack: async ({ pipeline }) => {
      withoutLogs(pipeline)
      return swapIntent(pipeline, '3000', { minimumOut: 0n })
    },
    ends: 'VALUE_LOSS_EXCEEDED',
  },
  {
    what: 'shares of a pair sold for a thousandth of their worth',
    attack: async (stage) => {
      const { pipeline, stranger } = stage
      const { pair, shares } = await giveShares(stage, 'WETH', 'USDC', eth('1'), usdc('3000'))
      await stranger.addV2(pair, pipeline.token('USDC'), shares / 10n, usdc('1'))
      return sellShares(pipeline, pair, shares)
    },
    ends: 'PRICE_IMPACT_EXCEEDED',
  },
  {
    what: 'shares of a pair of which nobody names a price of one side',
    attack: async (stage) => {
      const { pipeline, stranger } = stage
      const { pair, shares } = await giveShares(stage, 'WETH', 'HOSTILE', eth('1'), eth('100'))
      await stranger.addV2(pair, pipeline.token('USDC'), shares / 10n, usdc('1'))
      return sellShares(pipeline, pair, shares)
    },
    ends: 'VALUE_LOSS_EXCEEDED',
  },
]
