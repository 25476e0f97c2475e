import { type Amounts, getAmountsForLiquidity, getSqrtPriceAtTick, type TickRange } from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import type { Settled } from '../intent.ts'
import type {
  AddOutcome,
  AddPreview,
  Liquidity,
  LiquidityPlan,
  Pool,
  Position,
  RebalanceOutcome,
  RebalancePreview,
  PlanPorts,
} from '../ports.ts'
import { callerPrice } from './planning/deposit/opening-price.ts'
import { depositAt, refuseInverted } from './planning/deposit/fit-deposit.ts'
import { fitOwn, fitsAsIs, type FittedOwn, type OwnMove } from './planning/deposit/fit-own.ts'
import type { RangeBounds } from './planning/deposit/fit-amounts.ts'
import { resolveRange } from './planning/deposit/resolve-range.ts'
import { quoteToRatio } from './planning/quote-to-ratio.ts'
import { refuseClosed, refuseTooSmall, requireDeployment } from './planning/refusals.ts'
import { partsOf, settledCalls } from './planning/merge-intents.ts'
import { planMintV3 } from './v3/plan-add.ts'
import { planCloseAndOpenV3, planCloseAndOpenV4 } from './plan-close-and-open.ts'
import { planMintV4 } from './v4/plan-add.ts'
import { refuseDeltaHooks } from './v4/pool-key.ts'
import { unknownVersion } from '../ports/pools.ts'

/**
 * The `planRebalance` of the liquidity port. What the position pays out is put into the new range as it is, in one transaction, where that
 * deposits nearly all of it, or where the caller wants no swap; else the position is closed, the side that is too much is
 * swapped, and the new one is opened, one transaction after the other. What no range takes stays in the wallet.
 */
export function planRebalance(ports: RebalancePorts): Liquidity['planRebalance'] {
  return async (chain, position, request) => {
    const { pool } = position
    refuseDeltaHooks(pool.hooks, 'positionId')
    if (position.liquidity === 0n) throw refuseClosed(position)
    const ticks = ticksOf(pool, request)
    const whole = paidOut(position)
    const { slippageBps, kept } = request
    const bounds = boundsOf(pool.sqrtPriceX96, ticks)
    const own = { version: position.version, bounds, atHand: whole, bends: edgesOf(position) }
    if (!request.swapToRatio || fitsAsIs(own)) {
      const asIs = fitOwn({ ...own, slippageBps, kept })
      if (asIs.liquidity === 0n) throw needsSwap(request.swapToRatio)
      const move = moveOf(position, request, { ticks, bounds, fitted: asIs })
      const plan = { v3: () => planCloseAndOpenV3(chain, move), v4: () => planCloseAndOpenV4(ports, chain, move) }
      return plan[position.version]()
    }
    return planInTurn(ports, chain, { position, ticks, request })
  }
}

export type RebalancePorts = PlanPorts & {
  readonly liquidity: Pick<Liquidity, 'findPools' | 'quote'>
  readonly plans: Pick<Liquidity, 'planRemove' | 'planSwap'>
}

type RebalanceRequest = Parameters<Liquidity['planRebalance']>[2]

/** Those of the plan that is carried out, else what is asked for at the present price. */
function ticksOf(pool: Pool, { kept, range, inverted }: RebalanceRequest): TickRange {
  const { tickLower = null, tickUpper = null } = kept?.deposit ?? {}
  if (tickLower !== null && tickUpper !== null) return { tickLower, tickUpper }
  const [base, quote] = inverted ? [pool.token1, pool.token0] : [pool.token0, pool.token1]
  const price = callerPrice(pool, inverted)
  return refuseInverted({ range, price, otherOrder: quote.address }, () =>
    resolveRange({
      range,
      tickSpacing: pool.tickSpacing ?? 1,
      inverted,
      currentPrice: price,
      decimals0: base.decimals,
      decimals1: quote.decimals,
    }),
  )
}

function boundsOf(sqrtPriceX96: bigint, { tickLower, tickUpper }: TickRange): RangeBounds {
  return { sqrtPriceX96, sqrtPriceAX96: getSqrtPriceAtTick(tickLower), sqrtPriceBX96: getSqrtPriceAtTick(tickUpper) }
}

/** Principal and fees at a price of the pool, in its order, rounded down. */
function paidOut({ tickLower, tickUpper, liquidity, fees0, fees1 }: Position): (sqrtPriceX96: bigint) => Amounts {
  const [lower, upper] = edgesOf({ tickLower, tickUpper })
  return (sqrtPriceX96) => {
    const { amount0, amount1 } = getAmountsForLiquidity(sqrtPriceX96, lower, upper, liquidity, false)
    return { amount0: amount0 + fees0, amount1: amount1 + fees1 }
  }
}

function edgesOf({ tickLower, tickUpper }: TickRange): readonly [bigint, bigint] {
  return [getSqrtPriceAtTick(tickLower), getSqrtPriceAtTick(tickUpper)]
}

