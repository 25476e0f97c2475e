import { type Address, parseUnits, zeroAddress } from 'viem'
import { encodeActions, v4Action } from '../../../amm/src/liquidity/v4/v4-action.ts'
import type { Intent } from '@svc/amm'
import { laterDeadline, swapIntent } from '../../../engine/src/fixtures/intents.fixture.ts'
import type { Pipeline } from '../../../engine/src/fixtures/open-pipeline.fixture.ts'
import {
  callerItself,
  type Command,
  command,
  craftedIntent,
  routerItself,
  settleFromRouter,
  sum,
  swapRouter,
  universal,
  v2Call,
  v3Path,
  v3Single,
  v3Step,
  v4Key,
  v4SingleSwap,
  wholeBalance,
} from './attack-calls.fixture.ts'
import type { AttackRow, Stage } from './attack-row.fixture.ts'
import { openV3Pool } from './stranger.fixture.ts'

const usdc = (amount: string) => parseUnits(amount, 6)
const eth = (amount: string) => parseUnits(amount, 18)

/** Calldata that permits worse than the simulation shows, which is honest in each: whoever comes in between takes the rest. */
export const calldataRows: readonly AttackRow[] = [
  {
    what: 'v3: no minimum',
    attack: async ({ pipeline }) => swapIntent(pipeline, '3000', { minimumOut: 1n }),
    ends: 'VALUE_LOSS_EXCEEDED',
  },
  {
    what: 'v3: a minimum 5 % below the market, as loose as the cap of slippage',
    attack: async ({ pipeline }) => swapIntent(pipeline, '3000', { minimumOut: eth('0.95') }),
    ends: 'VALUE_LOSS_EXCEEDED',
  },
  {
    what: 'v3: a minimum in the decimals of the other token',
    attack: async ({ pipeline }) => swapIntent(pipeline, '3000', { minimumOut: 990_000n }),
    ends: 'VALUE_LOSS_EXCEEDED',
  },
  {
    what: 'v3: over two pools without a minimum',
    attack: async ({ pipeline }) => {
      const params = { path: v3Path(pipeline, ['WBTC', 3_000, 'WETH', 500, 'USDC']), recipient: pipeline.wallet }
      const step = v3Step('exactInput', [{ ...params, amountIn: 5_000_000n, amountOutMinimum: 0n }])
      await pipeline.devnet.fund(pipeline.wallet, { WBTC: '1' })
      return craftedIntent(pipeline, [swapRouter(pipeline, [step])], { spends: [sum(pipeline, 'WBTC', 5_000_000n)] })
    },
    ends: 'VALUE_LOSS_EXCEEDED',
  },
  {
    what: 'v3: native currency in, no minimum',
    attack: async ({ pipeline }) => {
      const step = v3Single(pipeline, { tokenIn: 'WETH', tokenOut: 'USDC', amountIn: eth('1'), least: 0n })
      return craftedIntent(pipeline, [swapRouter(pipeline, [step], eth('1'))], {
        spends: [sum(pipeline, 'ETH', eth('1'))],
      })
    },
    ends: 'VALUE_LOSS_EXCEEDED',
  },
  {
    what: 'v3: native currency out, no minimum in the swap nor in the payout',
    attack: async ({ pipeline }) => nativeOut(pipeline, 0n, 0n),
    ends: 'VALUE_LOSS_EXCEEDED',
  },
  {
    what: 'v3: native currency out, the payout alone makes sure of it',
    attack: async ({ pipeline }) => nativeOut(pipeline, 0n, eth('0.995')),
    ends: { losesAtMostUsd: 5 },
  },
  {
    what: 'v2: no minimum',
    attack: async ({ pipeline }) => {
      const path = [pipeline.token('USDC'), pipeline.token('WETH')]
      const args = [usdc('3000'), 0n, path, pipeline.wallet, laterDeadline(0)]
      return craftedIntent(pipeline, [v2Call(pipeline, 'swapExactTokensForTokens', args)], {
        spends: [sum(pipeline, 'USDC', usdc('3000'))],
      })
    },
    ends: 'VALUE_LOSS_EXCEEDED',
  },
  {
    what: 'v2: native currency in, no minimum',
    attack: async ({ pipeline }) => {
      const args = [0n, [pipeline.token('WETH'), pipeline.token('USDC')], pipeline.wallet, laterDeadline(0)]
      return craftedIntent(pipeline, [v2Call(pipeline, 'swapExactETHForTokens', args, eth('1'))], {
        spends: [sum(pipeline, 'ETH', eth('1'))],
      })
    },
    ends: 'VALUE_LOSS_EXCEEDED',
  },
  {
    what: 'v2: native currency out, no minimum',
    attack: async ({ pipeline }) => {
      const args = [
        usdc('3000'),
        0n,
        [pipeline.token('USDC'), pipeline.token('WETH')],
        pipeline.wallet,
        laterDeadline(0),
      ]
      return craftedIntent(pipeline, [v2Call(pipeline, 'swapExactTokensForETH', args)], {
        spends: [sum(pipeline, 'USDC', usdc('3000'))],
      })
    },
    ends: 'VALUE_LOSS_EXCEEDED',
  },
  {
    what: 'universal router: v3 without a minimum',
    attack: async ({ pipeline }) => {
      const path = v3Path(pipeline, ['USDC', 500, 'WETH'])
      return paidInUsdc(pipeline, [command.v3In(pipeline.wallet, usdc('3000'), 0n, path)])
    },
    ends: 'VALUE_LOSS_EXCEEDED',
  },
  {
    what: 'universal router: v2 without a minimum',
    attack: async ({ pipeline }) => {
      const path = [pipeline.token('USDC'), pipeline.token('WETH')]
      return paidInUsdc(pipeline, [command.v2In(callerItself, usdc('3000'), 0n, path)])
    },
    ends: 'VALUE_LOSS_EXCEEDED',
  },
  {
    what: 'universal router: v4 without a minimum',
    attack: async ({ pipeline }) => paidInUsdc(pipeline, [v4Sale(pipeline, 'WETH', pipeline.wallet)]),
    ends: 'VALUE_LOSS_EXCEEDED',
  },
  {
    what: 'universal router: v4 without a minimum, native currency wrapped on the way home',
    attack: async ({ pipeline }) => {
      const commands = [
        v4Sale(pipeline, 'ETH', routerItself),
        command.wrap(pipeline.wallet, wholeBalance),
        command.sweep(zeroAddress, pipeline.wallet, 0n),
      ]
      return { ...paidInUsdc(pipeline, commands), receives: [sum(pipeline, 'WETH', 1n)] }
    },
    ends: 'VALUE_LOSS_EXCEEDED',
  },
  {
    what: 'universal router: a wei of wrapped currency beside native proceeds without a minimum',
    attack: async ({ pipeline }) => {
      const path = v3Path(pipeline, ['USDC', 500, 'WETH'])
      const commands = [
        command.v3In(routerItself, usdc('3000'), 0n, path),
        command.unwrap(pipeline.wallet, 0n),
        command.wrap(pipeline.wallet, 1n),
      ]
      return paidInUsdc(pipeline, commands, 1n)
    },
    ends: 'VALUE_LOSS_EXCEEDED',
  },
  {
    what: 'universal router: one promised payout for two trades',
    attack: async ({ pipeline }) => {
      const paths = [500, 3_000].map((fee) => v3Path(pipeline, ['USDC', fee, 'WETH']))
      const trades = paths.map((path) => command.v3In(routerItself, usdc('1500'), 0n, path))
      return paidInUsdc(pipeline, [...trades, command.sweep(pipeline.token('WETH'), pipeline.wallet, eth('0.5'))])
    },
    ends: 'VALUE_LOSS_EXCEEDED',
  },
  {
    what: 'universal router: a route over two versions whose last part makes sure of it',
    attack: async ({ pipeline }) => {
      await pipeline.devnet.fund(pipeline.wallet, { DAI: '3000' })
      return overTwoVersions(pipeline)
    },
    ends: { losesAtMostUsd: 5 },
  },
  {
    what: 'v3: a pool that swallows a tenth of the amount, and all of it at any price once somebody has added to it',
    attack: async (stage) => {
      const { pipeline } = stage
      await sellEther(stage, 3_000, '0.1')
      const swap = { tokenIn: 'USDT', tokenOut: 'WETH', fee: 500, amountIn: usdc('3000'), least: eth('0.0995') }
      return craftedIntent(pipeline, [swapRouter(pipeline, [v3Single(pipeline, swap)])], {
        spends: [sum(pipeline, 'USDT', usdc('3000'))],
      })
    },
    ends: 'VALUE_LOSS_EXCEEDED',
  },
  {
    what: 'two trades: the first makes sure of nothing, the second of twice its worth, and it may never happen',
    attack: async (stage) => {
      const { pipeline } = stage
      await sellEther(stage, 1_500, '10')
      const first = { tokenIn: 'USDC', tokenOut: 'WETH', amountIn: usdc('3000'), least: 0n }
      const second = { tokenIn: 'USDT', tokenOut: 'WETH', amountIn: usdc('3000'), least: eth('1.98') }
      const calls = [first, second].map((swap) => swapRouter(pipeline, [v3Single(pipeline, swap)]))
      return craftedIntent(pipeline, calls, {
        spends: [sum(pipeline, 'USDC', usdc('3000')), sum(pipeline, 'USDT', usdc('3000'))],
      })
    },
    ends: 'VALUE_LOSS_EXCEEDED',
  },
  {
    what: 'two trades: what the first brings without a minimum the second takes out of the wallet',
    attack: async ({ pipeline }) => {
      const first = { tokenIn: 'USDC', tokenOut: 'WETH', amountIn: usdc('3000'), least: 0n }
      const second = { tokenIn: 'WETH', tokenOut: 'DAI', fee: 3_000, amountIn: eth('0.9985'), least: eth('2972') }
      const calls = [first, second].map((swap) => swapRouter(pipeline, [v3Single(pipeline, swap)]))
      return craftedIntent(pipeline, calls, {
        spends: [sum(pipeline, 'USDC', usdc('3000')), sum(pipeline, 'WETH', eth('0.9985'))],
        receives: [sum(pipeline, 'DAI', eth('2972'))],
      })
    },
    ends: 'VALUE_LOSS_EXCEEDED',
  },
]

