import type { Liquidity } from '../ports.ts'
import type { PlanPorts } from './planning/plan-ports.ts'
import { planSwapV2 } from './v2/plan-swap.ts'
import { planSwapV3 } from './v3/plan-swap.ts'
import { planSwapV4 } from './v4/plan-swap.ts'

/** The `planSwap` of the liquidity port. */
export function planSwap(ports: Pick<PlanPorts, 'tokens'>): Liquidity['planSwap'] {
  return async (chain, quote, request) => {
    if (quote.version === 'v2') return planSwapV2(ports, chain, quote, request)
    if (quote.version === 'v3') return planSwapV3(ports, chain, quote, request)
    return planSwapV4(chain, quote, request)
  }
}
