import * as z from 'zod'

/** Hexadecimal of any length; what a plan names is our own, so that nothing of it is looked at more closely. */
const hex = z.templateLiteral(['0x', z.string()])

export const plannedAmount = z.object({
  token: hex,
  /** Of a token of another chain than the plan's. */
  chainId: z.int().optional(),
  symbol: z.string(),
  amount: z.string(),
  usd: z.number().nullable(),
  /** In smallest units. */
  raw: z.string(),
  /** `null` where they are not known; `amount` is in smallest units then. */
  decimals: z.number().nullable(),
  /** Whether the symbol is that of the chain's own list. Any contract can call itself anything. */
  isListed: z.boolean(),
})

export type PlannedAmount = Readonly<z.output<typeof plannedAmount>>

export const plannedToken = plannedAmount.pick({ token: true, symbol: true, isListed: true })

export type PlannedToken = Readonly<z.output<typeof plannedToken>>

export const plannedCall = z.object({
  function: z.string(),
  arguments: z.record(z.string(), z.string()).readonly(),
  /** The arguments that are amounts of a token that is known, by their names. */
  amounts: z.record(z.string(), plannedAmount).readonly(),
  /** Our own names of the contracts that arguments name, by their names. For the person who decides, as `chain` is. */
  contracts: z.record(z.string(), z.string()).readonly(),
})

export type PlannedCall = Readonly<z.output<typeof plannedCall>>

/** One transaction of a plan, or one call of a batch, read from its calldata. */
export const plannedStep = z.object({
  label: z.string(),
  to: hex,
  /** Name of the contract where it is known; text of unlisted tokens is data. */
  contract: z.string().nullable(),
  valueWei: z.string(),
  selector: hex,
  /** The functions that run, those inside a multicall by themselves; empty where the calldata is not known. */
  calls: z.array(plannedCall).readonly(),
})

export type PlannedStep = Readonly<z.output<typeof plannedStep>>

/** A deposit as a person reads it: prices in whole tokens, token1 per token0, to six digits. */
export const plannedDeposit = z.object({
  kind: z.enum(['mint', 'increase']),
  version: z.enum(['v2', 'v3', 'v4']),
  pool: hex,
  token0: plannedToken,
  token1: plannedToken,
  /** In percent; `null` where the pool's hook decides it. */
  feePct: z.number().nullable(),
  hooks: hex.nullable(),
  positionId: z.string().nullable(),
  createsPool: z.boolean(),
  /** In the pool's order, as the contract has them; `null` for v2. */
  tickLower: z.number().nullable(),
  tickUpper: z.number().nullable(),
  /** `null` where the range has no end on that side: v2, and the widest range. */
  priceLower: z.number().nullable(),
  priceUpper: z.number().nullable(),
  /** Of the pool when this was planned, or at which it is created. */
  currentPrice: z.number(),
  /** How much of the deposit's value, at that price, is token0. */
  share0Pct: z.number(),
})

export type PlannedDeposit = Readonly<z.output<typeof plannedDeposit>>

/** US dollars in cents, in the middle of every price's band: what leaves rounded up, what arrives down. */
const plannedValues = z.object({
  leavesUsd: z.string(),
  arrivesUsd: z.string(),
  /** In the worst outcome that the calldata permits. */
  arrivesAtWorstUsd: z.string(),
})

export type PlannedValues = Readonly<z.output<typeof plannedValues>>

export const atomicity = z.enum(['single', 'multicall', 'batch-7702', 'user-operation', 'sequential'])

export type Atomicity = z.output<typeof atomicity>

/** How a wallet makes several calls one, of which all happen or none. */
export type AtomicRouteName = Extract<Atomicity, 'batch-7702' | 'user-operation'>

/** Whether the wallet makes the calls one, whatever contracts they go to. */
export function isBatch({ atomicity: how }: { readonly atomicity: Atomicity }): boolean {
  return how === 'batch-7702' || how === 'user-operation'
}

/** The recorded verdicts of the safety steps, as `add_liquidity` reports them. */
export const safetyChecks = z.object({
  tokenAllowlistPassed: z.boolean(),
  spendingLimitPassed: z.boolean(),
  simulationPassed: z.boolean(),
})

export type SafetyChecks = Readonly<z.output<typeof safetyChecks>>

const reasons = z.array(z.object({ code: z.string(), message: z.string() })).readonly()

/** A plan in plain JSON: human amounts, decoded steps. */
export const planSchema = z.object({
  /** What `execute_plan` takes; the same as the id of the operation. */
  planId: z.string(),
  /** Hash of the principal, the tool and its arguments, the intent, the wallet, the chain, and `deposits`, `values` in whole dollars and `warnings`. */
  planHash: hex,
  /** Hash of the simulation that the plan shows: the calls, the block and its time, and what the calls moved. */
  simulationHash: hex,
  /** ISO 8601, after which it is not carried out; `null` where it waits for its time. */
  expiresAt: z.string().nullable(),
  /** What it is for, in one sentence of ours. */
  why: z.string(),
  steps: z.array(plannedStep).readonly(),
  atomicity,
  /** Simulated change of the wallet: human decimal amounts, negative when they leave. */
  deltas: z.array(plannedAmount).readonly(),
  /** What holds when it is carried out: no more leaves, no less arrives. */
  bounds: z.object({
    spendsAtMost: z.array(plannedAmount).readonly(),
    receivesAtLeast: z.array(plannedAmount).readonly(),
  }),
  /** What goes into pools, in the caller's order of tokens. */
  deposits: z.array(plannedDeposit).readonly(),
  /** What leaves and what comes back at trusted prices, positions included; part of the hash. */
  values: plannedValues,
  /** Whatever a person should weigh, in sentences of ours. Part of the hash: figures that change with each block are none. */
  warnings: z.array(z.string()).readonly(),
  spendUsd: z.string(),
  gasEstimate: z.string(),
  gasCostUsd: z.number().nullable(),
  /**
   * The most that gas can cost before fees are raised, which is what counts against the spending limits: the whole gas limit
   * of every transaction at the highest fee, including those that take allowances back. Decimal native currency.
   */
  gasCostAtMost: z.string(),
  gasCostAtMostUsd: z.number().nullable(),
  /** For the person who decides. Callers do not get it, for they know the chain they asked for. */
  chain: z.object({ name: z.string(), nativeSymbol: z.string(), nativeDecimals: z.number() }),
  policy: z.object({
    /** Whether nothing stands against it. A person's approval or a delay may still come first: see `conditions`. */
    allowed: z.boolean(),
    /** What `execute_plan` would do with it, in a sentence. */
    verdict: z.string(),
    checks: safetyChecks,
    refusals: reasons,
    /** What must happen first: a person's approval, the delay of the risk tier. */
    conditions: reasons,
  }),
  blockNumber: z.string(),
})

export type Plan = Readonly<z.output<typeof planSchema>>
