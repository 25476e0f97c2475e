import { type Amounts, getSqrtPriceAtTick } from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import type { Intent, Settled } from '../intent.ts'
import type { AtomicRouteName } from '../plan.ts'
import type { CompoundOutcome, IncreaseOutcome, Liquidity, LiquidityPlan, Position } from '../ports.ts'
import { increaseOf } from './planning/deposit/deposit-of.ts'
import { fitOwn, type FittedOwn } from './planning/deposit/fit-own.ts'
import { liquidityForAmounts, type RangeBounds } from './planning/deposit/liquidity-for-amounts.ts'
import { describeAmounts } from './planning/describe-amounts.ts'
import type { PlanPorts } from './liquidity-ports.ts'
import { planPayment, routineIntent, sidesOf } from './planning/plan-payment.ts'
import { quoteToRatio } from './planning/quote-to-ratio.ts'
import { refuseTooSmall, requireDeployment } from './planning/refusals.ts'
import { partsOf, settledCalls } from './planning/merge-intents.ts'
import { mostOfMint } from './planning/slippage-limits.ts'
import { decodeIncrease, encodeIncrease } from './v3/plan-increase.ts'
import { positionManagerCall } from './v3/merge-position-manager-calls.ts'
import { encodeIncrease as encodeIncreaseV4 } from './v4/plan-increase.ts'
import { readModification } from './v4/read-modification.ts'
import { unknownVersion } from '../ports/pools.ts'

/**
 * Collects the fees of a position, swaps what is too much of one side, and adds both to it, all in one transaction of the wallet. The
 * deposit is planned for what collection and swap bring at worst within the slippage, so that the wallet adds nothing of its own; what
 * is left over comes to it.
 */
export async function planCompoundWithSwap(
  ports: CompoundPorts,
  chain: Chain,
  position: Position,
  request: CompoundRequest,
): Promise<LiquidityPlan<CompoundOutcome, CompoundOutcome>> {
  const { slippageBps, deadline, recipient, kept } = request
  const { pool, fees0, fees1, version, positionId } = position
  const { quote, zeroForOne, sqrtPriceX96 } = await quoteToRatio(ports, chain, {
    pool,
    ticks: position,
    atHand: { amount0: fees0, amount1: fees1 },
    without: null,
    kept,
  })
  const [tokenIn, tokenOut] = zeroForOne ? [pool.token0, pool.token1] : [pool.token1, pool.token0]
  const collect = await ports.plans.planCollect(chain, position, { deadline, recipient })
  const swap = await ports.plans.planSwap(chain, quote, { tokenIn, tokenOut, slippageBps, deadline, recipient })
  const least = swap.intent.receives.reduce((sum, { amount }) => sum + amount, 0n)
  const after = (amount: bigint, isIn: boolean) => (isIn ? positive(amount - quote.amountIn) : amount + least)
  const atHand: Amounts = { amount0: after(fees0, zeroForOne), amount1: after(fees1, !zeroForOne) }
  const bounds = {
    sqrtPriceX96,
    sqrtPriceAX96: getSqrtPriceAtTick(position.tickLower),
    sqrtPriceBX96: getSqrtPriceAtTick(position.tickUpper),
  }
  const fitted = fitOwn({ version, bounds, atHand: () => atHand, bends: [], slippageBps, kept })
  if (fitted.liquidity === 0n) {
    throw refuseTooSmall('positionId', 'What waits of both tokens buys no liquidity in the range of the position.')
  }
  const increase = planOwnIncrease(ports, chain, { position, bounds, fitted, request })
  const parts = [collect.intent, swap.intent, increase.intent]
  const wanted = describeAmounts(sidesOf(pool.token0, pool.token1, fitted), 'up')
  return {
    intent: {
      ...routineIntent(chain, {
        calls: parts.flatMap(({ calls }) => calls),
        atomicity: request.route,
        deposits: increase.intent.deposits,
        slippageBps,
        deadline,
        recipients: [recipient],
        why: `Add ${wanted} of its fees to ${version} position ${positionId}. ${swap.intent.why}`,
      }),
      approvals: parts.flatMap(({ approvals }) => approvals),
    },
    preview: { fees0, fees1, ...fitted, swapped: { tokenIn, tokenOut, version: quote.version, ...amountsOf(quote) } },
    decode: async (settled) => {
      const [collected = settled, swapped = settled, added = settled] = partsOf(parts).map(({ from, count }) =>
        settledCalls(settled, from, count),
      )
      const [fees, traded, gained] = await Promise.all([
        collect.decode(collected),
        swap.decode(swapped),
        increase.decode(added),
      ])
      return { ...fees, ...gained, swapped: { tokenIn, tokenOut, version: quote.version, ...amountsOf(traded) } }
    },
  }
}

