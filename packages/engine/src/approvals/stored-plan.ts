import * as z from 'zod'

/** Reads the plan of an operation's row: the members a person is shown. Throws when it is none. */
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

const token = z.object({ token: z.string(), symbol: z.string(), isListed: z.boolean() })

const dollars = z.string().regex(/^\d{1,30}$/)

const deposit = z.object({
  kind: z.enum(['mint', 'increase']),
  version: z.enum(['v2', 'v3', 'v4']),
  pool: z.string(),
  token0: token,
  token1: token,
  feePct: z.number().nullable(),
  hooks: z.string().nullable(),
  positionId: z.string().nullable(),
  createsPool: z.boolean(),
  priceLower: z.number().nullable(),
  priceUpper: z.number().nullable(),
  currentPrice: z.number(),
  share0Pct: z.number(),
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
          contracts: z.record(z.string(), z.string()).default({}),
        }),
      ),
    }),
  ),
  deltas: z.array(amount),
  bounds: z.object({ spendsAtMost: z.array(amount), receivesAtLeast: z.array(amount) }),
  deposits: z.array(deposit).default([]),
  values: z.object({ leavesUsd: dollars, arrivesUsd: dollars, arrivesAtWorstUsd: dollars }).nullable().default(null),
  warnings: z.array(z.string()).default([]),
  gasCostUsd: z.number().nullable(),
  gasCostAtMost: z.string().nullable().default(null),
  gasCostAtMostUsd: z.number().nullable().default(null),
  chain: z.object({ name: z.string(), nativeSymbol: z.string(), nativeDecimals: z.number() }).nullable().default(null),
  policy: z.object({ conditions: z.array(z.object({ message: z.string() })) }),
})
