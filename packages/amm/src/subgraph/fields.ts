import * as z from 'zod'

/** A decimal as subgraphs write it: text. */
export const decimalField = z
  .string()
  .max(200)
  .refine((text) => /^-?\d+(\.\d+)?$/.test(text) && Number.isFinite(Number(text)))
  .transform(Number)

/** Unix seconds, as a number. */
export const timeField = z.int().nonnegative()

/** Which block an answer is of. */
export const metaField = z.object({
  block: z.object({ number: z.int().nonnegative(), timestamp: z.int().nonnegative().nullable() }),
  hasIndexingErrors: z.boolean(),
})

export const metaQuery = '_meta { block { number timestamp } hasIndexingErrors }'