function nativeOut(pipeline: Pipeline, least: bigint, leastOfPayout: bigint): Intent {
  const swap = { tokenIn: 'USDC', tokenOut: 'WETH', recipient: routerItself, amountIn: usdc('3000'), least }
  const steps = [v3Single(pipeline, swap), v3Step('unwrapWETH9', [leastOfPayout, pipeline.wallet])]
  return craftedIntent(pipeline, [swapRouter(pipeline, steps)], { spends: [sum(pipeline, 'USDC', usdc('3000'))] })
}

function paidInUsdc(pipeline: Pipeline, commands: readonly Command[], valueWei = 0n): Intent {
  const spends = [sum(pipeline, 'USDC', usdc('3000')), ...(valueWei > 0n ? [sum(pipeline, 'ETH', valueWei)] : [])]
  return craftedIntent(pipeline, [universal(pipeline, commands, valueWei)], { spends })
}

/** 3,000 USDC into the v4 pool against native or wrapped currency, without a minimum. */
function v4Sale(pipeline: Pipeline, bought: 'ETH' | 'WETH', recipient: Address): Command {
  const key = v4Key(pipeline.token('USDC'), pipeline.token(bought), 500, 10)
  const swap = v4SingleSwap(key, key.currency0 === pipeline.token('USDC'), usdc('3000'), 0n)
  const settle = v4Action.settleAll(pipeline.token('USDC'), usdc('3000'))
  return command.v4(encodeActions([swap, settle, v4Action.takeAllTo(pipeline.token(bought), recipient)]))
}

