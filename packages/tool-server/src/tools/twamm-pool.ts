import { type Pool, type Token, tokenLabel } from '@svc/amm'
import type { Hex } from 'viem'
import * as z from 'zod'
import { invalidField } from './params.ts'

const accepted = 'Accepted: the lower-case 32-byte id of a v4 pool'

/** The pool of an order. */
export const twammPoolInput = z
  .string({ error: accepted })
  .refine((text) => /^0x[0-9a-f]{64}$/.test(text), accepted)
  .describe('v4 id')
  .transform((text) => text as Hex)

/** As submit_twamm_order gave it; unique within its pool. */
export const orderIdInput = z
  .string({ error: 'Accepted: orderId as submit_twamm_order gave it' })
  .refine((text) => /^0x[0-9a-f]{64}$/.test(text), 'Accepted: orderId as submit_twamm_order gave it')
  .transform((text) => text as Hex)

/** Throws `VALIDATION_FAILED` where the caller names a pool of other tokens. */
export function requireTokensOf({ token0, token1 }: Pool, tokenIn: Token, tokenOut: Token): void {
  const held = [token0, token1]
  const isOf = (token: Token): boolean => held.some(({ address }) => address === token.address)
  if (isOf(tokenIn) && isOf(tokenOut)) return
  const pair = held.map(tokenLabel).join(' and ')
  throw invalidField('pool', `This is a pool of ${pair}.`, 'a pool of tokenIn and tokenOut, or none: it is looked for')
}
