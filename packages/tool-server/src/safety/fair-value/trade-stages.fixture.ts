import { type Address, parseAbi, parseUnits } from 'viem'
import { erc20Abi } from '../../adapters/liquidity/abis/erc20.ts'
import { encodeActions } from '../../adapters/liquidity/v4/encode-actions.ts'
import type { PoolKey } from '../../adapters/liquidity/v4/pool-key.ts'
import { v4Action } from '../../adapters/liquidity/v4/v4-action.ts'
import type { Intent } from '../../intent.ts'
import { laterDeadline } from '../intents.fixture.ts'
import { answering } from '../network.fixture.ts'
import type { Road } from '../open-road.fixture.ts'
import { command, craftedIntent, sum, universal, v2Call, v3Path, v4Key, v4SingleSwap } from './attack-calls.fixture.ts'
import type { Stage } from './attack-row.fixture.ts'
import { deal } from '../value/search/chain/open-market.fixture.ts'
import { pairOf, startOf } from './stranger.fixture.ts'

const usdc = (amount: string) => parseUnits(amount, 6)
const eth = (amount: string) => parseUnits(amount, 18)

/** Of what the owner holds 45,000 dollars are sold. */
export const halfABitcoin = { tokenIn: 'WBTC', tokenOut: 'WETH', fee: 500, amountIn: 50_000_000n, least: 0n }

/** A v4 pool of the stranger's at the market, with a fee of his choice, and liquidity of millions. */
export async function openDearPool(stage: Stage, fee: number): Promise<PoolKey> {
  const { road, stranger } = stage
  const key = v4Key(road.token('WETH'), road.token('USDC'), fee, 100)
  const { sqrtPriceX96 } = startOf(road.token('WETH'), road.token('USDC'), ['WETH', 'USDC'], 3_000)
  await stranger.initializeV4(key, sqrtPriceX96)
  await stranger.mintV4(key, -887_200, 887_200, 40_000_000_000_000_000n)
  return key
}

export async function dearPool(stage: Stage, fee: number, least: bigint): Promise<Intent> {
  const { road } = stage
  const key = await openDearPool(stage, fee)
  const steps = [
    v4SingleSwap(key, key.currency0 === road.token('USDC'), usdc('3000'), least),
    v4Action.settleAll(road.token('USDC'), usdc('3000')),
    v4Action.takeAllTo(road.token('WETH'), road.wallet),
  ]
  const calls = [universal(road, [command.v4(encodeActions(steps))])]
  return craftedIntent(road, calls, { spends: [sum(road, 'USDC', usdc('3000'))] })
}

export async function openWorthlessPool({ road, stranger }: Stage): Promise<void> {
  await stranger.addV2(road.token('HOSTILE'), road.token('USDC'), eth('100'), usdc('100000'))
}

export async function openPairOfDollars({ road, stranger }: Stage): Promise<void> {
  await stranger.addV2(road.token('DAI'), road.token('USDC'), eth('300000'), usdc('300000'))
}

/** The token of a pair becomes less by itself, of which the pair learns by `sync`. */
export async function rebasePair({ road, stranger, devnet }: Stage, leftPct: bigint): Promise<void> {
  const pair = pairOf(road, 'DAI', 'USDC')
  const token = road.token('DAI')
  const args = [pair] as const
  const held = await stranger.client.readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args })
  await deal(devnet, pair, token, (held * leftPct) / 100n)
  await stranger.write(pair, parseAbi(['function sync()']), 'sync', [])
}

export function buyWorthless(road: Road, amount: string): Intent {
  const path = [road.token('USDC'), road.token('HOSTILE')]
  const args = [usdc(amount), 1n, path, road.wallet, laterDeadline(0)]
  return craftedIntent(road, [v2Call(road, 'swapExactTokensForTokens', args)], {
    spends: [sum(road, 'USDC', usdc(amount))],
    receives: [sum(road, 'HOSTILE', 1n)],
  })
}

/** 3,000 dollars that may lose 150, and a cent's worth of the stranger's token. */
export function withPretext(road: Road): Intent {
  const main = command.v3In(road.wallet, usdc('3000'), eth('0.95'), v3Path(road, ['USDC', 500, 'WETH']))
  const path = [road.token('USDC'), road.token('HOSTILE')]
  const calls = [universal(road, [main, command.v2In(road.wallet, 10_000n, 0n, path)])]
  return craftedIntent(road, calls, {
    spends: [sum(road, 'USDC', usdc('3000.01'))],
    receives: [sum(road, 'WETH', eth('0.95')), sum(road, 'HOSTILE', 1n)],
  })
}

/** Like an endpoint that knows `eth_call` alone. */
export function withoutLogs(road: Road): void {
  road.network.fetch = answering('eth_simulateV1', { code: -32_601, message: 'the method does not exist' })
}

/** Nine tenths of new shares of a pair for the wallet. */
export async function giveShares(
  { road, stranger }: Stage,
  one: string,
  other: string,
  amountOne: bigint,
  amountOther: bigint,
): Promise<{ readonly pair: Address; readonly shares: bigint }> {
  await stranger.addV2(road.token(one), road.token(other), amountOne, amountOther)
  const pair = pairOf(road, one, other)
  const minted = await stranger.balanceOf(pair)
  const shares = (minted * 9n) / 10n
  await stranger.write(pair, erc20Abi, 'transfer', [road.wallet, shares])
  return { pair, shares: shares - (shares % 10n) }
}

export function sellShares(road: Road, pair: Address, shares: bigint): Intent {
  const args = [shares, 0n, [pair, road.token('USDC')], road.wallet, laterDeadline(0)]
  return craftedIntent(road, [v2Call(road, 'swapExactTokensForTokens', args)], {
    spends: [{ token: pair, amount: shares }],
    receives: [sum(road, 'USDC', 1n)],
  })
}
