import type { Hash, Log } from 'viem'
import * as z from 'zod'
import { intentCrossChain } from './intent-cross-chain.ts'
import { address, amount, data, storeData } from './intent-values.ts'
import { atomicity, type Plan, type SafetyChecks } from './plan.ts'

const tokenQuantity = z.strictObject({ token: address, amount })

export type TokenQuantity = Readonly<z.output<typeof tokenQuantity>>

const intentCall = z.strictObject({
  to: address,
  data,
  valueWei: amount,
  /** Short verb phrase, for example `mint position`. */
  label: z.string(),
  /** What it says matters, not only what it moves: a plan of it is carried out to the letter or not at all. */
  exact: z.literal(true).optional(),
})

export type IntentCall = Readonly<z.output<typeof intentCall>>

const intentDeposit = z.strictObject({
  /** A deposit into a v2 pair is always a `mint`, of shares. */
  kind: z.enum(['mint', 'increase']),
  version: z.enum(['v2', 'v3', 'v4']),
  /** Pair or pool address; for v4 the 32-byte PoolId. */
  pool: data,
  token0: address,
  token1: address,
  /** As the pool's key has it: 0x800000 for a v4 pool whose hook decides the fee. */
  fee: z.int(),
  tickSpacing: z.int().nullable(),
  /** `null` without hooks. */
  hooks: address.nullable(),
  /** `null` for v2. */
  tickLower: z.int().nullable(),
  tickUpper: z.int().nullable(),
  /** The position that grows; `null` for a mint. */
  positionId: z
    .string()
    .regex(/^\d{1,78}$/)
    .nullable(),
  /** Who owns the position, or gets the shares. */
  recipient: address,
  /** Of the pool when planned, or at which it is created. */
  sqrtPriceX96: amount,
  /** What the deposit takes at that price. */
  amount0: amount,
  amount1: amount,
  liquidity: amount,
  /** What the calldata lets it become at worst within the slippage. */
  minLiquidity: amount,
  /** Where it is another than the intent's, which is that of several operations. */
  slippageBps: z.number().optional(),
  createsPool: z.boolean(),
  /** Said of an increase alone: the position holds nothing before it. */
  reopens: z.literal(true).optional(),
  /** Whether the caller names the tokens in the other order; prices are shown in the caller's. */
  isInverted: z.boolean(),
})

/**
 * One deposit of liquidity: what the calldata says, what a plan binds and what a person is shown. Tokens, ticks and
 * amounts in the pool's order.
 */
export type IntentDeposit = Readonly<z.output<typeof intentDeposit>>

/** A deposit of a stored plan, for the handler that carries it out: it deposits into the same range, and no more. */
export type KeptDeposit = {
  readonly deposit: IntentDeposit
  readonly slippageBps: number
  /** The plan itself where this is its only deposit: a swap that goes before it is the plan's only one then. */
  readonly plan?: Pick<Intent, 'calls' | 'approvals'> | undefined
}

const intentApproval = z.strictObject({
  token: address,
  spender: address,
  amount,
  via: z.enum(['erc20', 'permit2']),
  /** False only for approve_token, whose purpose is the allowance itself. */
  revokeAfter: z.boolean(),
})

/** An allowance the calls need. `via: 'permit2'` means an exact, expiring Permit2 allowance for `spender` on top of an exact ERC-20 allowance for Permit2. */
export type IntentApproval = Readonly<z.output<typeof intentApproval>>

const riskTier = z.enum(['routine', 'standard', 'elevated', 'critical'])

export type RiskTier = z.output<typeof riskTier>

const positionPermit = z.strictObject({
  positionManager: address,
  spender: address,
  tokenId: amount,
  /** How many such signatures the position has seen. */
  nonce: amount,
  /** Unix seconds. */
  deadline: z.int(),
})

/**
 * What the v3 position manager lets a spender do with one position by a signature of its owner. The calldata holds `unsigned` in its
 * place, and takes the position apart: the right ends with it. Where it is not mined, sweeps take back what others make of the signature.
 */
export type PositionPermit = Readonly<z.output<typeof positionPermit>>

const intentOrder = z.strictObject({
  /** What settles it: the spender that the permit names. */
  reactor: address,
  /** Of Permit2, unordered: its word and its bit there. */
  nonce: amount,
  /** Unix seconds after which nobody can fill it. */
  deadline: z.int(),
  /** Says when the amount asked for begins and ends to fall, and who may fill it first; never what it falls to. */
  cosigner: address,
  tokenIn: address,
  amountIn: amount,
  tokenOut: address,
  /** What is asked for at first, and what it falls to: the least that whoever fills it pays. */
  startAmountOut: amount,
  endAmountOut: amount,
  /** A contract that holds the token that is bought: what of it arrives is simulated out of its hands. */
  holder: address,
  /** JSON of the quote that it answers, which goes back with the signature. */
  quote: z.string().max(65_536),
})

/**
 * An order of the form `V2DutchOrder` that the wallet signs: whoever fills it before its deadline takes `amountIn` out of the wallet
 * through Permit2 and pays the wallet, and nobody else, at least `endAmountOut`.
 */
export type IntentOrder = Readonly<z.output<typeof intentOrder>>

const chainAnswer = z.strictObject({ to: address, data, answer: data })

/** What a contract answered to a read. */
export type ChainAnswer = Readonly<z.output<typeof chainAnswer>>

const quantities = z.array(tokenQuantity).readonly()

