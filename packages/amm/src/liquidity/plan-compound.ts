import { type Amounts, formatAmount, getSqrtPriceAtTick } from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import type { Intent, Settled } from '../intent.ts'
import type { CompoundOutcome, Liquidity, LiquidityPlan, Position, IncreaseOutcome, PlanPorts } from '../ports.ts'
import { ToolError } from '../tool-error.ts'
import { increaseOf, type IncreaseRequest } from './planning/deposit/fit-deposit.ts'
import { fitOwn, fitsAsIs, type FittedOwn } from './planning/deposit/fit-own.ts'
import { liquidityForAmounts, type RangeBounds } from './planning/deposit/fit-amounts.ts'
import {
  describeAmounts,
  tokenLabel,
  leastReceipts,
  planPayment,
  routineIntent,
  sidesOf,
} from './planning/plan-payment.ts'
import { nothingToCollect, requireDeployment, refuseTooSmall } from './planning/refusals.ts'
import { mostOfMint } from './planning/slippage-limits.ts'
import { decodeIncrease, encodeIncrease } from './v3/plan-add.ts'
import { collectedFromPool, encodeCollect } from './v3/plan-remove.ts'
import { positionManagerCall, partsOf, settledCalls } from './planning/merge-intents.ts'
import { encodeIncrease as encodeIncreaseV4 } from './v4/plan-modify.ts'
import { readModification } from './v4/read-modification.ts'
import { refuseDeltaHooks } from './v4/pool-key.ts'
import type { AtomicRouteName } from '../plan.ts'
import { quoteToRatio } from './planning/quote-to-ratio.ts'
import { unknownVersion } from '../ports/pools.ts'

/** The `planCompound` of the liquidity port. */
export function planCompound(ports: CompoundPorts): Liquidity['planCompound'] {
  return async (chain, position, request) => {
    const { pool, fees0, fees1 } = position
    refuseDeltaHooks(pool.hooks, 'positionId')
    const bounds = {
      sqrtPriceX96: pool.sqrtPriceX96,
      sqrtPriceAX96: getSqrtPriceAtTick(position.tickLower),
      sqrtPriceBX96: getSqrtPriceAtTick(position.tickUpper),
    }
    const fees = { amount0: fees0, amount1: fees1 }
    const { slippageBps, kept, swapToRatio } = request
    if (fees0 === 0n && fees1 === 0n) throw nothingToCollect(position)
    const waiting = { version: position.version, bounds, atHand: () => fees, bends: [] }
    if (swapToRatio && !fitsAsIs(waiting)) {
      const route = await request.atomicRoute()
      if (route === null) {
        throw needsSwap(position, fitOwn({ ...waiting, slippageBps, kept }).liquidity > 0n)
      }
      return planCompoundWithSwap(ports, chain, position, { ...request, route })
    }
    const fitted = fitOwn({ ...waiting, slippageBps, kept })
    if (fitted.liquidity === 0n) throw buysNothing(position)
    const own = { position, bounds, fees, fitted, request: { ...request, slippageBps: fitted.slippageBps } }
    const plan = { v3: () => planCompoundV3(chain, own), v4: () => planCompoundV4(ports, chain, own) }
    return plan[position.version]()
  }
}

type Compounded = {
  readonly position: Position
  readonly bounds: RangeBounds
  readonly fees: Amounts
  readonly fitted: FittedOwn
  readonly request: Pick<IncreaseRequest, 'slippageBps' | 'deadline' | 'kept'> &
    Parameters<Liquidity['planCompound']>[2]
}

/**
 * Collects into the wallet and adds out of it in one `multicall`: the position manager takes no more than was planned, through an exact
 * allowance, and what the range does not take stays in the wallet.
 */
function planCompoundV3(chain: Chain, own: Compounded): LiquidityPlan<CompoundOutcome, CompoundOutcome> {
  const { position, bounds, fees, fitted, request } = own
  const { positionManager } = requireDeployment(chain, 'v3')
  const { token0, token1 } = position.pool
  const { amount0, amount1 } = fitted
  const { approvals } = planPayment(sidesOf(token0, token1, fitted), positionManager, 'erc20')
  const steps = [encodeCollect(position, request.recipient), encodeIncrease(position, { bounds, fitted }, request)]
  const liquidity = liquidityForAmounts({ bounds, amount0, amount1, slippageBps: request.slippageBps })
  return {
    intent: compoundIntent(chain, own, {
      ...positionManagerCall(positionManager, steps, 0n, 'compound fees'),
      approvals,
      deposits: [increaseOf(position, { amount0, amount1, ...liquidity })],
    }),
    preview: outcomeOf(fees, fitted),
    decode: async (settled) => {
      const paid = collectedFromPool(settled, position, positionManager)
      return outcomeOf(paid, decodeIncrease(settled, positionManager))
    },
  }
}

