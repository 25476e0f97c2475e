import type { UpstreamKind, Intent, IntentDeposit } from '@svc/amm'
import { getAmountsForLiquidity, getSqrtPriceAtTick } from '@svc/lp-math'
import { maxUint128 } from 'viem'
import { leastOfMint, leastOfPair, type LimitedDeposit, liquidityForAmounts, mostOfMint } from '@svc/amm/liquidity'
import { mostRoundedOff, upstreamRefusal } from '@svc/amm/upstream'
import type { CalldataDeposit } from '../calldata/call-deposits.ts'

/** The parts that a transaction of each kind may be made of: a swap in place of a deposit, say, is not what was asked. */
export const allowedParts: Readonly<Record<UpstreamKind, ReadonlySet<string>>> = {
  swap: new Set([
    'execute',
    'multicall',
    'refundETH',
    'sweepToken',
    'unwrapWETH9',
    'exactInputSingle',
    'exactInput',
    'swapExactTokensForTokens',
    'swapExactTokensForTokensSupportingFeeOnTransferTokens',
    'swapExactTokensForETH',
    'swapExactTokensForETHSupportingFeeOnTransferTokens',
    'swapExactETHForTokens',
    'swapExactETHForTokensSupportingFeeOnTransferTokens',
    'V3_SWAP_EXACT_IN',
    'V2_SWAP_EXACT_IN',
    'V3_SWAP_EXACT_OUT',
    'V2_SWAP_EXACT_OUT',
    'SWEEP',
    'WRAP_ETH',
    'UNWRAP_WETH',
    'v4.swapSingle',
    'v4.swapPath',
    'v4.settle',
    'v4.settleAll',
    'v4.take',
    'v4.takeAll',
  ]),
  add: new Set([
    'multicall',
    'modifyLiquidities',
    'refundETH',
    'createAndInitializePoolIfNecessary',
    'initializePool',
    'mint',
    'addLiquidity',
    'addLiquidityETH',
    'v4.mint',
    'v4.settle',
    'v4.settlePair',
    'v4.close',
    'v4.sweep',
  ]),
  increase: new Set([
    'multicall',
    'modifyLiquidities',
    'refundETH',
    'increaseLiquidity',
    'addLiquidity',
    'addLiquidityETH',
    'v4.increase',
    'v4.settle',
    'v4.settlePair',
    'v4.close',
    'v4.sweep',
  ]),
  remove: new Set([
    'multicall',
    'modifyLiquidities',
    'decreaseLiquidity',
    'collect',
    'burn',
    'unwrapWETH9',
    'sweepToken',
    'removeLiquidity',
    'removeLiquidityETH',
    'removeLiquidityETHSupportingFeeOnTransferTokens',
    'v4.decrease',
    'v4.takePair',
    'v4.take',
    'v4.close',
  ]),
  collect: new Set([
    'multicall',
    'modifyLiquidities',
    'collect',
    'unwrapWETH9',
    'sweepToken',
    'v4.decrease',
    'v4.takePair',
    'v4.take',
    'v4.close',
  ]),
  // Of v3 all is taken out, of v4 one position is made of it: neither pays out of the wallet.
  migrate: new Set([
    'execute',
    'decreaseLiquidity',
    'collect',
    'burn',
    'modifyLiquidities',
    'v4.mint',
    'v4.unwrap',
    'v4.settle',
    'v4.sweep',
  ]),
  'claim-rewards': new Set(['claim']),
}

/**
 * The deposits that were asked for, as the calldata of somebody else makes them. Others round in their own way: a little less of the amounts may go in,
 * and of v4 the liquidity that they buy is the calldata's. Pool, range and limits the pipeline holds against them like any other's.
 */
export function depositsAsMade(
  { deposits, slippageBps }: Pick<Intent, 'deposits' | 'slippageBps'>,
  made: readonly CalldataDeposit[],
): Pick<Intent, 'deposits'> {
  if (deposits === undefined) return {}
  return { deposits: deposits.map((asked, index) => depositAs(asked, made[index], slippageBps ?? 0)) }
}

function depositAs(asked: IntentDeposit, made: CalldataDeposit | undefined, slippageBps: number): IntentDeposit {
  const { version, tickLower, tickUpper, sqrtPriceX96 } = asked
  if (made?.version !== version) return asked
  if (version === 'v2') requirePairRoom(asked, made, slippageBps)
  if (tickLower === null || tickUpper === null) return asked
  const bounds = {
    sqrtPriceX96,
    sqrtPriceAX96: getSqrtPriceAtTick(tickLower),
    sqrtPriceBX96: getSqrtPriceAtTick(tickUpper),
  }
  const liquidity = made.liquidity ?? 0n
  if (liquidity > maxUint128) throw upstreamRefusal('it deposits more than was asked for')
  const amounts =
    version === 'v4'
      ? getAmountsForLiquidity(sqrtPriceX96, bounds.sqrtPriceAX96, bounds.sqrtPriceBX96, liquidity, true)
      : { amount0: made.asked?.amount0 ?? 0n, amount1: made.asked?.amount1 ?? 0n }
  for (const side of ['amount0', 'amount1'] as const) {
    if (amounts[side] > asked[side]) throw upstreamRefusal('it deposits more than was asked for')
    if (amounts[side] * 10_000n < asked[side] * BigInt(10_000 - slippageBps)) {
      throw upstreamRefusal('it deposits less than was asked for')
    }
  }
  const bought =
    version === 'v4' ? { liquidity, minLiquidity: liquidity } : liquidityForAmounts({ bounds, ...amounts, slippageBps })
  requireRoom({ bounds, liquidity: bought.liquidity, slippageBps: Math.floor(slippageBps / 2), kept: undefined }, made)
  return { ...asked, ...amounts, ...bought }
}

/** Of what others build: the limits of a deposit leave the price half of the slippage that was asked for. */
function requireRoom(deposit: LimitedDeposit, { least, most }: CalldataDeposit): void {
  const [inner, outer] = [leastOfMint(deposit), mostOfMint(deposit)]
  for (const side of ['amount0', 'amount1'] as const) {
    const isTight =
      (least !== null && least[side] > inner[side] + roundedTwice) ||
      (most !== null && most[side] + roundedTwice < outer[side])
    if (isTight) throw upstreamRefusal(tooTightForUpstream)
  }
}

/** A pair takes just what its reserves ask for, so only its least amounts say how far the price may move. */
function requirePairRoom(asked: IntentDeposit, { least }: CalldataDeposit, slippageBps: number): void {
  const inner = leastOfPair(asked, Math.floor(slippageBps / 2), undefined)
  const isTight = (['amount0', 'amount1'] as const).some((side) => (least?.[side] ?? 0n) > inner[side] + roundedTwice)
  if (isTight) throw upstreamRefusal(tooTightForUpstream)
}

export const tooTightForUpstream = 'it leaves less room for the price to move than was asked for'

/** What was asked for is rounded by ourselves, and what is built by others. */
export const roundedTwice = 2n * mostRoundedOff
