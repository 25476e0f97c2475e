import { type Address, parseAbi, parseUnits, zeroAddress } from 'viem'
import type { Intent } from '../../intent.ts'
import type { PairShare, Position } from '../../ports.ts'
import { approvalOf, laterDeadline } from '../intents.fixture.ts'
import type { Road } from '../open-road.fixture.ts'
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
      await opened(stage.road, 'v3')
      await pushV3(stage, 'USDC', 3_000, 'WETH', '1000000')
      return planRemove(stage.road, await newestPosition(stage.road, 'v3'))
    },
    ends: { losesAtMostUsd: 0.1 },
  },
  {
    what: 'v2: taken out of a pair that was pushed, without minimums',
    attack: async (stage) => {
      const { road, stranger } = stage
      await road.run(await planAdd(road, { version: 'v2', pair: ['WETH', 'USDC'], amount0: '1' }))
      await stranger.swapV2([road.token('USDC'), road.token('WETH')], units('USDC', '500000'))
      const pair = pairOf(road, 'WETH', 'USDC')
      const { shares } = await shareOf(road, pair)
      const args = [road.token('WETH'), road.token('USDC'), shares, 0n, 0n, road.wallet, laterDeadline(0)]
      return craftedIntent(road, [v2Call(road, 'removeLiquidity', args)], { spends: [{ token: pair, amount: shares }] })
    },
    ends: { losesAtMostUsd: 0.1 },
  },
  {
    what: 'v4: taken out of a pool that was pushed',
    attack: async (stage) => {
      const { road, stranger } = stage
      await opened(road, 'v4')
      const key = v4Key(road.token('USDC'), road.token('WETH'), 500, 10)
      await stranger.swapV4(key, key.currency0 === road.token('USDC'), units('USDC', '500000'))
      return planRemove(road, await newestPosition(road, 'v4'))
    },
    ends: { losesAtMostUsd: 0.1 },
  },
  {
    what: 'v3: taken out while nobody says what anything is worth',
    options: { usd: unpriced },
    attack: async (stage) => planRemove(stage.road, await positionOfStranger(stage)),
    ends: { losesAtMostUsd: 0.1 },
  },
  {
    what: 'v3: a deposit meanwhile',
    options: { usd: { ...unpriced, ETH: 3_000 }, policy: { ...lenient, allowlist: { mode: 'strict' } } },
    attack: async ({ road }) => planAdd(road, { pair: ['WETH', 'USDC'], fee: 3_000, amount0: '0.1' }),
    ends: 'PRICE_UNAVAILABLE',
  },
  {
    what: 'v3: freed and left with the position manager',
    attack: async ({ road }) => removal(road, null),
    ends: 'UNSAFE_TRANSACTION',
  },
  {
    what: 'v3: freed and collected to nobody',
    attack: async ({ road }) => removal(road, zeroAddress),
    ends: 'RECIPIENT_NOT_ALLOWED',
  },
  {
    what: 'v3: freed and collected to a stranger',
    attack: async ({ road }) => removal(road, payee),
    ends: 'RECIPIENT_NOT_ALLOWED',
  },
  {
    what: 'v2: shares given back to the router',
    attack: async ({ road }) => {
      await road.run(await planAdd(road, { version: 'v2', pair: ['WETH', 'USDC'], amount0: '1' }))
      const pair = pairOf(road, 'WETH', 'USDC')
      const { shares } = await shareOf(road, pair)
      const { router } = road.chain.amm.v2!
      const args = [road.token('WETH'), road.token('USDC'), shares, 0n, 0n, router, laterDeadline(0)]
      return craftedIntent(road, [v2Call(road, 'removeLiquidity', args)], { spends: [{ token: pair, amount: shares }] })
    },
    ends: 'RECIPIENT_NOT_ALLOWED',
  },
  {
    what: 'v3: taken out, and what comes home swapped without a minimum',
    attack: async ({ road }) => removedAndSold(road, 0n),
    ends: 'VALUE_LOSS_EXCEEDED',
  },
  {
    what: 'v3: taken out, and what comes home swapped at the market',
    attack: async ({ road }) => removedAndSold(road, parseUnits('0.99', 18)),
    ends: { losesAtMostUsd: 30 },
  },
]

async function opened(road: Road, version: 'v3' | 'v4'): Promise<Position> {
  const fee = version === 'v3' ? 3_000 : 500
  await road.run(await planAdd(road, { version, pair: ['WETH', 'USDC'], fee, amount0: '1' }))
  return newestPosition(road, version)
}

async function planRemove(road: Road, position: Position): Promise<Intent> {
  const { intent } = await road.liquidity.planRemove(road.chain, position, {
    percentage: 100,
    collectFees: true,
    slippageBps: 50,
    deadline: Number(laterDeadline(0)),
    recipient: road.wallet,
  })
  return intent
}

async function removal(road: Road, recipient: Address | null): Promise<Intent> {
  const { positionId, liquidity } = await opened(road, 'v3')
  const tokenId = BigInt(positionId)
  const steps = [freed(tokenId, liquidity)]
  if (recipient !== null) {
    steps.push(v3Manager('collect', { tokenId, recipient, amount0Max: most, amount1Max: most }))
  }
  return craftedIntent(road, [positionManager(road, steps)], {})
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
async function removedAndSold(road: Road, least: bigint): Promise<Intent> {
  const { positionId, liquidity } = await opened(road, 'v3')
  const tokenId = BigInt(positionId)
  const collect = v3Manager('collect', { tokenId, recipient: road.wallet, amount0Max: most, amount1Max: most })
  const sale = { tokenIn: 'USDC', tokenOut: 'WETH', amountIn: units('USDC', '3000'), least }
  const calls = [positionManager(road, [freed(tokenId, liquidity), collect]), swapRouter(road, [v3Single(road, sale)])]
  const spends = [sum(road, 'USDC', units('USDC', '3000'))]
  const approvals = spends.map(({ token, amount }) => approvalOf(token, road.chain.amm.v3!.swapRouter02, amount))
  return { ...craftedIntent(road, calls, { spends }), approvals }
}

async function shareOf(road: Road, pair: Address): Promise<PairShare> {
  return road.liquidity.pairShare(road.chain, pair, road.wallet)
}

/** Given to the wallet, which has done nothing itself. */
async function positionOfStranger({ road, stranger }: Stage): Promise<Position> {
  const [token0, token1] = [road.token('WETH'), road.token('USDC')].sort((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1))
  const range = { fee: 3_000, tickLower: -887_220, tickUpper: 887_220 }
  const isWethFirst = token0 === road.token('WETH')
  const [eth, usdc] = [units('WETH', '1'), units('USDC', '3000')]
  const amounts = { amount0Desired: isWethFirst ? eth : usdc, amount1Desired: isWethFirst ? usdc : eth }
  const tokenId = await stranger.mintV3({ token0: token0!, token1: token1!, ...range, ...amounts })
  await stranger.write(road.chain.amm.v3!.positionManager, transferAbi, 'transferFrom', [
    stranger.address,
    road.wallet,
    tokenId,
  ])
  return newestPosition(road)
}

const transferAbi = parseAbi(['function transferFrom(address from, address to, uint256 tokenId)'])
