import type { Chain } from '@svc/wallet/core'
import { type Address, encodeFunctionData, getAddress, type Hex, isAddressEqual, zeroAddress } from 'viem'
import type { AddOutcome, AddPreview, AddRequest, LiquidityPlan, Pool, Token, PlanPorts } from '../../ports.ts'
import { v2FactoryAbi, v2PairAbi, v2RouterAbi } from '../../abis/v2.ts'
import { contractRead } from '../../rpc/contract-function.ts'
import { readSurely } from '../../rpc/query.ts'
import type { AmountFields } from '../planning/deposit/fit-amounts.ts'
import {
  openingPrice,
  poolToCome,
  callerFields,
  callerPrice,
  flip,
  type OrderedPair,
  orderPair,
} from '../planning/deposit/opening-price.ts'
import { v2PairAddress } from '../pools/pool-address.ts'
import { type Amounts, liquidityForV2Mint, LpMathError, quoteLiquidity } from '@svc/lp-math'
import { refuseField, refuseTooSmall, requireDeployment } from '../planning/refusals.ts'
import type { Settled } from '../../intent.ts'
import { depositOf } from '../planning/deposit/fit-deposit.ts'
import { describeAmounts, planPayment, routineIntent, sidesOf, transfersOf } from '../planning/plan-payment.ts'
import { keptAmounts, requireKept, leastOfPair, lessSlippage } from '../planning/slippage-limits.ts'
import { supplyWithFee } from './read-pair-shares.ts'

/**
 * Plans a deposit into a v2 pair through Router02, which creates a missing pair at the price of the amounts and sends back
 * native currency it does not need. Each minimum is the planned amount less the slippage. A token that takes a fee on
 * transfer can be deposited: the outcome says what left the wallet.
 *
 * @throws ToolError `VALIDATION_FAILED`, `AMOUNT_TOO_SMALL`, `VERSION_NOT_DEPLOYED`, and what reading throws.
 */
export async function planAddV2(
  ports: PlanPorts,
  chain: Chain,
  request: AddRequest,
): Promise<LiquidityPlan<AddPreview, AddOutcome>> {
  const { router } = requireDeployment(chain, 'v2')
  if (request.range !== null && request.range !== 'full') {
    throw refuseField('rangeStrategy', 'A v2 pair covers all prices.', 'no range, or full')
  }
  const ordered = orderPair(ports.tokens, chain, 'v2', request)
  const { inverted } = ordered
  const amounts = { ...flip<bigint | null>(inverted, request), fields: callerFields(inverted) }
  // The shares are counted while the pair is looked for; of one that is missing nobody asks what came of it.
  const counting = readShares(ports, chain, ordered)
  counting.catch(() => undefined)
  const { pool, createsPool } = await findOrOpenPair(ports, chain, ordered, amounts)
  requireKept(request.kept, { pool, createsPool })
  const totalSupply = createsPool ? 0n : await mintSupply(pool, counting)
  const fitted = fitInRouterOrder(request, inverted, pool, totalSupply)
  const sides = sidesOf(request.token0, request.token1, fitted)
  const { valueWei, ...payment } = planPayment(sides, router, 'erc20')
  const { recipient, slippageBps } = request
  const minLiquidity = lessSlippage(fitted.liquidity, slippageBps)
  const deposit = { ...flip(inverted, fitted), liquidity: fitted.liquidity, minLiquidity, recipient, createsPool }
  const label = createsPool ? 'create pair and add liquidity' : 'add liquidity'
  return {
    intent: routineIntent(chain, {
      calls: [{ to: router, data: encodeAdd(request, fitted, inverted), valueWei, label }],
      atomicity: 'single',
      ...payment,
      receives: [{ token: getAddress(pool.id), amount: minLiquidity }],
      slippageBps,
      deadline: request.deadline,
      recipients: [recipient],
      deposits: [depositOf(pool, { ...deposit, isInverted: inverted })],
      why: `Add ${describeAmounts(sides, 'up')} to a ${createsPool ? 'new ' : ''}v2 pair.`,
    }),
    preview: { pool, createsPool, currentPrice: callerPrice(pool, inverted), ...allPrices, ...fitted },
    decode: async (settled) => decodeAdd(settled, pool, request, inverted),
  }
}

