import * as z from 'zod'
import { ToolError } from '../tool-error.ts'

/**
 * What the trading API is asked and what it answers, by its own names: `tokenId` is our `positionId`, a slippage is a percentage
 * there and basis points here. Requests are strict, so that nothing travels that is not meant to; of answers only what is used is
 * read, and bounded.
 */
export const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/)
export const amount = z.string().regex(/^(0|[1-9]\d{0,77})$/)

const pool = z.strictObject({
  token0: address,
  token1: address,
  fee: z.int().min(0),
  tickSpacing: z.int().min(1),
  hooks: address.optional(),
})

const position = z.strictObject({ pool, tickLower: z.int(), tickUpper: z.int() })

/** A pair of v2 is all of its pool, and has one range. */
const pair = z.strictObject({ pool: z.strictObject({ token0: address, token1: address }) })

/** What every request about a position says. */
const ofPosition = {
  protocol: z.enum(['V3', 'V4']),
  /** A JSON number, so the ids above 2^53 cannot be named. */
  tokenId: z.int().min(0),
  position,
  walletAddress: address,
  chainId: z.int().min(1),
  /** Of v3, whose position manager does not say what waits. */
  expectedTokenOwed0RawAmount: amount.optional(),
  expectedTokenOwed1RawAmount: amount.optional(),
  collectAsWETH: z.boolean().optional(),
}

export const claimRequest = z.strictObject(ofPosition)

/** Percent. */
export const slippageTolerance = z.number().min(0).max(100)

const poolState = { poolLiquidity: amount, currentTick: z.int(), sqrtRatioX96: amount }

const decrease = {
  liquidityPercentageToDecrease: z.number().gt(0).max(100),
  positionLiquidity: amount,
  slippageTolerance,
}

export const decreaseRequest = z.union([
  z.strictObject({ ...ofPosition, ...decrease, ...poolState }),
  z.strictObject({
    protocol: z.literal('V2'),
    position: pair,
    walletAddress: address,
    chainId: z.int().min(1),
    ...decrease,
    /** What all shares of the wallet stand for. */
    liquidity0: amount,
    liquidity1: amount,
    collectAsWETH: z.literal(true),
  }),
])

/** The zero address stands for native currency, in v2 and v3 for its wrapped side that is paid natively. */
const payment = {
  walletAddress: address,
  chainId: z.int().min(1),
  amount0: amount,
  amount1: amount,
  slippageTolerance,
  /** Unix seconds. */
  deadline: z.int().min(0),
}
const deposit = { protocol: z.enum(['V3', 'V4']), position, ...payment }

/** Into a pool that stands, with its state; one that is missing is opened at a sqrt price, Q64.96. */
const rangeRequest = z.union([
  z.strictObject({ ...deposit, ...poolState }),
  z.strictObject({ ...deposit, initialPrice: amount }),
])

/** A pair takes the amounts at its reserves, and opens at their ratio. */
export const createRequest = z.union([
  rangeRequest,
  z.strictObject({ protocol: z.literal('V2'), position: pair, ...payment }),
])

export const increaseRequest = z.strictObject({ ...deposit, ...poolState, tokenId: z.int().min(0) })

export const migrateRequest = z.strictObject({
  tokenId: z.int().min(0),
  walletAddress: address,
  chainId: z.int().min(1),
  inputProtocol: z.literal('V3'),
  inputPosition: position,
  inputPoolLiquidity: amount,
  inputCurrentTick: z.int(),
  inputSqrtRatioX96: amount,
  inputPositionLiquidity: amount,
  amount0: amount,
  amount1: amount,
  outputProtocol: z.literal('V4'),
  outputPosition: position,
  outputPoolLiquidity: amount,
  outputCurrentTick: z.int(),
  outputSqrtRatioX96: amount,
  expectedTokenOwed0RawAmount: amount,
  expectedTokenOwed1RawAmount: amount,
  slippageTolerance,
})

export const claimRewardsRequest = z.strictObject({
  walletAddress: address,
  chainId: z.int().min(1),
  tokens: z.array(address).min(1),
  /** An enumeration with one value there; here the distributor of a chain is an address. */
  distributor: z.literal('MERKL'),
})