export type CompoundPorts = Pick<PlanPorts, 'rpc'> & {
  readonly liquidity: Pick<Liquidity, 'quote'>
  readonly plans: Pick<Liquidity, 'planCollect' | 'planSwap'>
}

export type CompoundRequest = Parameters<Liquidity['planCompound']>[2] & { readonly route: AtomicRouteName }

type OwnIncrease = {
  readonly position: Position
  readonly bounds: RangeBounds
  readonly fitted: FittedOwn
  readonly request: CompoundRequest
}

/** An increase out of the wallet, after the fees have come to it. */
function planOwnIncrease(
  ports: Pick<PlanPorts, 'rpc'>,
  chain: Chain,
  { position, bounds, fitted, request }: OwnIncrease,
): Pick<LiquidityPlan<never, IncreaseOutcome>, 'decode'> & {
  readonly intent: Pick<Intent, 'calls' | 'approvals' | 'deposits'>
} {
  const { amount0, amount1, liquidity, slippageBps } = fitted
  const { deadline, kept } = request
  const { token0, token1 } = position.pool
  // The price that the swap leaves.
  const priced = { ...position, pool: { ...position.pool, sqrtPriceX96: bounds.sqrtPriceX96 } }
  if (position.version === 'v3') {
    const { positionManager } = requireDeployment(chain, 'v3')
    const { approvals } = planPayment(sidesOf(token0, token1, fitted), positionManager, 'erc20')
    const encoded = encodeIncrease(position, { bounds, fitted }, { slippageBps, deadline, kept })
    const bought = liquidityForAmounts({ bounds, amount0, amount1, slippageBps })
    const { calls } = positionManagerCall(positionManager, [encoded], 0n, 'add fees')
    const deposits = [increaseOf(priced, { amount0, amount1, ...bought })]
    const decode = async (settled: Settled) => decodeIncrease(settled, positionManager)
    return { intent: { calls, approvals, deposits }, decode }
  }
  if (position.version !== 'v4') throw unknownVersion(position.version)
  const { positionManager } = requireDeployment(chain, 'v4')
  const most = mostOfMint({ bounds, liquidity, slippageBps, kept })
  const { approvals, valueWei } = planPayment(sidesOf(token0, token1, most), positionManager, 'permit2')
  const data = encodeIncreaseV4(position, liquidity, most, { sweeps: valueWei > 0n, deadline })
  return {
    intent: {
      calls: [{ to: positionManager, data, valueWei, label: 'add fees' }],
      approvals,
      deposits: [increaseOf(priced, { amount0, amount1, liquidity, minLiquidity: liquidity })],
    },
    // Collection and swap are in the same block: what the deposit took follows from its price alone.
    decode: async (settled) => {
      const { liquidityDelta, principal } = await readModification(
        ports,
        chain,
        position.pool,
        BigInt(position.positionId),
        settled,
        { isAlone: false },
      )
      return { liquidity: liquidityDelta, ...principal }
    },
  }
}

function amountsOf({ amountIn, amountOut }: { readonly amountIn: bigint; readonly amountOut: bigint }) {
  return { amountIn, amountOut }
}

function positive(amount: bigint): bigint {
  return amount > 0n ? amount : 0n
}
