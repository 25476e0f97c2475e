import { type Address, parseAbi, parseUnits } from 'viem'
import { erc20Abi } from '@svc/amm/abis'
import { encodeActions, v4Action } from '../../../amm/src/liquidity/v4/v4-action.ts'
import type { PoolKey } from '@svc/amm/liquidity'
import type { Intent } from '@svc/amm'
import { laterDeadline } from '../../../engine/src/fixtures/intents.fixture.ts'
import { answering } from '../../../engine/src/fixtures/network.fixture.ts'
import type { Pipeline } from '../../../engine/src/fixtures/open-pipeline.fixture.ts'
import { command, craftedIntent, sum, universal, v2Call, v3Path, v4Key, v4SingleSwap } from './attack-calls.fixture.ts'
import type { Stage } from './attack-row.fixture.ts'
import { deal } from '../../../engine/src/value/search/chain/open-market.fixture.ts'
import { pairOf, startOf } from './stranger.fixture.ts'

const usdc = (amount: string) => parseUnits(amount, 6)
const eth = (amount: string) => parseUnits(amount, 18)

/** Of what the owner holds 45,000 dollars are sold. */
export const halfABitcoin = { tokenIn: 'WBTC', tokenOut: 'WETH', fee: 500, amountIn: 50_000_000n, least: 0n }

/** A v4 pool of the stranger's at the market, with a fee of his choice, and liquidity of millions. */
export async function openDearPool(stage: Stage, fee: number): Promise<PoolKey> {
  const { pipeline, stranger } = stage
  const key = v4Key(pipeline.token('WETH'), pipeline.token('USDC'), fee, 100)
  const { sqrtPriceX96 } = startOf(pipeline.token('WETH'), pipeline.token('USDC'), ['WETH', 'USDC'], 3_000)
  await stranger.initializeV4(key, sqrtPriceX96)
  await stranger.mintV4(key, -887_200, 887_200, 40_000_000_000_000_000n)
  return key
}

export async function dearPool(stage: Stage, fee: number, least: bigint): Promise<Intent> {
  const { pipeline } = stage
  const key = await openDearPool(stage, fee)
  const steps = [
    v4SingleSwap(key, key.currency0 === pipeline.token('USDC'), usdc('3000'), least),
    v4Action.settleAll(pipeline.token('USDC'), usdc('3000')),
    v4Action.takeAllTo(pipeline.token('WETH'), pipeline.wallet),
  ]
  const calls = [universal(pipeline, [command.v4(encodeActions(steps))])]
  return craftedIntent(pipeline, calls, { spends: [sum(pipeline, 'USDC', usdc('3000'))] })
}

export async function openWorthlessPool({ pipeline, stranger }: Stage): Promise<void> {
  await stranger.addV2(pipeline.token('HOSTILE'), pipeline.token('USDC'), eth('100'), usdc('100000'))
}

export async function openPairOfDollars({ pipeline, stranger }: Stage): Promise<void> {
  await stranger.addV2(pipeline.token('DAI'), pipeline.token('USDC'), eth('300000'), usdc('300000'))
}

/** The token of a pair becomes less by itself, of which the pair learns by `sync`. */
export async function rebasePair({ pipeline, stranger, devnet }: Stage, leftPct: bigint): Promise<void> {
  const pair = pairOf(pipeline, 'DAI', 'USDC')
  const token = pipeline.token('DAI')
  const args = [pair] as const
  const held = await stranger.client.readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args })
  await deal(devnet, pair, token, (held * leftPct) / 100n)
  await stranger.write(pair, parseAbi(['function sync()']), 'sync', [])
}

export function buyWorthless(pipeline: Pipeline, amount: string): Intent {
  const path = [pipeline.token('USDC'), pipeline.token('HOSTILE')]
  const args = [usdc(amount), 1n, path, pipeline.wallet, laterDeadline(0)]
  return craftedIntent(pipeline, [v2Call(pipeline, 'swapExactTokensForTokens', args)], {
    spends: [sum(pipeline, 'USDC', usdc(amount))],
    receives: [sum(pipeline, 'HOSTILE', 1n)],
  })
}

/** 3,000 dollars that may lose 150, and a cent's worth of the stranger's token. */
export function withPretext(pipeline: Pipeline): Intent {
  const main = command.v3In(pipeline.wallet, usdc('3000'), eth('0.95'), v3Path(pipeline, ['USDC', 500, 'WETH']))
  const path = [pipeline.token('USDC'), pipeline.token('HOSTILE')]
  const calls = [universal(pipeline, [main, command.v2In(pipeline.wallet, 10_000n, 0n, path)])]
  return craftedIntent(pipeline, calls, {
    spends: [sum(pipeline, 'USDC', usdc('3000.01'))],
    receives: [sum(pipeline, 'WETH', eth('0.95')), sum(pipeline, 'HOSTILE', 1n)],
  })
}

/** Like an endpoint that knows `eth_call` alone. */
export function withoutLogs(pipeline: Pipeline): void {
  pipeline.network.fetch = answering('eth_simulateV1', { code: -32_601, message: 'the method does not exist' })
}

/** Nine tenths of new shares of a pair for the wallet. */
export async function giveShares(
  { pipeline, stranger }: Stage,
  one: string,
  other: string,
  amountOne: bigint,
  amountOther: bigint,
): Promise<{ readonly pair: Address; readonly shares: bigint }> {
  await stranger.addV2(pipeline.token(one), pipeline.token(other), amountOne, amountOther)
  const pair = pairOf(pipeline, one, other)
  const minted = await stranger.balanceOf(pair)
  const shares = (minted * 9n) / 10n
  await stranger.write(pair, erc20Abi, 'transfer', [pipeline.wallet, shares])
  return { pair, shares: shares - (shares % 10n) }
}

export function sellShares(pipeline: Pipeline, pair: Address, shares: bigint): Intent {
  const args = [shares, 0n, [pair, pipeline.token('USDC')], pipeline.wallet, laterDeadline(0)]
  return craftedIntent(pipeline, [v2Call(pipeline, 'swapExactTokensForTokens', args)], {
    spends: [{ token: pair, amount: shares }],
    receives: [sum(pipeline, 'USDC', 1n)],
  })
}
