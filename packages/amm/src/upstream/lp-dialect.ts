import { zeroAddress } from 'viem'
import * as z from 'zod'
import {
  TradingError,
  address,
  amount,
  claimAnswer,
  createAnswer,
  decreaseAnswer,
  type Dialect,
  increaseAnswer,
  type IncreaseWireRequest,
  type RangeRequest,
  slippageTolerance,
} from './trading-wire.ts'

/**
 * The newer dialect, of liquidity alone: it reads the state of a pool itself, takes one amount of a deposit and computes the other,
 * and takes whole percentages of a removal. It has no migrations, no claims of rewards, no swaps and no orders.
 */
export const lpDialect: Dialect = {
  claim: ({ protocol, walletAddress, chainId, tokenId }) => ({
    route: '/lp/claim_fees',
    requestForm: claimFeesRequest,
    answerForm: claimAnswer,
    request: {
      protocol,
      walletAddress,
      chainId,
      tokenId: `${tokenId}`,
      ...(protocol === 'V3' ? { collectAsWeth: true } : {}),
    },
  }),
  decrease(request) {
    if (request.protocol === 'V2') throw noWords('pairs of v2')
    const { protocol, walletAddress, chainId, tokenId, position, ...removal } = request
    if (!Number.isInteger(removal.liquidityPercentageToDecrease)) throw noWords('parts of a percent')
    return {
      route: '/lp/decrease',
      requestForm: decreaseRequest,
      answerForm: decreaseAnswer,
      request: {
        ...ofPosition({ protocol, walletAddress, chainId, tokenId, position }),
        liquidityPercentageToDecrease: removal.liquidityPercentageToDecrease,
        slippageTolerance: removal.slippageTolerance,
        ...(protocol === 'V3' ? { withdrawAsWeth: true } : {}),
      },
    }
  },
  create(request, pool) {
    if (request.protocol === 'V2') throw noWords('pairs of v2')
    const { protocol, walletAddress, chainId, position } = request
    const { token0: token0Address, token1: token1Address, fee, tickSpacing, hooks = zeroAddress } = position.pool
    const tokens = { token0Address, token1Address }
    const place =
      'initialPrice' in request
        ? {
            newPool: {
              ...tokens,
              fee,
              tickSpacing,
              ...(protocol === 'V4' ? { hooks } : {}),
              initialPrice: request.initialPrice,
            },
          }
        : { existingPool: { ...tokens, poolReference: pool } }
    return {
      route: '/lp/create',
      requestForm: createRequest,
      answerForm: createAnswer,
      request: {
        protocol,
        walletAddress,
        chainId,
        ...place,
        tickBounds: { tickLower: position.tickLower, tickUpper: position.tickUpper },
        ...amountsOf(request),
      },
    }
  },
  increase: (request) => ({
    route: '/lp/increase',
    requestForm: increaseRequest,
    answerForm: increaseAnswer,
    request: { ...ofPosition(request), ...amountsOf(request) },
  }),
  migrate() {
    throw noWords('migrations')
  },
  claimRewards() {
    throw noWords('claims of rewards')
  },
  quote() {
    throw noWords('swaps')
  },
  swap() {
    throw noWords('swaps')
  },
  orderQuote() {
    throw noWords('orders')
  },
  order() {
    throw noWords('orders')
  },
}

type OfPosition = Pick<IncreaseWireRequest, 'protocol' | 'walletAddress' | 'chainId' | 'tokenId' | 'position'>

function ofPosition({ protocol, walletAddress, chainId, tokenId, position: { pool } }: OfPosition) {
  const { token0: token0Address, token1: token1Address } = pool
  return { protocol, walletAddress, chainId, token0Address, token1Address, nftTokenId: `${tokenId}` }
}

/** The amount with more digits is sent, which leaves the other the least room to be rounded. */
function amountsOf({ position: { pool }, amount0, amount1, slippageTolerance: slippage, deadline }: RangeRequest) {
  const isFirst = BigInt(amount0) >= BigInt(amount1)
  return {
    independentToken: isFirst
      ? { tokenAddress: pool.token0, amount: amount0 }
      : { tokenAddress: pool.token1, amount: amount1 },
    slippageTolerance: slippage,
    deadline,
  }
}

function noWords(what: string): TradingError {
  return new TradingError('refused', `has no words for ${what} in its newer dialect`)
}

const wallet = { protocol: z.enum(['V3', 'V4']), walletAddress: address, chainId: z.int().min(1) }
/** Decimal digits here, a number in the older dialect. */
const positionId = z.string().regex(/^(0|[1-9]\d{0,77})$/)

const claimFeesRequest = z.strictObject({ ...wallet, tokenId: positionId, collectAsWeth: z.boolean().optional() })

const pair = { token0Address: address, token1Address: address }

const decreaseRequest = z.strictObject({
  ...wallet,
  ...pair,
  nftTokenId: positionId,
  liquidityPercentageToDecrease: z.int().min(1).max(100),
  slippageTolerance,
  withdrawAsWeth: z.boolean().optional(),
})

const amounts = {
  independentToken: z.strictObject({ tokenAddress: address, amount }),
  slippageTolerance,
  /** Unix seconds. */
  deadline: z.int().min(0),
}

const tickBounds = z.strictObject({ tickLower: z.int(), tickUpper: z.int() })

const createRequest = z.union([
  z.strictObject({
    ...wallet,
    existingPool: z.strictObject({ ...pair, poolReference: z.string().regex(/^0x([0-9a-fA-F]{40}|[0-9a-fA-F]{64})$/) }),
    tickBounds,
    ...amounts,
  }),
  z.strictObject({
    ...wallet,
    newPool: z.strictObject({
      ...pair,
      fee: z.int().min(0),
      tickSpacing: z.int().min(1),
      hooks: address.optional(),
      /** A sqrt price, Q64.96. */
      initialPrice: amount,
    }),
    tickBounds,
    ...amounts,
  }),
])

const increaseRequest = z.strictObject({ ...wallet, ...pair, nftTokenId: positionId, ...amounts })