/** DAI to USDC in one version, on to wrapped ether in another: the first part makes sure of nothing, the last of all. */
function overTwoVersions(pipeline: Pipeline): Intent {
  const key = v4Key(pipeline.token('USDC'), pipeline.token('WETH'), 500, 10)
  const steps = [
    settleFromRouter(pipeline.token('USDC')),
    v4SingleSwap(key, key.currency0 === pipeline.token('USDC'), 0n, eth('0.992')),
    v4Action.takeAllTo(pipeline.token('WETH'), pipeline.wallet),
  ]
  const first = command.v3In(routerItself, eth('3000'), 0n, v3Path(pipeline, ['DAI', 100, 'USDC']))
  const calls = [universal(pipeline, [first, command.v4(encodeActions(steps))])]
  return craftedIntent(pipeline, calls, {
    spends: [sum(pipeline, 'DAI', eth('3000'))],
    receives: [sum(pipeline, 'WETH', 1n)],
  })
}

/** A pool of the stranger's own that sells so much ether at one price, and has nothing behind it. The wallet gets what pays for it. */
async function sellEther(stage: Stage, price: number, amount: string): Promise<void> {
  const pool = await openV3Pool(stage, 'WETH', 'USDT', 500, price)
  const isWethFirst = pool.token0 === stage.pipeline.token('WETH')
  const near = Math.ceil(pool.tick / 10) * 10
  const ticks = isWethFirst ? { tickLower: near, tickUpper: near + 10 } : { tickLower: near - 20, tickUpper: near - 10 }
  const amounts = isWethFirst
    ? { amount0Desired: eth(amount), amount1Desired: 0n }
    : { amount0Desired: 0n, amount1Desired: eth(amount) }
  const { token0, token1 } = pool
  await stage.stranger.mintV3({ token0, token1, fee: 500, ...ticks, ...amounts })
  await stage.devnet.fund(stage.pipeline.wallet, { USDT: '20000' })
}