const allPrices = { tickLower: null, tickUpper: null, priceLower: 0, priceUpper: Infinity } as const

/** What a pair counts of its shares, and who its protocol's fee goes to. Rejects where no pair stands. */
function readShares(ports: PlanPorts, chain: Chain, { token0, token1 }: OrderedPair) {
  const deployment = requireDeployment(chain, 'v2')
  const client = ports.rpc.client(chain)
  const pair = v2PairAddress(deployment, token0.address, token1.address)
  return Promise.all([
    readSurely(client, contractRead(pair, v2PairAbi, 'totalSupply', [])),
    readSurely(client, contractRead(pair, v2PairAbi, 'kLast', [])),
    readSurely(client, contractRead(deployment.factory, v2FactoryAbi, 'feeTo', [])),
  ])
}

async function mintSupply(pool: Pool, counting: ReturnType<typeof readShares>): Promise<bigint> {
  const [totalSupply, kLast, feeTo] = await counting
  return supplyWithFee({ reserve0: pool.reserve0 ?? 0n, reserve1: pool.reserve1 ?? 0n, totalSupply, kLast }, feeTo)
}

/** The native entry point of the router names the token first; amounts come back in the caller's order. */
function fitInRouterOrder(
  request: AddRequest,
  inverted: boolean,
  pool: Pool,
  totalSupply: bigint,
): Amounts & { liquidity: bigint } {
  const reserves = flip(inverted, { amount0: pool.reserve0 ?? 0n, amount1: pool.reserve1 ?? 0n })
  const asked = flip(inverted, keptAmounts(request.kept, flip<bigint | null>(inverted, request)))
  const swapped = request.token0.isNative
  const { amount0: reserve0, amount1: reserve1 } = flip(swapped, reserves)
  const { liquidity, ...taken } = fitPairDeposit(flip<bigint | null>(swapped, asked), {
    reserve0,
    reserve1,
    totalSupply,
  })
  return { ...flip(swapped, taken), liquidity }
}

function encodeAdd(request: AddRequest, taken: Amounts, inverted: boolean): Hex {
  const { token0, token1, recipient, slippageBps, kept } = request
  const deadline = BigInt(request.deadline)
  const least = flip(inverted, leastOfPair(flip(inverted, taken), slippageBps, kept))
  if (!token0.isNative && !token1.isNative) {
    return encodeFunctionData({
      abi: v2RouterAbi,
      functionName: 'addLiquidity',
      args: [
        token0.address,
        token1.address,
        taken.amount0,
        taken.amount1,
        least.amount0,
        least.amount1,
        recipient,
        deadline,
      ],
    })
  }
  const token = token0.isNative ? token1 : token0
  const desired = flip(token0.isNative, taken)
  const { amount0: leastToken, amount1: leastNative } = flip(token0.isNative, least)
  return encodeFunctionData({
    abi: v2RouterAbi,
    functionName: 'addLiquidityETH',
    args: [token.address, desired.amount0, leastToken, leastNative, recipient, deadline],
  })
}

function decodeAdd(settled: Settled, pool: Pool, request: AddRequest, inverted: boolean): AddOutcome {
  const pair = getAddress(pool.id)
  const paid = (token: Token) => {
    const transfers = transfersOf(settled, token.address)
    const payer = transfers.payerOf(pair)
    return payer === null ? 0n : transfers.outOf(payer)
  }
  return {
    positionId: pair,
    liquidity: transfersOf(settled, pair).between(zeroAddress, request.recipient),
    ...flip(inverted, { amount0: paid(pool.token0), amount1: paid(pool.token1) }),
  }
}