const oneIntent = z.strictObject({
  chainId: z.int(),
  /** The calls in order, each to a known contract. */
  calls: z.array(intentCall).readonly(),
  /** How the calls hang together on chain. `sequential`: each is its own transaction, later ones may not happen. */
  atomicity,
  /** The most that may leave the wallet, per token. Native currency is the zero address. */
  spends: quantities,
  /** The least that must arrive, per token. */
  receives: quantities,
  /** Of several operations in one: what each by itself receives at least, in their order. */
  receivesApart: z.array(quantities).readonly().optional(),
  approvals: z.array(intentApproval).readonly(),
  riskTier,
  /** The slippage the plan was made with; `null` when no price is involved. */
  slippageBps: z.number().nullable(),
  /** Unix seconds written into the calldata; `null` when the call carries none. */
  deadline: z.number().nullable(),
  /** Where funds or positions go, when it is decided by the calldata. */
  recipients: z.array(address).readonly(),
  /** What the calls put into pools, in the order in which they do; the engine holds the calldata against it. */
  deposits: z.array(intentDeposit).readonly().optional(),
  /** The caller asks for a pool to be created although no trusted price says what its tokens are worth. */
  allowsUnpricedPool: z.literal(true).optional(),
  /** A right over an own position that a call takes by a signature in it, in place of a transaction: the engine signs it last. */
  permit: positionPermit.readonly().optional(),
  /** What the wallet signs in place of calls, once its allowance is mined. */
  order: intentOrder.readonly().optional(),
  /** What its call opens, to be filled on another chain. */
  crossChain: intentCrossChain.readonly().optional(),
  /** What the chain must still say when it is this intent's turn; an earlier write may have changed it. */
  restsOn: z.array(chainAnswer).readonly().optional(),
  /** Tools whose operations it holds beside the one that was called: their rules of value hold too. */
  tools: z.array(z.string()).readonly().optional(),
  /** The positions whose fees it collects, each with its version (`v3 12`): a plan of it collects no others. */
  collects: z.array(z.string()).readonly().optional(),
  /** Calls that would do the same one by one: only simulated, to tell what it saves that one call does. */
  apart: z.array(intentCall).readonly().optional(),
  /** What whoever decides should weigh beside `why`, in sentences: warnings of its plan, and of what was done. */
  notes: z.array(z.string()).readonly().optional(),
  /** Of a move that is made to earn more: what it costs beside gas, and how much more a day it earns. The plan adds the gas. */
  earnsBack: z.strictObject({ costUsd: z.number(), moreUsdPerDay: z.number() }).readonly().optional(),
  /** Of a move whose swap and margin leave something of these tokens in the wallet: of how much. Simulation and receipts say what. */
  keepsBack: z
    .strictObject({ tokens: z.array(address).readonly(), ofUsd: z.number() })
    .readonly()
    .optional(),
  /** One sentence for the audit log and for the person who approves. */
  why: z.string(),
})

/** An intent as it is stored: amounts in decimal text. */
const intentSchema = oneIntent.extend({
  /**
   * Intents of their own that the same call goes on with once this one is settled, each through the pipeline by itself. A stored
   * plan of this one holds them too: nothing but what it names is carried out under it.
   */
  follows: z.array(oneIntent).readonly().optional(),
})

/**
 * What a write tool wants to happen, as plain data. Everything the safety engine needs stands in it; approvals are
 * declared here and carried out (exactly, and taken back) by the pipeline, never encoded into `calls` by a tool.
 */
export type Intent = Readonly<z.output<typeof intentSchema>>

/** An intent as JSON, its bigints as decimal text. */
export function storeIntent(intent: Intent): string {
  return storeData(intent)
}

/** An intent from JSON. Throws where it is not one: what is stored is checked like what comes in. */
export function readIntent(text: string): Intent {
  return intentSchema.parse(JSON.parse(text))
}

/** An order as JSON, its bigints as decimal text. */
export function storeOrder(order: IntentOrder): string {
  return storeData(order)
}

/** An order from JSON. Throws where it is not one. */
export function readOrder(text: string): IntentOrder {
  return intentOrder.parse(JSON.parse(text))
}

/**
 * Carries out an intent and shapes the result from what was mined. Resolves to the shaped result, or to a `Deferred`
 * when nothing was signed because the call was a dry run or waits for its time. Rejects with a `ToolError` otherwise;
 * one that waits for a person rejects with `APPROVAL_REQUIRED`, whose details name the stored operation.
 */
export type Execute = <Result>(
  intent: Intent,
  shape: (settled: Settled) => Result | Promise<Result>,
  reads?: ResultReads,
) => Promise<Result | Deferred>

/** What is read of the chain for a result, so that it travels with what the pipeline waits for. What it rejects with is left to `shape`. */
export type ResultReads = {
  /** Asked with each look for the receipt of the last call, where that is mined in the newest block; what it answers may be older. */
  beside?(): Promise<unknown>
  /** Called once the calls are mined, before what is left of allowances is taken back, with what is known by then. */
  begin(mined: Settled): Promise<unknown>
}

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
  /** How a trade went out on a chain that has a private endpoint: by that alone, or by the public ones as well, when its time was over. */
  readonly submission?: 'private' | 'public'
  /** Of an intent with an order: as it is on record. `main` is its allowance then, and nothing has moved yet. */
  readonly order?: PlacedOrder
}

/** A signed order, as it is followed from its signature on. */
export type PlacedOrder = {
  /** What `get_operation` follows it by. */
  readonly operationId: string
  /** Hash of the order, as the reactor's `Fill` names it. */
  readonly orderId: Hash
  /** Whether the service that brings it to those who fill has taken it. It is signed, and counts, in any case. */
  readonly isAccepted: boolean
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
