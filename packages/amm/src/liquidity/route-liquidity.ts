import type { Chain } from '@svc/wallet/core'
import type { Intent } from '../intent.ts'
import type { CollectOutcome, Liquidity, LiquidityPlan, Position } from '../ports.ts'
import { TradingError } from '../upstream/trading-error.ts'

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
      return built(plan, () => route.collect(chain, position, request, plan.intent))
    },
  }
}

/** Somebody else who builds the calls of a plan of ours. Throws `TradingError` where it gives none, `UNSAFE_TRANSACTION` where they are others. */
export type LiquidityRoute = {
  collect(
    chain: Chain,
    position: Position,
    request: Parameters<Liquidity['planCollect']>[2],
    own: Intent,
  ): Promise<Intent>
}

async function built<Plan extends LiquidityPlan<CollectOutcome, CollectOutcome>>(
  plan: Plan,
  build: () => Promise<Intent>,
): Promise<Plan> {
  try {
    return { ...plan, intent: await build(), notes: ['The calls were built by the trading API and checked here.'] }
  } catch (error) {
    if (!(error instanceof TradingError)) throw error
    const note = `The trading API ${error.message}; the calls were built here instead.`
    return { ...plan, notes: [error.kind === 'key' ? `${note} SVC_TRADING_API_KEY is to be corrected.` : note] }
  }
}
