import * as z from 'zod'

/** A JSON-RPC quantity as a bigint. */
export const quantity = z
  .string()
  .regex(/^0x[0-9a-f]{1,64}$/i)
  .transform(BigInt)
