import { isDeepStrictEqual } from 'node:util'
import { isAddressEqual } from 'viem'
import type { Chain } from '@svc/wallet/core'
import { getSqrtPriceAtTick } from '@svc/lp-math'
import type { Intent, IntentDeposit } from '../intent.ts'
import type {
  AddOutcome,
  AddPreview,
  AddRequest,
  IncreaseOutcome,
  Liquidity,
  LiquidityPlan,
  MigratePreview,
  MigrateRequest,
  PairShare,
  Position,
  Quote,
  RemoveOutcome,
  SwapOutcome,
  RemoveRequest,
} from '../ports.ts'
import { leastOfMint, lessSlippage } from '../liquidity/planning/slippage-limits.ts'
import { builtNote, TradingError } from './trading-wire.ts'

/**
 * The one place where it is chosen who builds the calls of a plan. Our own plan is always made: it says what may leave and what
 * must arrive, and it is carried out where the other route gives nothing, which its notes then say. A transaction that the other
 * route built and that is not what was asked for is refused, never replaced: who sends such a thing is to be looked at. Nothing
 * has been signed when the route is chosen, and nothing chooses again afterwards.
 */
export function routeLiquidity(own: Liquidity, route: LiquidityRoute): Liquidity {
  return {
    ...own,
    async planCollect(chain, position, request) {
      const plan = await own.planCollect(chain, position, request)
      return built(plan, async () => ({ intent: await route.collect(chain, position, request, plan.intent) }))
    },
    async planRemove(chain, position, request) {
      const plan = await own.planRemove(chain, position, request)
      if (!canBeBuilt(position, request)) return plan
      const unbound = await own.planRemove(chain, position, { ...request, keptReceipts: undefined })
      if (!isDeepStrictEqual(unbound.intent.receives, plan.intent.receives)) return plan
      return built(plan, async () => ({ intent: await route.remove(chain, position, request, plan) }))
    },
    async planAdd(chain, request) {
      const plan = await own.planAdd(chain, request)
      if (request.isPart === true || !takesDeposit(request, plan.intent)) return plan
      return built(plan, async () => ({ intent: await route.add(chain, request, plan) }))
    },
    async planIncrease(chain, position, request) {
      const plan = await own.planIncrease(chain, position, request)
      if (!takesDeposit(request, plan.intent)) return plan
      return built(plan, async () => ({ intent: await route.increase(chain, position, request, plan) }))
    },
    async planSwap(chain, quote, request) {
      const plan = await own.planSwap(chain, quote, request)
      const { alone, slippageBps } = request
      const keptRouter = alone?.keptRouter ?? null
      const router = chain.amm.universalRouter?.address
      const isOurs = keptRouter !== null && (router === undefined || !isAddressEqual(keptRouter, router))
      if (alone === undefined || isOurs || slippageBps >= 10_000) return plan
      return built(plan, async () => route.swap(chain, quote, request, plan))
    },
    async planMigrate(chain, readPosition, request) {
      return route.migrate(chain, await readPosition(), request)
    },
  }
}

/** The other route always pays out all fees of v3 and takes its limits from a slippage of the present price. */
function canBeBuilt({ version }: Position | PairShare, { collectFees, slippageBps }: RemoveRequest): boolean {
  return (collectFees || version !== 'v3') && slippageBps < 10_000
}

/**
 * The other route takes its limits from a slippage of the present price, and has no words for those of a plan that is carried out. One
 * that would hold the deposit to nothing is refused of others.
 */
function takesDeposit({ kept, slippageBps }: DepositRequest, { deposits: [deposit] = [] }: Intent): boolean {
  return kept === undefined && slippageBps < 10_000 && deposit !== undefined && hasLeast(deposit, slippageBps)
}

function hasLeast(deposit: IntentDeposit, slippageBps: number): boolean {
  const { version, tickLower, tickUpper, sqrtPriceX96, liquidity } = deposit
  if (version === 'v4') return true
  if (version === 'v2')
    return [deposit.amount0, deposit.amount1].some((amount) => lessSlippage(amount, slippageBps) > 0n)
  if (tickLower === null || tickUpper === null) return false
  const [sqrtPriceAX96, sqrtPriceBX96] = [getSqrtPriceAtTick(tickLower), getSqrtPriceAtTick(tickUpper)]
  const bounds = { sqrtPriceX96, sqrtPriceAX96, sqrtPriceBX96 }
  const least = leastOfMint({ bounds, liquidity, slippageBps, kept: undefined })
  return least.amount0 > 0n || least.amount1 > 0n
}

type DepositRequest = Pick<AddRequest, 'kept' | 'slippageBps'>
type IncreaseRequest = Parameters<Liquidity['planIncrease']>[2]

/** Somebody else who builds the calls of a plan of ours. Throws `TradingError` where it gives none, `UNSAFE_TRANSACTION` where they are others. */
export type LiquidityRoute = {
  collect(
    chain: Chain,
    position: Position,
    request: Parameters<Liquidity['planCollect']>[2],
    own: Intent,
  ): Promise<Intent>
  remove(
    chain: Chain,
    position: Position | PairShare,
    request: RemoveRequest,
    own: LiquidityPlan<RemoveOutcome, RemoveOutcome>,
  ): Promise<Intent>
  add(chain: Chain, request: AddRequest, own: LiquidityPlan<AddPreview, AddOutcome>): Promise<Intent>
  increase(
    chain: Chain,
    position: Position,
    request: IncreaseRequest,
    own: LiquidityPlan<IncreaseOutcome, IncreaseOutcome>,
  ): Promise<Intent>
  /** `null` where the route found here gives more. */
  swap(
    chain: Chain,
    quote: Quote,
    request: Parameters<Liquidity['planSwap']>[2],
    own: LiquidityPlan<SwapOutcome, SwapOutcome>,
  ): Promise<Pick<LiquidityPlan<SwapOutcome, SwapOutcome>, 'intent' | 'decode'> | null>
  /** There is no way of our own: throws `TRADING_API_*` where there is none here. */
  migrate(chain: Chain, position: Position, request: MigrateRequest): Promise<LiquidityPlan<MigratePreview, AddOutcome>>
}

async function built<Plan extends AnyPlan>(plan: Plan, build: () => Promise<Partial<Plan> | null>): Promise<Plan> {
  try {
    const theirs = await build()
    return theirs === null ? { ...plan, notes: [ownNote] } : { ...plan, ...theirs, notes: [builtNote] }
  } catch (error) {
    if (!(error instanceof TradingError)) throw error
    const note = `The trading API ${error.message}; the calls were built here instead.`
    return { ...plan, notes: [error.kind === 'key' ? `${note} SVC_TRADING_API_KEY is to be corrected.` : note] }
  }
}

type AnyPlan = { readonly intent: Intent; readonly notes?: readonly string[] }

const ownNote = 'The trading API offers less than the route found here, which was taken.'
