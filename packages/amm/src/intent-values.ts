import { type Address, type Hex, isAddress, isHex } from 'viem'
import * as z from 'zod'

/*
 * What intents are made of, as they are stored.
 */

export const address = z.custom<Address>((value) => typeof value === 'string' && isAddress(value, { strict: false }))
export const data = z.custom<Hex>((value) => isHex(value))

/** An amount as JSON has it, in decimal text. */
export const amount = z
  .string()
  .regex(/^\d{1,78}$/)
  .transform((text) => BigInt(text))

/** Data as JSON, its bigints as decimal text. */
export function storeData(data: object): string {
  return JSON.stringify(data, (_name, value: unknown) => (typeof value === 'bigint' ? `${value}` : value))
}