/** An increase pays out all fees, and they pay for it: nothing leaves the wallet, and no allowance is needed. */
function planCompoundV4(
  ports: Pick<PlanPorts, 'rpc'>,
  chain: Chain,
  own: Compounded,
): LiquidityPlan<CompoundOutcome, CompoundOutcome> {
  const { position, bounds, fees, fitted, request } = own
  const { positionManager } = requireDeployment(chain, 'v4')
  const { amount0, amount1, liquidity } = fitted
  const most = mostOfMint({ bounds, liquidity, slippageBps: request.slippageBps, kept: request.kept })
  const data = encodeIncreaseV4(position, liquidity, most, { sweeps: false, deadline: request.deadline })
  return {
    intent: compoundIntent(chain, own, {
      calls: [{ to: positionManager, data, valueWei: 0n, label: 'compound fees' }],
      atomicity: 'single',
      deposits: [increaseOf(position, { amount0, amount1, liquidity, minLiquidity: liquidity })],
    }),
    preview: outcomeOf(fees, fitted),
    decode: async (settled) => {
      const { pool, positionId } = position
      const change = await readModification(ports, chain, pool, BigInt(positionId), settled)
      return outcomeOf(change.fees, { liquidity: change.liquidityDelta, ...change.principal })
    },
  }
}

function compoundIntent(
  chain: Chain,
  { position, fees, fitted, request }: Compounded,
  facts: Pick<Intent, 'calls' | 'atomicity' | 'deposits'> & Partial<Pick<Intent, 'approvals'>>,
): Intent {
  const { pool, positionId, version } = position
  const left = { amount0: fees.amount0 - fitted.amount0, amount1: fees.amount1 - fitted.amount1 }
  // In v4 a move of the price takes up to all of what is left.
  const least = { v3: left, v4: { amount0: 0n, amount1: 0n } }[version]
  return routineIntent(chain, {
    ...facts,
    receives: leastReceipts(sidesOf(pool.token0, pool.token1, least)),
    slippageBps: request.slippageBps,
    deadline: request.deadline,
    recipients: [request.recipient],
    why: `Add ${describeAmounts(sidesOf(pool.token0, pool.token1, fitted), 'up')} of its fees to ${version} position ${positionId}.`,
  })
}

function outcomeOf(
  fees: Amounts,
  { liquidity, amount0, amount1 }: Amounts & { readonly liquidity: bigint },
): CompoundOutcome {
  return { fees0: fees.amount0, fees1: fees.amount1, liquidity, amount0, amount1, swapped: null }
}

/** No contract of v3 or v4 collects, swaps and adds in one call. */
function needsSwap(position: Position, buysWithout: boolean): ToolError {
  const message =
    'The fees are not in the ratio of the range, and this wallet cannot swap and add them in one transaction.'
  return new ToolError('ATOMIC_EXECUTION_UNAVAILABLE', message, {
    details: [
      {
        field: 'swapToRatio',
        message: buysWithout ? 'needs an atomic route' : 'needs an atomic route; false would buy no liquidity',
        ...(buysWithout ? { accepted: 'false' } : {}),
        ...waitingIn(position),
      },
    ],
    suggestion: buysWithout
      ? 'Call again with swapToRatio false: what the range takes is added, the rest comes to the wallet.'
      : 'Take the fees out with collect_fees, or wait for fees of both tokens.',
  })
}

/** What waits of both tokens, as amounts with symbols. */
function waitingIn({ pool: { token0, token1 }, fees0, fees1 }: Position): { readonly waits: readonly string[] } {
  const [one, other] = [formatAmount(fees0, token0.decimals), formatAmount(fees1, token1.decimals)]
  return { waits: [`${one} ${tokenLabel(token0)}`, `${other} ${tokenLabel(token1)}`] }
}

function buysNothing(position: Position): ToolError {
  const message = 'What waits of both tokens buys no liquidity in the range of the position.'
  return new ToolError('AMOUNT_TOO_SMALL', message, {
    details: [{ field: 'positionId', message, ...waitingIn(position) }],
    suggestion: 'Wait for fees of both tokens, or take them out with collect_fees.',
  })
}

/**
 * Collects the fees of a position, swaps what is too much of one side, and adds both to it, all in one transaction of the wallet. The
 * deposit is planned for what collection and swap bring at worst within the slippage, so that the wallet adds nothing of its own; what
 * is left over comes to it.
 */
async function planCompoundWithSwap(
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

type CompoundPorts = Pick<PlanPorts, 'rpc'> & {
  readonly liquidity: Pick<Liquidity, 'quote'>
  readonly plans: Pick<Liquidity, 'planCollect' | 'planSwap'>
}

type CompoundRequest = Parameters<Liquidity['planCompound']>[2] & { readonly route: AtomicRouteName }

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