export const quoteRequest = z.strictObject({
  type: z.enum(['EXACT_INPUT', 'EXACT_OUTPUT']),
  amount,
  /** The zero address stands for native currency. */
  tokenIn: address,
  tokenOut: address,
  tokenInChainId: z.int().min(1),
  tokenOutChainId: z.int().min(1),
  swapper: address,
  slippageTolerance,
  routingPreference: z.literal('BEST_PRICE'),
  protocols: z.array(z.enum(['V2', 'V3', 'V4'])).min(1),
})

/** Goes back as it came. Of it only what it promises is read. */
const offeredQuote = z.looseObject({
  output: z.looseObject({ amount }),
  input: z.looseObject({ amount }).optional(),
})

/** A permit beside the quote is left alone: allowances are exact, and made on chain. */
export const quoteAnswer = z.object({ routing: z.literal('CLASSIC'), quote: offeredQuote })

export const swapRequest = z.strictObject({
  quote: offeredQuote,
  /** Unix seconds. */
  deadline: z.int().min(0),
})

export const orderQuoteRequest = quoteRequest.extend({
  type: z.literal('EXACT_INPUT'),
  protocols: z.tuple([z.literal('UNISWAPX_V2')]),
})

const dutchAmount = { token: address, startAmount: amount, endAmount: amount }

/** Goes back as it came. What of it is signed is taken apart in full. */
const orderQuote = z.looseObject({
  orderId: z.string().regex(/^0x[0-9a-fA-F]{64}$/),
  orderInfo: z.looseObject({
    chainId: z.int(),
    nonce: amount,
    reactor: address,
    swapper: address,
    /** Unix seconds. */
    deadline: z.int().min(0),
    additionalValidationContract: address.optional(),
    additionalValidationData: z
      .string()
      .regex(/^0x([0-9a-fA-F]{2})*$/)
      .max(4_096)
      .optional(),
    cosigner: address,
    input: z.looseObject(dutchAmount),
    outputs: z
      .array(z.looseObject({ ...dutchAmount, recipient: address }))
      .min(1)
      .max(8),
  }),
})

/** The typed data that comes beside the quote is left alone: what is signed is worded here. */
export const orderQuoteAnswer = z.object({ routing: z.literal('DUTCH_V2'), quote: orderQuote })

export const orderRequest = z.strictObject({
  routing: z.literal('DUTCH_V2'),
  signature: z.string().regex(/^0x[0-9a-fA-F]{130}$/),
  quote: z.looseObject({}),
})

/** What it calls the order is not believed: the hash of what was signed is. */
export const orderAnswer = z.object({ orderId: z.string().max(100), orderStatus: z.string().max(40) })

/** Taken apart by the guard; here only its form and its length. */
const transaction = z.object({
  to: z.string().max(42),
  from: z.string().max(42),
  data: z.string().max(262_144),
  value: z.string().max(80),
  chainId: z.int(),
})

export const claimAnswer = z.object({ claim: transaction })
export const migrateAnswer = z.object({ migrate: transaction })
export const decreaseAnswer = z.object({ decrease: transaction })
export const swapAnswer = z.object({ swap: transaction })
export const createAnswer = z.object({ create: transaction })
export const increaseAnswer = z.object({ increase: transaction })

export type MigrateWireRequest = z.input<typeof migrateRequest>
export type ClaimRewardsRequest = z.input<typeof claimRewardsRequest>
export type ClaimRequest = z.input<typeof claimRequest>
export type DecreaseRequest = z.input<typeof decreaseRequest>
export type QuoteWireRequest = z.input<typeof quoteRequest>
export type OfferedQuote = z.output<typeof offeredQuote>
export type OrderQuoteWireRequest = z.input<typeof orderQuoteRequest>
export type OrderQuote = z.output<typeof orderQuote>
export type OrderWireRequest = z.input<typeof orderRequest>
export type SwapWireRequest = z.input<typeof swapRequest>
export type CreateRequest = z.input<typeof createRequest>
/** A deposit that has a range. */
export type RangeRequest = z.input<typeof rangeRequest>
export type IncreaseWireRequest = z.input<typeof increaseRequest>
export type TradingTransaction = z.output<typeof transaction>

/** What is asked at a route, and the form of both directions. */
export type Exchange<Answer> = {
  readonly route: string
  readonly requestForm: z.ZodType
  readonly answerForm: z.ZodType<Answer>
  readonly request: unknown
}

