import { parseAbi } from 'viem'
import { erc20Abi } from '@svc/amm/abis'
import { beforeSending } from '../../../engine/src/fixtures/network.fixture.ts'
import type { AttackRow } from './attack-row.fixture.ts'
import { newestPosition, oneMulticall, planAdd, planIncrease, v3Manager } from './deposit-plans.fixture.ts'
import {
  addUsdc,
  asksBeforeLeaving,
  betweenMarketAndPool,
  farMaximums,
  hooked,
  openDearPair,
  openThinPool,
  placeHook,
  positionThatOwes,
  pushV4,
  toOtherHook,
  withCalldata,
  withoutMinimums,
} from './deposit-stages.fixture.ts'
import { cautious } from './plans.fixture.ts'
import { pairOf, pushV3, units } from './stranger.fixture.ts'

/** Deposits whose pool, price, range or tokens give them away. */
export const depositRows: readonly AttackRow[] = [
  {
    what: 'v3: the pool was pushed before the plan was made',
    attack: async (stage) => {
      await pushV3(stage, 'USDC', 3_000, 'WETH', '1000000')
      return planAdd(stage.pipeline, { pair: ['WETH', 'USDC'], fee: 3_000, amount0: '1' })
    },
    ends: 'POOL_PRICE_OFF_MARKET',
  },
  {
    what: 'v3: it was pushed the other way',
    attack: async (stage) => {
      await pushV3(stage, 'WETH', 3_000, 'USDC', '300')
      return planAdd(stage.pipeline, { pair: ['WETH', 'USDC'], fee: 3_000, amount0: '1' })
    },
    ends: 'POOL_PRICE_OFF_MARKET',
  },
  {
    what: 'v2: the pair was pushed before the plan was made',
    attack: async (stage) => {
      const { pipeline, stranger } = stage
      await stranger.swapV2([pipeline.token('USDC'), pipeline.token('WETH')], units('USDC', '200000'))
      return planAdd(pipeline, { version: 'v2', pair: ['WETH', 'USDC'], amount0: '1' })
    },
    ends: 'POOL_PRICE_OFF_MARKET',
  },
  {
    what: 'v4: the pool was pushed before the plan was made',
    attack: async (stage) => {
      await pushV4(stage)
      return planAdd(stage.pipeline, { version: 'v4', pair: ['WETH', 'USDC'], fee: 500, amount0: '1' })
    },
    ends: 'POOL_PRICE_OFF_MARKET',
  },
  {
    what: 'v3: the pool of a position that grows was pushed',
    attack: async (stage) => {
      const { pipeline } = stage
      await pipeline.run(await planAdd(pipeline, { pair: ['WETH', 'USDC'], fee: 3_000, amount0: '0.1' }))
      await pushV3(stage, 'USDC', 3_000, 'WETH', '1000000')
      return planIncrease(pipeline, await newestPosition(pipeline), { amount0: 10n ** 9n, amount1: null })
    },
    ends: 'POOL_PRICE_OFF_MARKET',
  },
  {
    what: 'v4: the pool of a position that grows was pushed',
    attack: async (stage) => {
      const { pipeline } = stage
      await pipeline.run(await planAdd(pipeline, { version: 'v4', pair: ['WETH', 'USDC'], fee: 500, amount0: '0.1' }))
      await pushV4(stage)
      return planIncrease(pipeline, await newestPosition(pipeline, 'v4'), { amount0: 10n ** 9n, amount1: null })
    },
    ends: 'POOL_PRICE_OFF_MARKET',
  },
  {
    what: 'v3: pushed between the plan and the simulation',
    attack: async (stage) => {
      const planned = await planAdd(stage.pipeline, { pair: ['WETH', 'USDC'], fee: 3_000, amount0: '1' })
      await pushV3(stage, 'USDC', 3_000, 'WETH', '1000000')
      return planned
    },
    ends: 'SIMULATION_DRIFT',
  },
  {
    what: 'v3: pushed between the simulation and the block',
    attack: async (stage) => {
      const { pipeline } = stage
      const planned = await planAdd(pipeline, { pair: ['WETH', 'USDC'], fee: 3_000, amount0: '1' })
      beforeSending(pipeline, 3, () => pushV3(stage, 'USDC', 3_000, 'WETH', '1000000'))
      return planned
    },
    // The gas of what failed.
    ends: { losesAtMostUsd: 3, fails: 'TRANSACTION_REVERTED' },
  },
  {
    what: 'v2: reserves unbalanced by a gift',
    attack: async ({ pipeline, stranger }) => {
      const pair = pairOf(pipeline, 'WETH', 'USDC')
      await stranger.write(pipeline.token('USDC'), erc20Abi, 'transfer', [pair, units('USDC', '200000')])
      await stranger.write(pair, parseAbi(['function sync()']), 'sync', [])
      return planAdd(pipeline, { version: 'v2', pair: ['WETH', 'USDC'], amount0: '1' })
    },
    ends: 'POOL_PRICE_OFF_MARKET',
  },
  {
    what: 'v2: a gift that waits in the pair goes to the depositor',
    attack: async ({ pipeline, stranger }) => {
      const pair = pairOf(pipeline, 'WETH', 'USDC')
      await stranger.write(pipeline.token('USDC'), erc20Abi, 'transfer', [pair, units('USDC', '1000')])
      return planAdd(pipeline, { version: 'v2', pair: ['WETH', 'USDC'], amount0: '1' })
    },
    ends: { losesAtMostUsd: 1 },
  },
  {
    what: 'v2: a pair of a thousand shares that are worth hundreds each, so that a deposit is rounded away',
    attack: async (stage) => {
      await openDearPair(stage)
      await stage.devnet.fund(stage.pipeline.wallet, { WBTC: '1', USDT: '5000' })
      return planAdd(stage.pipeline, { version: 'v2', pair: ['WBTC', 'USDT'], amount0: '0.003' })
    },
    ends: 'VALUE_LOSS_EXCEEDED',
  },
  ...(['v2', 'v3', 'v4'] as const).map((version): AttackRow => ({
    what: `${version}: a missing pool opened at 100 DAI for an ether`,
    attack: async ({ pipeline, devnet }) => {
      await devnet.fund(pipeline.wallet, { DAI: '3000' })
      return planAdd(pipeline, { version, pair: ['WETH', 'DAI'], fee: 500, amount0: '1', amount1: '100' })
    },
    ends: 'POOL_PRICE_OFF_MARKET',
  })),
  {
    what: 'v3: a missing pool opened with the amounts in the wrong order, and a word that it is meant',
    attack: async ({ pipeline, devnet }) => {
      await devnet.fund(pipeline.wallet, { DAI: '3000' })
      return planAdd(pipeline, { pair: ['DAI', 'WETH'], fee: 500, amount0: '0.001', amount1: '3', createPool: true })
    },
    ends: 'POOL_PRICE_OFF_MARKET',
  },
  {
    what: 'v3: a missing pool opened with a zero too few, and too many decimals',
    attack: async ({ pipeline, devnet }) => {
      await devnet.fund(pipeline.wallet, { WBTC: '1', DAI: '9000' })
      return planAdd(pipeline, { pair: ['WBTC', 'DAI'], fee: 3_000, amount0: '0.1', amount1: '900' })
    },
    ends: 'POOL_PRICE_OFF_MARKET',
  },
  {
    what: 'v3: a missing pool opened at the market',
    attack: async ({ pipeline, devnet }) => {
      await devnet.fund(pipeline.wallet, { DAI: '3000' })
      return planAdd(pipeline, { pair: ['WETH', 'DAI'], fee: 500, amount0: '1', amount1: '3000' })
    },
    ends: { losesAtMostUsd: 1 },
  },
  {
    what: 'v3: a missing pool of a token that nobody names a price of',
    attack: async ({ pipeline, devnet }) => {
      await devnet.fund(pipeline.wallet, { HOSTILE: '1000' })
      return planAdd(pipeline, { pair: ['HOSTILE', 'USDC'], fee: 500, amount0: '10', amount1: '50' })
    },
    ends: 'POOL_PRICE_OFF_MARKET',
  },
  {
    what: 'v3: the same with a word that it is meant, above the budget for tokens without a price',
    options: cautious,
    attack: async ({ pipeline, devnet }) => {
      await devnet.fund(pipeline.wallet, { HOSTILE: '1000' })
      return planAdd(pipeline, { pair: ['HOSTILE', 'USDC'], fee: 500, amount0: '10', amount1: '150', createPool: true })
    },
    ends: 'SPENDING_LIMIT_EXCEEDED',
  },
  {
    what: 'v3: the same within that budget, which a person decides about, for the token is made to mislead',
    options: { policy: { ...cautious.policy, unnamedSales: 'allow' } },
    attack: async ({ pipeline, devnet }) => {
      await devnet.fund(pipeline.wallet, { HOSTILE: '1000' })
      return planAdd(pipeline, { pair: ['HOSTILE', 'USDC'], fee: 500, amount0: '10', amount1: '50', createPool: true })
    },
    ends: 'APPROVAL_REQUIRED',
  },
  {
    what: 'v3: takes nothing of a token that nobody names a source for when it is simulated, and may take all of it when it is mined',
    options: ({ chain }) => {
      const tokens = chain.tokens.filter(({ symbol }) => symbol !== 'WBTC')
      return { ...cautious, chain: { tokens }, usd: { WBTC: null } }
    },
    attack: async (stage) => {
      const { pipeline, devnet } = stage
      await devnet.fund(pipeline.wallet, { WBTC: '1' })
      await openThinPool(stage, 90)
      const range = { priceLower: 89, priceUpper: 91 }
      const planned = await planAdd(pipeline, {
        pair: ['WBTC', 'USDC'],
        fee: 10_000,
        amount0: '0.002',
        range,
        slippageBps: 500,
      })
      await pushV3(stage, 'USDC', 10_000, 'WBTC', '0.02')
      return planned
    },
    ends: 'APPROVAL_REQUIRED',
  },
  {
    what: 'v3: no minimums',
    attack: async ({ pipeline }) => {
      const planned = await planAdd(pipeline, { pair: ['WETH', 'USDC'], fee: 3_000, amount0: '1' })
      return withCalldata(planned, withoutMinimums)
    },
    ends: 'UNSAFE_TRANSACTION',
  },
  {
    what: 'v4: the most that may be taken far above what is simulated',
    attack: async ({ pipeline }) => farMaximums(pipeline),
    ends: 'UNSAFE_TRANSACTION',
  },
  {
    what: 'v3: one side alone, in a range between the market and a pool that was pushed as far as is let pass',
    attack: async (stage) => {
      await pushV3(stage, 'USDC', 3_000, 'WETH', '290000')
      return planAdd(stage.pipeline, betweenMarketAndPool)
    },
    ends: 'VALUE_LOSS_EXCEEDED',
  },
  {
    what: 'v3: two additions to one position there, in one call',
    attack: async (stage) => {
      const { pipeline } = stage
      const range = betweenMarketAndPool.range
      await pipeline.run(
        await planAdd(pipeline, { pair: ['WETH', 'USDC'], fee: 3_000, amount0: '0.1', amount1: '0', range }),
      )
      await pushV3(stage, 'USDC', 3_000, 'WETH', '290000')
      const position = await newestPosition(pipeline)
      const additions = [await addUsdc(pipeline, position, '1500'), await addUsdc(pipeline, position, '1500')]
      return oneMulticall(pipeline, [], additions)
    },
    ends: 'VALUE_LOSS_EXCEEDED',
  },
  {
    what: 'v3: one side alone there, and in the same call what another position owes the wallet anyway',
    attack: async (stage) => {
      const { pipeline } = stage
      const tokenId = await positionThatOwes(pipeline)
      await pushV3(stage, 'USDC', 3_000, 'WETH', '290000')
      const most = 2n ** 128n - 1n
      const collect = v3Manager('collect', { tokenId, recipient: pipeline.wallet, amount0Max: most, amount1Max: most })
      return oneMulticall(pipeline, [collect], [await planAdd(pipeline, betweenMarketAndPool)])
    },
    ends: 'VALUE_LOSS_EXCEEDED',
  },
  {
    what: 'v3: one side alone, in a range far from the market',
    attack: async ({ pipeline }) =>
      planAdd(pipeline, { ...betweenMarketAndPool, range: { priceLower: 10, priceUpper: 20 } }),
    ends: { losesAtMostUsd: 0.01 },
  },
  {
    what: 'v4: a pool whose hook is asked before liquidity leaves',
    attack: async (stage) => {
      await placeHook(stage, asksBeforeLeaving)
      return planAdd(stage.pipeline, hooked)
    },
    ends: 'HOOK_NOT_SUPPORTED',
  },
  {
    what: 'v4: a pool whose hook changes what is paid out, in an intent of a tool that has turned',
    attack: async (stage) => {
      await placeHook(stage, asksBeforeLeaving)
      return toOtherHook(stage.pipeline, await planAdd(stage.pipeline, hooked))
    },
    ends: 'HOOK_NOT_SUPPORTED',
  },
]
