import type { PriceSource, Settled, TwammOrder, TwammPayout } from '@svc/amm'
import type { Chain } from '@svc/wallet/core'
import * as z from 'zod'
import { sumUsd, valueUsd } from '../analysis/value-usd.ts'
import { notesResult, priceNotes, tokenAmount, usdResult } from './results.ts'

const amountResult = z.object({ symbol: z.string(), amount: z.string() })

/** What came home of an order. */
export const payoutResult = {
  tokenIn: amountResult.describe('Not sold'),
  tokenOut: amountResult.describe('Earned'),
  totalUsd: usdResult,
  notes: notesResult,
}

export async function payoutOf(
  { tokenIn, tokenOut }: Pick<TwammOrder, 'tokenIn' | 'tokenOut'>,
  { amountIn, amountOut }: TwammPayout,
  settled: Settled,
  { chain, prices }: { readonly chain: Chain; readonly prices: Pick<PriceSource, 'usd'> },
) {
  const [priceIn, priceOut] = await Promise.all([prices.usd(chain, tokenIn), prices.usd(chain, tokenOut)])
  return {
    tokenIn: { symbol: tokenIn.symbol, amount: tokenAmount(amountIn, tokenIn) },
    tokenOut: { symbol: tokenOut.symbol, amount: tokenAmount(amountOut, tokenOut) },
    totalUsd: sumUsd(valueUsd(amountIn, tokenIn, priceIn), valueUsd(amountOut, tokenOut, priceOut)),
    notes: [...settled.warnings, ...priceNotes([tokenIn, priceIn], [tokenOut, priceOut])],
  }
}
