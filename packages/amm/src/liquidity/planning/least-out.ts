import type { Quote } from '../../ports.ts'
import { keptLeast } from './deposit/kept-least.ts'
import { lessSlippage } from './less-slippage.ts'
import { refuseTooSmall } from './refuse-too-small.ts'
import type { SwapRequest } from './swap-intent.ts'

/**
 * The least a swap must give: the quoted output less the slippage, never zero, because a minimum of zero lets anybody take
 * the whole output; of a plan that is carried out never less than that says.
 *
 * @throws ToolError `AMOUNT_TOO_SMALL` when less than one unit would remain, `SIMULATION_DRIFT` when the plan says more.
 */
export function leastOut(quote: Quote, { slippageBps, tokenOut, keptReceipts }: LeastRequest): bigint {
  const least = lessSlippage(quote.amountOut, slippageBps)
  if (quote.amountIn <= 0n || least <= 0n) {
    throw refuseTooSmall('amount', 'What this amount gives is less than one unit of the other token.')
  }
  return keptLeast(keptReceipts, tokenOut.address, { least, now: quote.amountOut })
}

type LeastRequest = Pick<SwapRequest, 'slippageBps' | 'tokenOut' | 'keptReceipts'>