/** How a dialect asks for the calls of an operation. Throws where it has no words for it. */
export type Dialect = {
  claim(request: ClaimRequest): Exchange<z.output<typeof claimAnswer>>
  decrease(request: DecreaseRequest): Exchange<z.output<typeof decreaseAnswer>>
  /** @param pool its address or id, where it stands */
  create(request: CreateRequest, pool: string): Exchange<z.output<typeof createAnswer>>
  increase(request: IncreaseWireRequest): Exchange<z.output<typeof increaseAnswer>>
  migrate(request: MigrateWireRequest): Exchange<z.output<typeof migrateAnswer>>
  claimRewards(request: ClaimRewardsRequest): Exchange<z.output<typeof claimAnswer>>
  quote(request: QuoteWireRequest): Exchange<z.output<typeof quoteAnswer>>
  swap(request: SwapWireRequest): Exchange<z.output<typeof swapAnswer>>
  orderQuote(request: OrderQuoteWireRequest): Exchange<z.output<typeof orderQuoteAnswer>>
  order(request: OrderWireRequest): Exchange<z.output<typeof orderAnswer>>
}

export const v1Dialect: Dialect = {
  claim: (request) => ({ route: '/lp/claim', requestForm: claimRequest, answerForm: claimAnswer, request }),
  decrease: (request) => ({ route: '/lp/decrease', requestForm: decreaseRequest, answerForm: decreaseAnswer, request }),
  create: (request) => ({ route: '/lp/create', requestForm: createRequest, answerForm: createAnswer, request }),
  increase: (request) => ({ route: '/lp/increase', requestForm: increaseRequest, answerForm: increaseAnswer, request }),
  migrate: (request) => ({ route: '/lp/migrate', requestForm: migrateRequest, answerForm: migrateAnswer, request }),
  claimRewards: (request) => ({
    route: '/lp/claim_rewards',
    requestForm: claimRewardsRequest,
    answerForm: claimAnswer,
    request,
  }),
  quote: (request) => ({ route: '/quote', requestForm: quoteRequest, answerForm: quoteAnswer, request }),
  swap: (request) => ({ route: '/swap', requestForm: swapRequest, answerForm: swapAnswer, request }),
  orderQuote: (request) => ({
    route: '/quote',
    requestForm: orderQuoteRequest,
    answerForm: orderQuoteAnswer,
    request,
  }),
  order: (request) => ({ route: '/order', requestForm: orderRequest, answerForm: orderAnswer, request }),
}

/** Why the trading API gave nothing that can be used. Its own words are not repeated: they are somebody else's text. */
export class TradingError extends Error {
  override readonly name = 'TradingError'
  /**
   * `down`: it does not answer, answers that it cannot, or what it says is of another form. `resting`: it failed repeatedly and is
   * not asked for a while. `key`: it does not take the key. `refused`: it answers, and does not build this. `none`: there is none of
   * what was asked for.
   */
  readonly kind: 'down' | 'resting' | 'key' | 'refused' | 'none'

  constructor(kind: TradingError['kind'], message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.kind = kind
  }
}

/** What an answer says of calls that somebody else built. */
export const builtNote = 'The calls were built by the trading API and checked here.'

/** The same for a caller, where nobody else builds the calls; `instead` names the next call to make. Other errors stay what they are. */
export function tradingFailure(error: unknown, instead: string): unknown {
  if (!(error instanceof TradingError)) return error
  const message = `The trading API ${error.message}.`
  if (error.kind === 'key') return new ToolError('TRADING_API_REFUSED', message, { cause: error })
  if (error.kind === 'refused' || error.kind === 'none') {
    return new ToolError('TRADING_API_REFUSED', message, { suggestion: instead, cause: error })
  }
  return new ToolError('TRADING_API_UNAVAILABLE', message, { cause: error })
}

/** Why a transaction that somebody else built is not signed. */
export function upstreamRefusal(reason: string, facts: Readonly<Record<string, string>> = {}): ToolError {
  return new ToolError('UNSAFE_TRANSACTION', `The transaction built upstream is not what was asked for: ${reason}.`, {
    details: [{ message: reason, ...facts }],
    suggestion: 'Nothing was signed. Call again for a fresh transaction; if it happens again, tell the operator.',
  })
}
