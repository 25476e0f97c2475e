import { type Address, parseAbi, parseUnits, zeroAddress } from 'viem'
import type { Intent, PairShare, Position } from '@svc/amm'
import { approvalOf, laterDeadline } from '../../../engine/src/fixtures/intents.fixture.ts'
import type { Pipeline } from '../../../engine/src/fixtures/open-pipeline.fixture.ts'
import { craftedIntent, positionManager, sum, swapRouter, v2Call, v3Single, v4Key } from './attack-calls.fixture.ts'
import type { AttackRow, Stage } from './attack-row.fixture.ts'
import { newestPosition, planAdd, v3Manager } from './deposit-plans.fixture.ts'
import { lenient } from './plans.fixture.ts'
import { pairOf, pushV3, units } from './stranger.fixture.ts'

const payee = '0x00000000000000000000000000000000000bad00'
const unpriced = { ETH: null, WETH: null, USDC: null }
const most = 2n ** 128n - 1n

/** What brings funds home, and what only looks like it. */
export const exitRows: readonly AttackRow[] = [
  {
    what: 'v3: taken out of a pool that was pushed',
    attack: async (stage) => {
      await opened(stage.pipeline, 'v3')
      await pushV3(stage, 'USDC', 3_000, 'WETH', '1000000')
      return planRemove(stage.pipeline, await newestPosition(stage.pipeline, 'v3'))
    },
    ends: { losesAtMostUsd: 0.1 },
  },
  {
    what: 'v2: taken out of a pair that was pushed, without minimums',
    attack: async (stage) => {
      const { pipeline, stranger } = stage
      await pipeline.run(await planAdd(pipeline, { version: 'v2', pair: ['WETH', 'USDC'], amount0: '1' }))
      await stranger.swapV2([pipeline.token('USDC'), pipeline.token('WETH')], units('USDC', '500000'))
      const pair = pairOf(pipeline, 'WETH', 'USDC')
      const { shares } = await shareOf(pipeline, pair)
      const args = [pipeline.token('WETH'), pipeline.token('USDC'), shares, 0n, 0n, pipeline.wallet, laterDeadline(0)]
      return craftedIntent(pipeline, [v2Call(pipeline, 'removeLiquidity', args)], {
        spends: [{ token: pair, amount: shares }],
      })
    },
    ends: { losesAtMostUsd: 0.1 },
  },
  {
    what: 'v4: taken out of a pool that was pushed',
    attack: async (stage) => {
      const { pipeline, stranger } = stage
      await opened(pipeline, 'v4')
      const key = v4Key(pipeline.token('USDC'), pipeline.token('WETH'), 500, 10)
      await stranger.swapV4(key, key.currency0 === pipeline.token('USDC'), units('USDC', '500000'))
      return planRemove(pipeline, await newestPosition(pipeline, 'v4'))
    },
    ends: { losesAtMostUsd: 0.1 },
  },
  {
    what: 'v3: taken out while nobody says what anything is worth',
    options: { usd: unpriced },
    attack: async (stage) => planRemove(stage.pipeline, await positionOfStranger(stage)),
    ends: { losesAtMostUsd: 0.1 },
  },
  {
    what: 'v3: a deposit meanwhile',
    options: { usd: { ...unpriced, ETH: 3_000 }, policy: { ...lenient, allowlist: { mode: 'strict' } } },
    attack: async ({ pipeline }) => planAdd(pipeline, { pair: ['WETH', 'USDC'], fee: 3_000, amount0: '0.1' }),
    ends: 'PRICE_UNAVAILABLE',
  },
  {
    what: 'v3: freed and left with the position manager',
    attack: async ({ pipeline }) => removal(pipeline, null),
    ends: 'UNSAFE_TRANSACTION',
  },
  {
    what: 'v3: freed and collected to nobody',
    attack: async ({ pipeline }) => removal(pipeline, zeroAddress),
    ends: 'RECIPIENT_NOT_ALLOWED',
  },
  {
    what: 'v3: freed and collected to a stranger',
    attack: async ({ pipeline }) => removal(pipeline, payee),
    ends: 'RECIPIENT_NOT_ALLOWED',
  },
  {
    what: 'v2: shares given back to the router',
    attack: async ({ pipeline }) => {
      await pipeline.run(await planAdd(pipeline, { version: 'v2', pair: ['WETH', 'USDC'], amount0: '1' }))
      const pair = pairOf(pipeline, 'WETH', 'USDC')
      const { shares } = await shareOf(pipeline, pair)
      const { router } = pipeline.chain.amm.v2!
      const args = [pipeline.token('WETH'), pipeline.token('USDC'), shares, 0n, 0n, router, laterDeadline(0)]
      return craftedIntent(pipeline, [v2Call(pipeline, 'removeLiquidity', args)], {
        spends: [{ token: pair, amount: shares }],
      })
    },
    ends: 'RECIPIENT_NOT_ALLOWED',
  },
  {
    what: 'v3: taken out, and what comes home swapped without a minimum',
    attack: async ({ pipeline }) => removedAndSold(pipeline, 0n),
    ends: 'VALUE_LOSS_EXCEEDED',
  },
  {
    what: 'v3: taken out, and what comes home swapped at the market',
    attack: async ({ pipeline }) => removedAndSold(pipeline, parseUnits('0.99', 18)),
    ends: { losesAtMostUsd: 30 },
  },
]