/**
 * What Router02 takes of two desired amounts at the pair's reserves (smallest units, both in the order the router is
 * called in), and the pair tokens that come of it. A missing amount follows from the other; of two given amounts one is
 * used up. An empty pair takes both as they are. Called with the result as desired amounts, the router takes just these.
 *
 * @throws ToolError `AMOUNT_TOO_SMALL` when nothing would be minted.
 */
export function fitPairDeposit(
  desired: { readonly amount0: bigint | null; readonly amount1: bigint | null },
  pair: { readonly reserve0: bigint; readonly reserve1: bigint; readonly totalSupply: bigint },
): Amounts & { liquidity: bigint } {
  const { reserve0, reserve1, totalSupply } = pair
  const amount0 = desired.amount0 ?? quoteLiquidity(desired.amount1 ?? 0n, reserve1, reserve0)
  const amount1 = desired.amount1 ?? quoteLiquidity(amount0, reserve0, reserve1)
  const taken = reserve0 === 0n ? { amount0, amount1 } : takes(takes({ amount0, amount1 }, pair), pair)
  if (taken.amount0 === 0n || taken.amount1 === 0n) {
    throw refuseTooSmall('amount0', 'At the ratio of the pair this is less than one unit of a token.')
  }
  try {
    return { ...taken, liquidity: liquidityForV2Mint(taken.amount0, taken.amount1, reserve0, reserve1, totalSupply) }
  } catch (error) {
    if (!(error instanceof LpMathError)) throw error
    throw refuseTooSmall('amount0', 'These amounts are too small to mint anything.')
  }
}

/** `_addLiquidity` of Router02: rounding makes it settle only when it is fed its own result. */
function takes(desired: Amounts, pair: { readonly reserve0: bigint; readonly reserve1: bigint }): Amounts {
  const { amount0, amount1 } = desired
  const matching1 = quoteLiquidity(amount0, pair.reserve0, pair.reserve1)
  if (matching1 <= amount1) return { amount0, amount1: matching1 }
  return { amount0: quoteLiquidity(amount1, pair.reserve1, pair.reserve0), amount1 }
}

/**
 * The v2 pair of two tokens as it stands, or, when it is missing or empty, as a deposit of these amounts would create it.
 *
 * @throws ToolError `VALIDATION_FAILED` when a missing pair cannot be priced.
 */
async function findOrOpenPair(
  ports: PlanPorts,
  chain: Chain,
  pair: OrderedPair,
  amounts: { readonly amount0: bigint | null; readonly amount1: bigint | null; readonly fields: AmountFields },
): Promise<{ pool: Pool; createsPool: boolean }> {
  const [found] = await ports.liquidity.findPools(chain, pair.token0, pair.token1, ['v2'])
  if (found && (found.reserve0 ?? 0n) > 0n && (found.reserve1 ?? 0n) > 0n) return { pool: found, createsPool: false }
  const sqrtPriceX96 = openingPrice(amounts, amounts.fields)
  const client = ports.rpc.client(chain)
  const [id, blockNumber] = await Promise.all([pairAddress(ports, chain, pair), client.getBlockNumber()])
  const facts = { version: 'v2', id, fee: 3000, tickSpacing: null, hooks: null, sqrtPriceX96, blockNumber } as const
  return { createsPool: true, pool: poolToCome(pair, facts) }
}

/** Where the pair stands or will stand: the factory knows, because not every chain derives addresses alike. */
async function pairAddress(ports: PlanPorts, chain: Chain, pair: OrderedPair): Promise<Address> {
  const client = ports.rpc.client(chain)
  const { factory } = requireDeployment(chain, 'v2')
  const args = [pair.token0.address, pair.token1.address] as const
  const existing = await readSurely(client, contractRead(factory, v2FactoryAbi, 'getPair', args))
  if (!isAddressEqual(existing, zeroAddress)) return existing
  return readSurely(client, contractRead(factory, v2FactoryAbi, 'createPair', args))
}
