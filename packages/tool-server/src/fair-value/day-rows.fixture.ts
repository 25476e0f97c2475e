import { parseUnits } from 'viem'
import type { Intent } from '@svc/amm'
import { swapIntent } from '../../../engine/src/fixtures/intents.fixture.ts'
import type { Pipeline } from '../../../engine/src/fixtures/open-pipeline.fixture.ts'
import { craftedIntent, sum, swapRouter, v3Single } from './attack-calls.fixture.ts'
import type { AttackRow, Stage } from './attack-row.fixture.ts'
import { planAdd } from './deposit-plans.fixture.ts'
import { lenient } from './plans.fixture.ts'
import { openV3Pool, pushV3, units } from './stranger.fixture.ts'

const payee = '0x00000000000000000000000000000000000bad00'

/** Small losses one after the other, each within what a call may lose. */
export const dayRows: readonly AttackRow[] = [
  {
    what: 'churn at a hundredth a call',
    options: { policy: { ...lenient, maxDailyLossUsd: '60' } },
    attack: async (stage) => {
      await pushV3(stage, 'USDC', 3_000, 'WETH', '90000')
      return [purchase(stage.pipeline), purchase(stage.pipeline)]
    },
    ends: 'VALUE_LOSS_EXCEEDED',
    losesInAllAtMostUsd: 60,
  },
  {
    what: 'churn by two callers in turn',
    options: { policy: { ...lenient, maxDailyLossUsd: '60' } },
    attack: async (stage) => {
      await pushV3(stage, 'USDC', 3_000, 'WETH', '90000')
      return [purchase(stage.pipeline), purchase(stage.pipeline)]
    },
    callers: ['api-key:00000000000000a1', 'api-key:00000000000000b2'],
    ends: 'VALUE_LOSS_EXCEEDED',
    losesInAllAtMostUsd: 60,
  },
  {
    what: 'a trade and a deposit, each within what a day may lose, and not both',
    options: { policy: { ...lenient, maxDailyLossUsd: '38' } },
    attack: async (stage) => {
      const { pipeline } = stage
      await pushV3(stage, 'USDC', 3_000, 'WETH', '90000')
      const deposit = await planAdd(pipeline, {
        pair: ['WETH', 'USDC'],
        fee: 3_000,
        amount0: '0',
        amount1: '6000',
        range: { priceLower: 2_996, priceUpper: 3_014 },
      })
      return [purchase(pipeline), deposit]
    },
    ends: 'VALUE_LOSS_EXCEEDED',
    losesInAllAtMostUsd: 38,
  },
  {
    what: 'less than a cent at a time, for nothing',
    options: { policy: { ...lenient, maxDailyLossUsd: '0.02', maxDailyGasUsd: '100', maxPriceImpactBps: 10_000 } },
    attack: async (stage) => {
      await openRobber(stage)
      return [dust(stage.pipeline), dust(stage.pipeline), dust(stage.pipeline)]
    },
    ends: 'VALUE_LOSS_EXCEEDED',
    losesInAllAtMostUsd: 0.02,
  },
  {
    what: 'proceeds to an address that the operator lists are no loss of the day',
    options: { policy: { ...lenient, maxDailyLossUsd: '100', recipients: { '31337': [payee] } } },
    attack: async ({ pipeline }) => [
      swapIntent(pipeline, '3000', { recipient: payee, intent: { receives: [] } }),
      swapIntent(pipeline, '3000'),
    ],
    ends: { losesAtMostUsd: 5 },
  },
  {
    what: 'what no calls may lose at all',
    options: { policy: { ...lenient, maxDailyLossUsd: '0', maxDailyGasUsd: '100' } },
    attack: async ({ pipeline }) => swapIntent(pipeline, '3000'),
    ends: 'VALUE_LOSS_EXCEEDED',
  },
  {
    what: 'a tool that may lose more, within the budget of a day all the same',
    options: {
      policy: { ...lenient, maxDailyLossUsd: '60', valueRules: { tools: { execute_swap: { maxLossBps: 5_000 } } } },
    },
    attack: async ({ pipeline }) => swapIntent(pipeline, '3000', { minimumOut: parseUnits('0.9', 18) }),
    ends: 'VALUE_LOSS_EXCEEDED',
  },
]

/** 3,000 dollars at a minimum of a hundredth and a bit below the market. */
function purchase(pipeline: Pipeline): Intent {
  return swapIntent(pipeline, '3000', { fee: 3_000, minimumOut: parseUnits('0.988', 18) })
}

/** A pool that gives next to nothing for a dollar. */
async function openRobber(stage: Stage): Promise<void> {
  const { stranger, pipeline } = stage
  const { token0, token1 } = await openV3Pool(stage, 'WETH', 'USDT', 500, 30_000_000)
  const [eth, usdt] = [units('WETH', '0.01'), units('USDT', '300000')]
  const isWethFirst = token0 === pipeline.token('WETH')
  const amounts = { amount0Desired: isWethFirst ? eth : usdt, amount1Desired: isWethFirst ? usdt : eth }
  await stranger.mintV3({ token0, token1, fee: 500, tickLower: -887_270, tickUpper: 887_270, ...amounts })
  await stage.devnet.fund(pipeline.wallet, { USDT: '10' })
}

function dust(pipeline: Pipeline): Intent {
  const swap = { tokenIn: 'USDT', tokenOut: 'WETH', fee: 500, amountIn: 9_000n, least: 0n }
  return craftedIntent(pipeline, [swapRouter(pipeline, [v3Single(pipeline, swap)])], {
    spends: [sum(pipeline, 'USDT', 9_000n)],
  })
}
