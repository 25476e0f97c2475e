import type { Address, Hash, Hex, Log } from 'viem'

/**
 * What a write tool wants to happen, as plain data. Everything the safety engine needs stands in it; approvals are
 * declared here and carried out (exactly, and taken back) by the pipeline, never encoded into `calls` by a tool.
 */
export type Intent = {
  readonly chainId: number
  /** The calls in order, each to a known contract. */
  readonly calls: readonly IntentCall[]
  /** How the calls hang together on chain. `sequential`: each is its own transaction, later ones may not happen. */
  readonly atomicity: Atomicity
  /** The most that may leave the wallet, per token. Native currency is the zero address. */
  readonly spends: readonly TokenQuantity[]
  /** The least that must arrive, per token. */
  readonly receives: readonly TokenQuantity[]
  /** Of several operations in one: what each by itself receives at least, in their order. */
  readonly receivesApart?: readonly (readonly TokenQuantity[])[] | undefined
  readonly approvals: readonly IntentApproval[]
  readonly riskTier: RiskTier
  /** The slippage the plan was made with; `null` when no price is involved. */
  readonly slippageBps: number | null
  /** Unix seconds written into the calldata; `null` when the call carries none. */
  readonly deadline: number | null
  /** Where funds or positions go, when it is decided by the calldata. */
  readonly recipients: readonly Address[]
  /** What the calls put into pools, in the order in which they do; the engine holds the calldata against it. */
  readonly deposits?: readonly IntentDeposit[] | undefined
  /** The caller asks for a pool to be created although no trusted price says what its tokens are worth. */
  readonly allowsUnpricedPool?: true | undefined
  /** A right over an own position that a call takes by a signature in it, in place of a transaction: the engine signs it last. */
  readonly permit?: PositionPermit | undefined
  /** What the chain must still say when it is this intent's turn; an earlier write may have changed it. */
  readonly restsOn?: readonly ChainAnswer[] | undefined
  /** Calls that would do the same one by one: only simulated, to tell what it saves that one call does. */
  readonly apart?: readonly IntentCall[] | undefined
  /**
   * Intents of their own that the same call goes on with once this one is settled, each through the pipeline by itself. A stored
   * plan of this one holds them too: nothing but what it names is carried out under it.
   */
  readonly follows?: readonly Intent[] | undefined
  /** One sentence for the audit log and for the person who approves. */
  readonly why: string
}

/**
 * What the v3 position manager lets a spender do with one position by a signature of its owner. The calldata holds `unsigned` in its
 * place, and takes the position apart: the right ends with it.
 */
export type PositionPermit = {
  readonly positionManager: Address
  readonly spender: Address
  readonly tokenId: bigint
  /** How many such signatures the position has seen. */
  readonly nonce: bigint
  /** Unix seconds. */
  readonly deadline: number
}

/** What a contract answered to a read. */
export type ChainAnswer = { readonly to: Address; readonly data: Hex; readonly answer: Hex }

export type IntentCall = {
  readonly to: Address
  readonly data: Hex
  readonly valueWei: bigint
  /** Short verb phrase, for example `mint position`. */
  readonly label: string
  /** What it says matters, not only what it moves: a plan of it is carried out to the letter or not at all. */
  readonly exact?: true | undefined
}

/**
 * One deposit of liquidity: what the calldata says, what a plan binds and what a person is shown. Tokens, ticks and
 * amounts in the pool's order.
 */
export type IntentDeposit = {
  /** A deposit into a v2 pair is always a `mint`, of shares. */
  readonly kind: 'mint' | 'increase'
  readonly version: 'v2' | 'v3' | 'v4'
  /** Pair or pool address; for v4 the 32-byte PoolId. */
  readonly pool: Hex
  readonly token0: Address
  readonly token1: Address
  /** As the pool's key has it: 0x800000 for a v4 pool whose hook decides the fee. */
  readonly fee: number
  readonly tickSpacing: number | null
  /** `null` without hooks. */
  readonly hooks: Address | null
  /** `null` for v2. */
  readonly tickLower: number | null
  readonly tickUpper: number | null
  /** The position that grows; `null` for a mint. */
  readonly positionId: string | null
  /** Who owns the position, or gets the shares. */
  readonly recipient: Address
  /** Of the pool when planned, or at which it is created. */
  readonly sqrtPriceX96: bigint
  /** What the deposit takes at that price. */
  readonly amount0: bigint
  readonly amount1: bigint
  readonly liquidity: bigint
  /** What the calldata lets it become at worst within the slippage. */
  readonly minLiquidity: bigint
  readonly createsPool: boolean
  /** Said of an increase alone: the position holds nothing before it. */
  readonly reopens?: true | undefined
  /** Whether the caller names the tokens in the other order; prices are shown in the caller's. */
  readonly isInverted: boolean
}

