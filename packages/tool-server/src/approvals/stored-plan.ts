import * as z from 'zod'

/** Reads the plan of an operation's row: the members a person is told about. Throws when it is none. */
export function readStoredPlan(json: string): StoredPlan {
  return schema.parse(JSON.parse(json))
}

export type StoredPlan = z.output<typeof schema>

/** Members with a fallback are missing in rows that an earlier version wrote. */
const amount = z.object({
  token: z.string(),
  symbol: z.string(),
  amount: z.string(),
  usd: z.number().nullable().default(null),
  raw: z.string().nullable().default(null),
  decimals: z.number().nullable().default(null),
  isListed: z.boolean().default(false),
})

const schema = z.object({
  why: z.string(),
  steps: z.array(
    z.object({
      label: z.string(),
      to: z.string(),
      contract: z.string().nullable(),
      valueWei: z.string().regex(/^\d{1,78}$/),
      calls: z.array(
        z.object({
          function: z.string(),
          arguments: z.record(z.string(), z.string()),
          amounts: z.record(z.string(), amount).default({}),
        }),
      ),
    }),
  ),
  deltas: z.array(amount),
  bounds: z.object({ spendsAtMost: z.array(amount), receivesAtLeast: z.array(amount) }),
  gasCostUsd: z.number().nullable(),
  gasCostAtMost: z.string().nullable().default(null),
  gasCostAtMostUsd: z.number().nullable().default(null),
  chain: z.object({ name: z.string(), nativeSymbol: z.string(), nativeDecimals: z.number() }).nullable().default(null),
  policy: z.object({ conditions: z.array(z.object({ message: z.string() })) }),
})
