import { plannedAmount, plannedStep, planSchema, safetyChecks } from '@svc/amm/plan'
import * as z from 'zod'

/*
 * What the story needs of each tool's result. A member that goes missing ends the demo with an error, not with a gap.
 */

const usd = z.number().nullable()

export const safety = z.object({
  limitsUsd: z.object({ perTransaction: z.string(), perSession: z.string(), daily: z.string() }),
  approvalThresholdUsd: z.string().nullable(),
})

export const remaining = z.object({ remainingUsd: z.object({ session: z.string() }) })

export const approved = z.object({ txHash: z.string() })

export const pools = z.object({
  items: z.array(
    z.object({
      version: z.string(),
      fee: z.number(),
      tvlUsd: usd,
      volume7dUsd: usd,
      feeApr7d: z.number().nullable(),
    }),
  ),
})

export const quote = z.object({
  amountOut: z.string(),
  minAmountOut: z.string(),
  priceImpactBps: z.number(),
  version: z.string(),
  gasUsd: usd,
})

export const planned = z.object({
  status: z.literal('planned'),
  plan: planSchema.pick({ spendUsd: true, gasCostUsd: true }).extend({
    steps: z.array(plannedStep.pick({ label: true })),
    deltas: z.array(plannedAmount.pick({ symbol: true, amount: true, usd: true })),
    policy: z.object({ allowed: z.literal(true) }),
  }),
})

const written = { status: z.literal('success'), txHash: z.string(), gasCostUsd: usd }

export const added = z.object({
  ...written,
  transactions: z.array(z.string()),
  positionId: z.string(),
  amount0Deposited: z.string(),
  amount1Deposited: z.string(),
  amount0DepositedUsd: usd,
  amount1DepositedUsd: usd,
  priceLower: z.number().nullable(),
  priceUpper: z.number().nullable(),
  currentPrice: z.number(),
  estimatedFeeApy7d: z.number().nullable(),
  safetyChecks,
})

export const position = z.object({
  token0Symbol: z.string(),
  token1Symbol: z.string(),
  amount0: z.string(),
  amount1: z.string(),
  feesOwed0: z.string(),
  feesOwed1: z.string(),
  valueUsd: usd,
  feesUsd: usd,
  inRange: z.boolean(),
})

export const collected = z.object({
  ...written,
  feesCollected: z.object({
    amount0: z.string(),
    amount0Symbol: z.string(),
    amount1: z.string(),
    amount1Symbol: z.string(),
    totalUsd: usd,
  }),
})

export const compounded = z.object({
  ...written,
  token0Symbol: z.string(),
  token1Symbol: z.string(),
  feesCollected: z.object({ amount0: z.string(), amount1: z.string(), totalUsd: usd }),
  reinvested: z.object({ amount0: z.string(), amount1: z.string() }),
})

export const rebalanced = z.object({
  ...written,
  closedPosition: z.object({
    amount0Received: z.string(),
    amount1Received: z.string(),
    feesCollected: z.object({ totalUsd: usd }),
  }),
  newPosition: z.object({
    positionId: z.string(),
    amount0Deposited: z.string(),
    amount1Deposited: z.string(),
    priceLower: z.number().nullable(),
    priceUpper: z.number().nullable(),
  }),
  atomicity: z.string(),
  notes: z.array(z.string()),
})

export const harvested = z.object({
  ...written,
  transactions: z.array(z.string()),
  consolidationSwaps: z.array(z.object({ tokenIn: z.string(), amountIn: z.string(), amountOut: z.string() })),
  summary: z.object({
    totalFeesUsd: usd,
    consolidatedAmount: z.string(),
    netValueUsd: usd,
  }),
})

export const ordered = z.object({
  ...written,
  operationId: z.string(),
  amountIn: z.string(),
  startAmountOut: z.string(),
  minAmountOut: z.string(),
  expiresAt: z.string(),
})

export const order = z.object({
  state: z.string(),
  result: z.object({ amountOut: z.string().nullable(), txHash: z.string().nullable() }),
})

export const vault = z.object({
  assetSymbol: z.string(),
  shareSymbol: z.string(),
  shares: z.string(),
  balance: z.string(),
  totalAssets: z.string(),
})

export const deposited = z.object({ ...written, deposited: z.string() })

export const withdrawn = z.object({ ...written, withdrawn: z.string() })

export const opened = z.object({
  ...written,
  operationId: z.string(),
  isOpened: z.literal(true),
  amountIn: z.string(),
  minAmountOut: z.string(),
})

export const crossing = z.object({
  state: z.string(),
  result: z.object({ destination: z.object({ amountOut: z.string().nullable(), txHash: z.string().nullable() }) }),
})

export const swapped = z.object({
  ...written,
  amountIn: z.string(),
  amountOut: z.string(),
  quotedAmountOut: z.string(),
  price: z.number(),
})

export const removed = z.object({
  ...written,
  amount0Received: z.string(),
  amount1Received: z.string(),
  feesCollected: z.object({ totalUsd: usd }),
  totalReceivedUsd: usd,
})

export const price = z.object({ priceUsd: z.number() })

export const balance = z.object({
  tokens: z.array(z.object({ symbol: z.string(), amount: z.string() })),
  totalUsd: usd,
  allowances: z.array(z.object({ amount: z.string() })),
})

/** What a call that needs a person says of it. */
export const asked = z.object({ operationId: z.string(), planHash: z.string() })
