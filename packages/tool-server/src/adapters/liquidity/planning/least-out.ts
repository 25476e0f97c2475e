import type { Quote } from '../../../ports.ts'
import { lessSlippage } from './less-slippage.ts'
import { refuseTooSmall } from './refuse-too-small.ts'

/**
 * The least a swap must give: the quoted output less the slippage, never zero, because a minimum of zero lets anybody take
 * the whole output.
 *
 * @throws ToolError `AMOUNT_TOO_SMALL` when less than one unit would remain.
 */
export function leastOut(quote: Quote, slippageBps: number): bigint {
  const least = lessSlippage(quote.amountOut, slippageBps)
  if (quote.amountIn <= 0n || least <= 0n) {
    throw refuseTooSmall('amount', 'What this amount gives is less than one unit of the other token.')
  }
  return least
}