/** A deposit of a stored plan, for the handler that carries it out: it deposits into the same range, and no more. */
export type KeptDeposit = { readonly deposit: IntentDeposit; readonly slippageBps: number }

export type TokenQuantity = { readonly token: Address; readonly amount: bigint }

/** An allowance the calls need. `via: 'permit2'` means an exact, expiring Permit2 allowance for `spender` on top of an exact ERC-20 allowance for Permit2. */
export type IntentApproval = {
  readonly token: Address
  readonly spender: Address
  readonly amount: bigint
  readonly via: 'erc20' | 'permit2'
  /** False only for approve_token, whose purpose is the allowance itself. */
  readonly revokeAfter: boolean
}

export type Atomicity = 'single' | 'multicall' | 'batch-7702' | 'user-operation' | 'sequential'

export type RiskTier = 'routine' | 'standard' | 'elevated' | 'critical'

/**
 * Carries out an intent and shapes the result from what was mined. Resolves to the shaped result, or to a `Deferred`
 * when nothing was signed because the call was a dry run or waits for its time. Rejects with a `ToolError` otherwise;
 * one that waits for a person rejects with `APPROVAL_REQUIRED`, whose details name the stored operation.
 */
export type Execute = <Result>(
  intent: Intent,
  shape: (settled: Settled) => Result | Promise<Result>,
) => Promise<Result | Deferred>

/** What was mined, in order, decoded no further than receipts. */
export type Settled = {
  /** Approvals, calls, and what took leftovers of allowances back. */
  readonly transactions: readonly SettledTransaction[]
  /** The transaction of the last call of the intent: the one a result names as `txHash`. */
  readonly main: SettledTransaction
  /** The calls of the intent in order, each with the logs that are its own: of a batch they share a transaction. */
  readonly calls: readonly SettledTransaction[]
  /** Net change of the wallet per token (native is the zero address, fees of gas left out), from receipt logs. */
  readonly deltas: readonly TokenQuantity[]
  readonly gasCostWei: bigint
  readonly gasCostUsd: number | null
  /** Of several operations as one, as simulated: the gas of the transaction, and that of its calls as transactions of their own. */
  readonly gasOfBatch: { readonly together: bigint; readonly apart: bigint } | null
  readonly safetyChecks: SafetyChecks
  /** How much worse than the trusted price the trade was, pools' fees left out; `null` where nothing was traded or a price is missing. */
  readonly priceImpactBps: number | null
  /** What the value stage had to say, though it let the call pass. */
  readonly warnings: readonly string[]
}

/** A transaction that an earlier attempt at a call had mined, for the attempt that goes on. */
export type EarlierTransaction = Omit<SettledTransaction, 'label'> & {
  /** Net change of the wallet, as in `Settled`; what an empty list says is an approval, or failed. */
  readonly deltas: readonly TokenQuantity[]
  readonly gasCostWei: bigint
}

export type SettledTransaction = {
  readonly label: string
  readonly hash: Hash
  readonly blockNumber: bigint
  readonly logs: readonly Log[]
  readonly gasUsed: bigint
}

/** The recorded verdicts of the safety steps, as `add_liquidity` reports them. */
export type SafetyChecks = {
  readonly tokenAllowlistPassed: boolean
  readonly spendingLimitPassed: boolean
  readonly simulationPassed: boolean
}

/** The answer of a write that signed nothing: a dry run's plan, or an operation that runs by itself when its time comes. */
export type Deferred = Planned | Scheduled

export type Planned = { readonly status: 'planned'; readonly plan: Plan }

export type Scheduled = {
  readonly status: 'scheduled'
  readonly operationId: string
  /** ISO 8601; not before. */
  readonly executeAfter: string
  readonly plan: Plan
}