async function opened(pipeline: Pipeline, version: 'v3' | 'v4'): Promise<Position> {
  const fee = version === 'v3' ? 3_000 : 500
  await pipeline.run(await planAdd(pipeline, { version, pair: ['WETH', 'USDC'], fee, amount0: '1' }))
  return newestPosition(pipeline, version)
}

async function planRemove(pipeline: Pipeline, position: Position): Promise<Intent> {
  const { intent } = await pipeline.liquidity.planRemove(pipeline.chain, position, {
    percentage: 100,
    collectFees: true,
    slippageBps: 50,
    deadline: Number(laterDeadline(0)),
    recipient: pipeline.wallet,
  })
  return intent
}

async function removal(pipeline: Pipeline, recipient: Address | null): Promise<Intent> {
  const { positionId, liquidity } = await opened(pipeline, 'v3')
  const tokenId = BigInt(positionId)
  const steps = [freed(tokenId, liquidity)]
  if (recipient !== null) {
    steps.push(v3Manager('collect', { tokenId, recipient, amount0Max: most, amount1Max: most }))
  }
  return craftedIntent(pipeline, [positionManager(pipeline, steps)], {})
}

function freed(tokenId: bigint, liquidity: bigint) {
  return v3Manager('decreaseLiquidity', {
    tokenId,
    liquidity,
    amount0Min: 0n,
    amount1Min: 0n,
    deadline: laterDeadline(0),
  })
}

/** A position of one ether, and a second call that sells the 3,000 USDC of it. */
async function removedAndSold(pipeline: Pipeline, least: bigint): Promise<Intent> {
  const { positionId, liquidity } = await opened(pipeline, 'v3')
  const tokenId = BigInt(positionId)
  const collect = v3Manager('collect', { tokenId, recipient: pipeline.wallet, amount0Max: most, amount1Max: most })
  const sale = { tokenIn: 'USDC', tokenOut: 'WETH', amountIn: units('USDC', '3000'), least }
  const calls = [
    positionManager(pipeline, [freed(tokenId, liquidity), collect]),
    swapRouter(pipeline, [v3Single(pipeline, sale)]),
  ]
  const spends = [sum(pipeline, 'USDC', units('USDC', '3000'))]
  const approvals = spends.map(({ token, amount }) => approvalOf(token, pipeline.chain.amm.v3!.swapRouter02, amount))
  return { ...craftedIntent(pipeline, calls, { spends }), approvals }
}

async function shareOf(pipeline: Pipeline, pair: Address): Promise<PairShare> {
  return pipeline.liquidity.pairShare(pipeline.chain, pair, pipeline.wallet)
}

/** Given to the wallet, which has done nothing itself. */
async function positionOfStranger({ pipeline, stranger }: Stage): Promise<Position> {
  const [token0, token1] = [pipeline.token('WETH'), pipeline.token('USDC')].sort((a, b) =>
    BigInt(a) < BigInt(b) ? -1 : 1,
  )
  const range = { fee: 3_000, tickLower: -887_220, tickUpper: 887_220 }
  const isWethFirst = token0 === pipeline.token('WETH')
  const [eth, usdc] = [units('WETH', '1'), units('USDC', '3000')]
  const amounts = { amount0Desired: isWethFirst ? eth : usdc, amount1Desired: isWethFirst ? usdc : eth }
  const tokenId = await stranger.mintV3({ token0: token0!, token1: token1!, ...range, ...amounts })
  await stranger.write(pipeline.chain.amm.v3!.positionManager, transferAbi, 'transferFrom', [
    stranger.address,
    pipeline.wallet,
    tokenId,
  ])
  return newestPosition(pipeline)
}

const transferAbi = parseAbi(['function transferFrom(address from, address to, uint256 tokenId)'])
