import { plannedAmount, plannedCall, plannedDeposit, plannedStep, planSchema } from '@svc/amm/plan'
import * as z from 'zod'

/** Reads the plan of an operation's row: the members a person is shown. Throws when it is none. */
export function readStoredPlan(json: string): StoredPlan {
  return schema.parse(JSON.parse(json))
}

export type StoredPlan = z.output<typeof schema>

const { shape } = planSchema

/** Members with a fallback are missing in rows that an earlier version wrote. */
const amount = plannedAmount.extend({
  usd: plannedAmount.shape.usd.default(null),
  raw: plannedAmount.shape.raw.nullable().default(null),
  decimals: plannedAmount.shape.decimals.default(null),
  isListed: plannedAmount.shape.isListed.default(false),
})
const amounts = z.array(amount)

const dollars = z.string().regex(/^\d{1,30}(\.\d{1,2})?$/)

const call = plannedCall.extend({
  amounts: z.record(z.string(), amount).default({}),
  contracts: plannedCall.shape.contracts.default({}),
})

const step = plannedStep
  .omit({ selector: true })
  .extend({ valueWei: z.string().regex(/^\d{1,78}$/), calls: z.array(call) })

const schema = planSchema.pick({ why: true, gasCostUsd: true }).extend({
  steps: z.array(step),
  deltas: amounts,
  bounds: z.object({ spendsAtMost: amounts, receivesAtLeast: amounts }),
  deposits: z.array(plannedDeposit.omit({ tickLower: true, tickUpper: true })).default([]),
  values: z.object({ leavesUsd: dollars, arrivesUsd: dollars, arrivesAtWorstUsd: dollars }).nullable().default(null),
  warnings: shape.warnings.default([]),
  gasCostAtMost: shape.gasCostAtMost.nullable().default(null),
  gasCostAtMostUsd: shape.gasCostAtMostUsd.default(null),
  chain: shape.chain.nullable().default(null),
  policy: z.object({ conditions: z.array(z.object({ message: z.string() })) }),
})
