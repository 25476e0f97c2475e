import * as z from 'zod'

// As the public API describes them, written down apart from the client that is tested against it.
const address = z.string().regex(/^0x[0-9a-fA-F]{40}$/)
const rawAmount = z.string().regex(/^\d+$/)

const position = z.object({
  pool: z.object({
    token0: address,
    token1: address,
    fee: z.int().nonnegative(),
    tickSpacing: z.int().positive(),
    hooks: address.optional(),
  }),
  tickLower: z.int(),
  tickUpper: z.int(),
})

const common = { tokenId: z.int().nonnegative(), position, walletAddress: address, chainId: z.int().positive() }

/** A payout of v3 says what it expects, one of v4 need not. */
const v3 = {
  protocol: z.literal('V3'),
  ...common,
  expectedTokenOwed0RawAmount: rawAmount,
  expectedTokenOwed1RawAmount: rawAmount,
  // Unwrapping needs a native currency, which the SDK knows of public chains alone.
  collectAsWETH: z.literal(true),
}
const v4 = { protocol: z.literal('V4'), ...common }

/** Body of `POST /lp/claim`. */
export const claimBody = z.discriminatedUnion('protocol', [z.object(v3), z.object(v4)])

export type ClaimBody = z.output<typeof claimBody>

/** A pair of v2 has no range and no id. */
const ofPair = {
  protocol: z.literal('V2'),
  position: z.object({ pool: z.object({ token0: address, token1: address }) }),
  walletAddress: address,
  chainId: z.int().positive(),
}

const decrease = {
  liquidityPercentageToDecrease: z.number().gt(0).max(100),
  positionLiquidity: rawAmount,
  slippageTolerance: z.number().min(0).max(100),
}
const poolState = { poolLiquidity: rawAmount, currentTick: z.int(), sqrtRatioX96: rawAmount }

/** Body of `POST /lp/decrease`: the state of a pool, or what all shares of a pair stand for. */
export const decreaseBody = z.discriminatedUnion('protocol', [
  z.object({ ...v3, ...decrease, ...poolState }),
  z.object({ ...v4, ...decrease, ...poolState }),
  z.object({
    ...ofPair,
    ...decrease,
    liquidity0: rawAmount,
    liquidity1: rawAmount,
    // As for a payout of v3.
    collectAsWETH: z.literal(true),
  }),
])

export type DecreaseBody = z.output<typeof decreaseBody>

const amounts = {
  amount0: rawAmount,
  amount1: rawAmount,
  slippageTolerance: z.number().min(0).max(100),
  deadline: z.int().positive().optional(),
}
const deposit = {
  protocol: z.enum(['V3', 'V4']),
  position,
  walletAddress: address,
  chainId: z.int().positive(),
  ...amounts,
}
const pairDeposit = z.object({ ...ofPair, ...amounts })
const rangeDeposit = z.union([
  z.object({ ...deposit, ...poolState }),
  z.object({ ...deposit, initialPrice: rawAmount }),
])

/** Body of `POST /lp/create`: the state of a pool that stands, the sqrt price that a new one opens at, or a pair. */
export const createBody = z.union([rangeDeposit, pairDeposit])

/** Body of `POST /lp/increase`. */
export const increaseBody = z.object({ ...deposit, ...poolState, tokenId: z.int().nonnegative() })

export type DepositBody = z.output<typeof rangeDeposit> | z.output<typeof increaseBody>

export type PairDepositBody = z.output<typeof pairDeposit>

/** Body of `POST /lp/migrate`, as far as pools that stand are migrated to. */
export const migrateBody = z.object({
  tokenId: z.int().nonnegative(),
  walletAddress: address,
  chainId: z.int().positive(),
  inputProtocol: z.literal('V3'),
  inputPosition: position,
  inputPoolLiquidity: rawAmount,
  inputCurrentTick: z.int(),
  inputSqrtRatioX96: rawAmount,
  inputPositionLiquidity: rawAmount,
  amount0: rawAmount,
  amount1: rawAmount,
  outputProtocol: z.literal('V4'),
  outputPosition: position,
  outputPoolLiquidity: rawAmount,
  outputCurrentTick: z.int(),
  outputSqrtRatioX96: rawAmount,
  expectedTokenOwed0RawAmount: rawAmount,
  expectedTokenOwed1RawAmount: rawAmount,
  slippageTolerance: z.number().min(0).max(100),
})

export type MigrateBody = z.output<typeof migrateBody>

/** Body of `POST /lp/claim_rewards`. */
export const claimRewardsBody = z.object({
  walletAddress: address,
  chainId: z.int().positive(),
  tokens: z.array(address).min(1),
  distributor: z.literal('MERKL'),
})

export type ClaimRewardsBody = z.output<typeof claimRewardsBody>

