import {
  type PriceSource,
  type Settled,
  type TwammOrder,
  type TwammPayout,
  type Pool,
  type Token,
  tokenLabel,
} from '@svc/amm'
import type { Chain } from '@svc/wallet/core'
import * as z from 'zod'
import { sumUsd, valueUsd } from '../analysis/value-usd.ts'
import { notesResult, priceNotes, tokenAmount, usdResult } from './results.ts'
import type { Hex } from 'viem'
import { invalidField } from './params.ts'

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

const accepted = 'Accepted: the lower-case 32-byte id of a v4 pool'

/** The pool of an order. */
export const twammPoolInput = z
  .string({ error: accepted })
  .refine((text) => /^0x[0-9a-f]{64}$/.test(text), accepted)
  .describe('v4 id')
  .transform((text) => text as Hex)

/** As submit_twamm_order gave it, unique within its pool; or as submit_uniswapx_order did. */
export const orderIdInput = z
  .string({ error: 'Accepted: orderId as the tool gave it that submitted the order' })
  .refine((text) => /^0x[0-9a-f]{64}$/.test(text), 'Accepted: orderId as the tool gave it that submitted the order')
  .transform((text) => text as Hex)

/** Throws `VALIDATION_FAILED` where the caller names a pool of other tokens. */
export function requireTokensOf({ token0, token1 }: Pool, tokenIn: Token, tokenOut: Token): void {
  const held = [token0, token1]
  const isOf = (token: Token): boolean => held.some(({ address }) => address === token.address)
  if (isOf(tokenIn) && isOf(tokenOut)) return
  const pair = held.map(tokenLabel).join(' and ')
  throw invalidField('pool', `This is a pool of ${pair}.`, 'a pool of tokenIn and tokenOut, or none: it is looked for')
}