/** A plan in plain JSON: human amounts, decoded steps. */
export type Plan = {
  /** What `execute_plan` takes; the same as the id of the operation. */
  readonly planId: string
  /** Hash of the principal, the tool and its arguments, the intent, the wallet, the chain, and `deposits`, `values` and `warnings` as shown. */
  readonly planHash: Hash
  /** Hash of the simulation that the plan shows: the calls, the block and its time, and what the calls moved. */
  readonly simulationHash: Hash
  /** ISO 8601, after which it is not carried out; `null` where it waits for its time. */
  readonly expiresAt: string | null
  /** What it is for, in one sentence of ours. */
  readonly why: string
  readonly steps: readonly PlannedStep[]
  readonly atomicity: Atomicity
  /** Simulated change of the wallet: human decimal amounts, negative when they leave. */
  readonly deltas: readonly PlannedAmount[]
  /** What holds when it is carried out: no more leaves, no less arrives. */
  readonly bounds: {
    readonly spendsAtMost: readonly PlannedAmount[]
    readonly receivesAtLeast: readonly PlannedAmount[]
  }
  /** What goes into pools, in the caller's order of tokens. */
  readonly deposits: readonly PlannedDeposit[]
  /** What leaves and what comes back at trusted prices, positions included; part of the hash. */
  readonly values: PlannedValues
  /** Whatever a person should weigh, in sentences of ours. Part of the hash: figures that change with each block are none. */
  readonly warnings: readonly string[]
  readonly spendUsd: string
  readonly gasEstimate: string
  readonly gasCostUsd: number | null
  /**
   * The most that gas can cost before fees are raised, which is what counts against the spending limits: the whole gas limit
   * of every transaction at the highest fee, including those that take allowances back. Decimal native currency.
   */
  readonly gasCostAtMost: string
  readonly gasCostAtMostUsd: number | null
  /** For the person who decides. Callers do not get it, for they know the chain they asked for. */
  readonly chain: { readonly name: string; readonly nativeSymbol: string; readonly nativeDecimals: number }
  readonly policy: {
    /** Whether nothing stands against it. A person's approval or a delay may still come first: see `conditions`. */
    readonly allowed: boolean
    /** What `execute_plan` would do with it, in a sentence. */
    readonly verdict: string
    readonly checks: SafetyChecks
    readonly refusals: readonly { readonly code: string; readonly message: string }[]
    /** What must happen first: a person's approval, the delay of the risk tier. */
    readonly conditions: readonly { readonly code: string; readonly message: string }[]
  }
  readonly blockNumber: string
}

/** Whole US dollars as text, in the middle of every price's band. */
export type PlannedValues = {
  readonly leavesUsd: string
  readonly arrivesUsd: string
  /** In the worst outcome that the calldata permits. */
  readonly arrivesAtWorstUsd: string
}

/** One transaction of a plan, or one call of a batch, read from its calldata. */
export type PlannedStep = {
  readonly label: string
  readonly to: Address
  /** Name of the contract where it is known; text of unlisted tokens is data. */
  readonly contract: string | null
  readonly valueWei: string
  readonly selector: Hex
  /** The functions that run, those inside a multicall by themselves; empty where the calldata is not known. */
  readonly calls: readonly PlannedCall[]
}

export type PlannedCall = {
  readonly function: string
  readonly arguments: Readonly<Record<string, string>>
  /** The arguments that are amounts of a token that is known, by their names. */
  readonly amounts: Readonly<Record<string, PlannedAmount>>
  /** Our own names of the contracts that arguments name, by their names. For the person who decides, as `chain` is. */
  readonly contracts: Readonly<Record<string, string>>
}

/** A deposit as a person reads it: prices in whole tokens, token1 per token0, to six digits. */
export type PlannedDeposit = {
  readonly kind: IntentDeposit['kind']
  readonly version: IntentDeposit['version']
  readonly pool: Hex
  readonly token0: PlannedToken
  readonly token1: PlannedToken
  /** In percent; `null` where the pool's hook decides it. */
  readonly feePct: number | null
  readonly hooks: Address | null
  readonly positionId: string | null
  readonly createsPool: boolean
  /** In the pool's order, as the contract has them; `null` for v2. */
  readonly tickLower: number | null
  readonly tickUpper: number | null
  /** `null` where the range has no end on that side: v2, and the widest range. */
  readonly priceLower: number | null
  readonly priceUpper: number | null
  /** Of the pool when this was planned, or at which it is created. */
  readonly currentPrice: number
  /** How much of the deposit's value, at that price, is token0. */
  readonly share0Pct: number
}

export type PlannedToken = Pick<PlannedAmount, 'token' | 'symbol' | 'isListed'>

export type PlannedAmount = {
  readonly token: Address
  readonly symbol: string
  readonly amount: string
  readonly usd: number | null
  /** In smallest units. */
  readonly raw: string
  /** `null` where they are not known; `amount` is in smallest units then. */
  readonly decimals: number | null
  /** Whether the symbol is that of the chain's own list. Any contract can call itself anything. */
  readonly isListed: boolean
}