/** Close, swap, open. Each is planned for what the one before it brings at worst within the slippage, so that the wallet adds nothing. */
async function planInTurn(
  ports: RebalancePorts,
  chain: Chain,
  { position, ticks, request }: RebalanceParts,
): Promise<LiquidityPlan<RebalancePreview, RebalanceOutcome>> {
  const { slippageBps, deadline, recipient, kept } = request
  const { quote, zeroForOne, sqrtPriceX96 } = await quoteToRatio(ports, chain, {
    pool: position.pool,
    ticks,
    atHand: paidOut(position)(position.pool.sqrtPriceX96),
    without: position,
    kept,
  })
  const { token0, token1 } = position.pool
  const [tokenIn, tokenOut] = zeroForOne ? [token0, token1] : [token1, token0]
  const close = await ports.plans.planRemove(chain, position, {
    percentage: 100,
    collectFees: true,
    slippageBps,
    deadline,
    recipient,
  })
  const swap = await ports.plans.planSwap(chain, quote, { tokenIn, tokenOut, slippageBps, deadline, recipient })
  const least = swap.intent.receives.reduce((sum, { amount }) => sum + amount, 0n)
  const whole = paidOut(position)
  const atHand = (price: bigint): Amounts => {
    const { amount0, amount1 } = whole(price)
    const after = (amount: bigint, isIn: boolean) => (isIn ? positive(amount - quote.amountIn) : amount + least)
    return { amount0: after(amount0, zeroForOne), amount1: after(amount1, !zeroForOne) }
  }
  const bounds = boundsOf(sqrtPriceX96, ticks)
  const withinBps = Math.min(slippageBps, marginBps[position.version])
  const own = { version: position.version, bounds, kept, slippageBps: withinBps }
  // A v4 mint may take more where the price moves on: so much less is deposited, or the wallet would have to add it.
  const fitted =
    position.version === 'v4'
      ? fitOwn({ ...own, atHand: () => atHand(sqrtPriceX96), bends: [] })
      : { ...fitOwn({ ...own, atHand, bends: edgesOf(position) }), slippageBps }
  if (fitted.liquidity === 0n) throw needsSwap(true)
  // The plan let a v4 deposit take no more than within that margin.
  const bound = kept === undefined || position.version === 'v3' ? kept : { ...kept, slippageBps: withinBps }
  const open = planOpen(ports, chain, moveOf(position, { ...request, kept: bound }, { ticks, bounds, fitted }))
  const calls = [close, swap, open].flatMap(({ intent }) => intent.calls)
  return {
    intent: {
      ...open.intent,
      calls,
      atomicity: 'sequential',
      spends: [],
      receives: [],
      approvals: [...swap.intent.approvals, ...open.intent.approvals],
      slippageBps,
      why: `Move ${position.version} position ${position.positionId} into another range. ${swap.intent.why}`,
    },
    preview: { closed: close.preview, opened: open.preview, swap: { ...quote, tokenIn, tokenOut } },
    decode: (settled) => decodeInTurn(settled, { close, swap, open }),
  }
}

type InTurn = {
  readonly close: Awaited<ReturnType<Liquidity['planRemove']>>
  readonly swap: Awaited<ReturnType<Liquidity['planSwap']>>
  readonly open: ReturnType<typeof planOpen>
}

async function decodeInTurn(settled: Settled, { close, swap, open }: InTurn): Promise<RebalanceOutcome> {
  const parts = partsOf([close.intent, swap.intent, open.intent])
  const [closed = settled, swapped = settled, opened = settled] = parts.map(({ from, count }) =>
    settledCalls(settled, from, count),
  )
  const [closing, swapping, opening] = await Promise.all([
    close.decode(closed),
    swap.decode(swapped),
    open.decode(opened),
  ])
  return {
    closed: { ...closing, hash: closed.main.hash },
    opened: { ...opening, hash: opened.main.hash },
    swapped: swapping,
  }
}

/** How far the price may move until the last transaction without its taking more than the others have brought: a wider margin deposits less. */
const marginBps = { v3: 20, v4: 15 } as const

type RebalanceParts = {
  readonly position: Position
  readonly ticks: TickRange
  readonly request: RebalanceRequest
}

function planOpen(ports: PlanPorts, chain: Chain, move: OwnMove): LiquidityPlan<AddPreview, AddOutcome> {
  const { position, ...mint } = move
  const { pool, version } = position
  const target = { pool: { ...pool, sqrtPriceX96: move.deposit.bounds.sqrtPriceX96 }, createsPool: false }
  if (version === 'v4') return planMintV4(ports, chain, target, mint)
  if (version === 'v3') return planMintV3(requireDeployment(chain, 'v3').positionManager, chain, target, mint)
  throw unknownVersion(version)
}

/** At the slippage that the deposit was fitted to. */
function moveOf(
  position: Position,
  request: RebalanceRequest,
  { ticks, bounds, fitted }: { readonly ticks: TickRange; readonly bounds: RangeBounds; readonly fitted: FittedOwn },
): OwnMove {
  const { inverted, deadline, recipient, kept } = request
  const { slippageBps, ...amounts } = fitted
  const target = { pool: position.pool, createsPool: false }
  const pays = { inverted, paid0: position.pool.token0, paid1: position.pool.token1 }
  const deposit = depositAt(target, pays, { ticks, bounds, fitted: amounts })
  return { position, deposit, inverted, request: { slippageBps, deadline, recipient, kept } }
}

function positive(amount: bigint): bigint {
  return amount > 0n ? amount : 0n
}

function needsSwap(swaps: boolean): Error {
  return swaps
    ? refuseTooSmall('positionId', 'What the position pays out buys no liquidity in the new range.')
    : refuseTooSmall('swapToRatio', 'Without a swap, what the position pays out buys no liquidity in the new range.')
}