/** Body of `POST /quote`. */
export const quoteBody = z
  .object({
    type: z.enum(['EXACT_INPUT', 'EXACT_OUTPUT']),
    amount: rawAmount,
    tokenIn: address,
    tokenOut: address,
    tokenInChainId: z.int().positive(),
    tokenOutChainId: z.int().positive(),
    swapper: address,
    slippageTolerance: z.number().min(0).max(100),
    routingPreference: z.enum(['BEST_PRICE', 'FASTEST']),
    protocols: z.array(z.enum(['V2', 'V3', 'V4'])).min(1),
  })
  .transform((body) => ({ ...body, chainId: body.tokenInChainId, walletAddress: body.swapper }))

export type QuoteBody = z.output<typeof quoteBody>

/** Body of `POST /quote` where an order is asked for. */
export const orderQuoteBody = z.object({
  type: z.literal('EXACT_INPUT'),
  amount: rawAmount,
  tokenIn: address,
  tokenOut: address,
  tokenInChainId: z.int().positive(),
  tokenOutChainId: z.int().positive(),
  swapper: address,
  slippageTolerance: z.number().min(0).max(100),
  routingPreference: z.enum(['BEST_PRICE', 'FASTEST']),
  protocols: z.tuple([z.literal('UNISWAPX_V2')]),
})

export type OrderQuoteBody = z.output<typeof orderQuoteBody>

const dutch = { token: address, startAmount: rawAmount, endAmount: rawAmount }

/** Body of `POST /order`: a quote as `/quote` gave it, and the signature over its permit. */
export const orderBody = z.object({
  routing: z.literal('DUTCH_V2'),
  signature: z.string().regex(/^0x[0-9a-f]{130}$/i),
  quote: z.object({
    encodedOrder: z.string().regex(/^0x([0-9a-f]{2})+$/i),
    orderId: z.string(),
    orderInfo: z.object({
      chainId: z.int().positive(),
      nonce: rawAmount,
      reactor: address,
      swapper: address,
      deadline: z.int().positive(),
      cosigner: address,
      input: z.object(dutch),
      outputs: z.array(z.object({ ...dutch, recipient: address })).min(1),
    }),
  }),
})

export type OrderBody = z.output<typeof orderBody>

/** Body of `POST /swap`: a quote as `/quote` gave it, and for a permit of its a signature. */
export const swapBody = z
  .object({
    quote: z.object({
      chainId: z.int(),
      swapper: address,
      slippage: z.number(),
      tradeType: z.enum(['EXACT_INPUT', 'EXACT_OUTPUT']).default('EXACT_INPUT'),
      input: z.object({ token: address, amount: rawAmount }),
      output: z.object({ token: address, amount: rawAmount }),
      route: z.array(z.array(z.record(z.string(), z.unknown())).min(1)).min(1),
    }),
    deadline: z.int().positive().optional(),
  })
  .transform((body) => ({ ...body, chainId: body.quote.chainId, walletAddress: body.quote.swapper }))

export type SwapBody = z.output<typeof swapBody>

const wallet = { protocol: z.enum(['V3', 'V4']), walletAddress: address, chainId: z.int().positive() }
const pair = { token0Address: address, token1Address: address }
const oneAmount = {
  independentToken: z.object({ tokenAddress: address, amount: rawAmount }),
  slippageTolerance: z.number().min(0).max(100).optional(),
  deadline: z.int().positive().optional(),
}

/** Body of `POST /lp/claim_fees`, whose position id is not called as elsewhere. */
export const claimFeesBody = z.object({ ...wallet, tokenId: rawAmount, collectAsWeth: z.literal(true).optional() })

/** Body of `POST /lp/decrease`. */
export const lpDecreaseBody = z.object({
  ...wallet,
  ...pair,
  nftTokenId: rawAmount,
  liquidityPercentageToDecrease: z.int().min(1).max(100),
  slippageTolerance: z.number().min(0).max(100).optional(),
  withdrawAsWeth: z.literal(true).optional(),
})

/** Body of `POST /lp/increase`. */
export const lpIncreaseBody = z.object({ ...wallet, ...pair, nftTokenId: rawAmount, ...oneAmount })

const tickBounds = z.object({ tickLower: z.int(), tickUpper: z.int() })

/** Body of `POST /lp/create`: a pool that stands by its address or id, or the whole key of a new one. */
export const lpCreateBody = z.union([
  z.object({ ...wallet, existingPool: z.object({ ...pair, poolReference: z.string() }), tickBounds, ...oneAmount }),
  z.object({
    ...wallet,
    newPool: z.object({
      ...pair,
      fee: z.int().positive(),
      tickSpacing: z.int().positive(),
      hooks: address.optional(),
      initialPrice: rawAmount,
    }),
    tickBounds,
    ...oneAmount,
  }),
])

export type ClaimFeesBody = z.output<typeof claimFeesBody>

export type LpDecreaseBody = z.output<typeof lpDecreaseBody>

export type LpIncreaseBody = z.output<typeof lpIncreaseBody>

export type LpCreateBody = z.output<typeof lpCreateBody>
