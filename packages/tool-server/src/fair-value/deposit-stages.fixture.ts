import { createTestClient, type Hex, http, parseAbi } from 'viem'
import { erc20Abi } from '@svc/amm/abis'
import { encodeModifyLiquidities, v4Action } from '../../../amm/src/liquidity/v4/v4-action.ts'
import { poolIdOf } from '@svc/amm/liquidity'
import type { Intent, Position } from '@svc/amm'
import { laterDeadline } from '../../../engine/src/fixtures/intents.fixture.ts'
import type { Pipeline } from '../../../engine/src/fixtures/open-pipeline.fixture.ts'
import { craftedIntent, positionManager, v4Key } from './attack-calls.fixture.ts'
import type { Stage } from './attack-row.fixture.ts'
import { newestPosition, planAdd, planIncrease, v3Manager } from './deposit-plans.fixture.ts'
import { openV3Pool, pairOf, units } from './stranger.fixture.ts'

/** 3,000 USDC alone, just below a pool that was pushed to 3,055. */
export const betweenMarketAndPool = {
  pair: ['WETH', 'USDC'],
  fee: 3_000,
  amount0: '0',
  amount1: '3000',
  range: { priceLower: 3_040, priceUpper: 3_052 },
} as const

export async function addUsdc(pipeline: Pipeline, position: Position, amount: string): Promise<Intent> {
  const isUsdcFirst = position.pool.token0.symbol === 'USDC'
  const paid = units('USDC', amount)
  return planIncrease(pipeline, position, isUsdcFirst ? { amount0: paid, amount1: 0n } : { amount0: 0n, amount1: paid })
}

/** A position of the wallet's that was emptied, all but a unit of which still lies with the position manager. */
export async function positionThatOwes(pipeline: Pipeline): Promise<bigint> {
  await pipeline.run(await planAdd(pipeline, { pair: ['WETH', 'USDC'], fee: 500, amount0: '1' }))
  const { positionId, liquidity } = await newestPosition(pipeline)
  const tokenId = BigInt(positionId)
  const deadline = laterDeadline(0)
  const freed = v3Manager('decreaseLiquidity', { tokenId, liquidity, amount0Min: 0n, amount1Min: 0n, deadline })
  const collected = v3Manager('collect', { tokenId, recipient: pipeline.wallet, amount0Max: 1n, amount1Max: 1n })
  await pipeline.run(craftedIntent(pipeline, [positionManager(pipeline, [freed, collected])], {}))
  return tokenId
}

/** Called before liquidity is added and removed (bits 11 and 9). */
export const asksBeforeLeaving = '0x0000000000000000000000000000000000010a00'

export const hooked = {
  version: 'v4',
  pair: ['WETH', 'USDC'],
  fee: 3_000,
  hooks: asksBeforeLeaving,
  amount0: '1',
  amount1: '3000',
} as const

/** May take of what is paid out when liquidity leaves (bit 0, and bit 8 that it needs). */
const takesAtLeaving = '0x0000000000000000000000000000000000020101'

export function toOtherHook({ token }: Pipeline, planned: Intent): Intent {
  const pool = poolIdOf(v4Key(token('WETH'), token('USDC'), 3_000, 60, takesAtLeaving))
  const turned = (data: Hex) => data.replaceAll(asksBeforeLeaving.slice(2), takesAtLeaving.slice(2)) as Hex
  const [deposit] = planned.deposits!
  return { ...withCalldata(planned, turned), deposits: [{ ...deposit!, pool, hooks: takesAtLeaving }] }
}

/** The same with other calldata. */
export function withCalldata(intent: Intent, change: (data: Hex) => Hex): Intent {
  const calls = intent.calls.map(({ to, data, valueWei, label }) => ({ to, data: change(data), valueWei, label }))
  return { ...intent, calls }
}

/** Answers every call with the selector it was called by. */
export async function placeHook({ devnet }: Stage, address: typeof asksBeforeLeaving): Promise<void> {
  const node = createTestClient({ mode: 'anvil', transport: http(devnet.rpcUrl) })
  await node.setCode({ address, bytecode: '0x60003560e01c60e01b60005260206000f3' })
}

export async function pushV4({ pipeline, stranger }: Stage): Promise<void> {
  const key = v4Key(pipeline.token('USDC'), pipeline.token('WETH'), 500, 10)
  await stranger.swapV4(key, key.currency0 === pipeline.token('USDC'), units('USDC', '500000'))
}

/** A pair of WBTC and USDT at the market, of which there are a thousand and one shares. */
export async function openDearPair({ pipeline, stranger }: Stage): Promise<void> {
  const [wbtc, usdt] = [pipeline.token('WBTC'), pipeline.token('USDT')]
  await stranger.addV2(wbtc, usdt, 1_001n, 1_002n)
  const pair = pairOf(pipeline, 'WBTC', 'USDT')
  await stranger.write(wbtc, erc20Abi, 'transfer', [pair, units('WBTC', '1')])
  await stranger.write(usdt, erc20Abi, 'transfer', [pair, units('USDT', '90000')])
  await stranger.write(pair, parseAbi(['function sync()']), 'sync', [])
}

/** A pool WBTC/USDC of 1 % with next to nothing in it, over all prices. */
export async function openThinPool(stage: Stage, price: number): Promise<void> {
  const { stranger } = stage
  const { token0, token1 } = await openV3Pool(stage, 'WBTC', 'USDC', 10_000, price)
  const range = { fee: 10_000, tickLower: -887_200, tickUpper: 887_200 }
  await stranger.mintV3({ token0, token1, ...range, amount0Desired: 1_000_000n, amount1Desired: 1_000_000n })
}

/** The two words before recipient and deadline of a mint are its minimums. */
export function withoutMinimums(data: `0x${string}`): `0x${string}` {
  const start = 2 + 8 + 64 * 7
  return `0x${data.slice(2, start)}${'0'.repeat(128)}${data.slice(start + 128)}`
}

export async function farMaximums(pipeline: Pipeline) {
  const planned = await planAdd(pipeline, { version: 'v4', pair: ['WETH', 'USDC'], fee: 500, amount0: '1' })
  const [deposit] = planned.deposits!
  const { tickLower, tickUpper, liquidity } = deposit!
  const key = v4Key(pipeline.token('WETH'), pipeline.token('USDC'), 500, 10)
  const most = { amount0: units('WETH', '4'), amount1: units('USDC', '18000') }
  const far = key.currency0 === pipeline.token('WETH') ? most : { amount0: most.amount1, amount1: most.amount0 }
  const mint = { key, tickLower: tickLower!, tickUpper: tickUpper!, liquidity, most: far, owner: pipeline.wallet }
  const data = encodeModifyLiquidities([v4Action.mint(mint), v4Action.settlePair(key)], Number(laterDeadline(0)))
  return withCalldata(planned, () => data)
}
