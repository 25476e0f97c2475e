import type { Amounts } from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import { encodeFunctionData, getAddress, zeroAddress, type Hex } from 'viem'
import type { Settled } from '../../intent.ts'
import type { AddOutcome, AddPreview, AddRequest, LiquidityPlan, Pool, Token } from '../../ports.ts'
import { contractRead } from '../../rpc/contract-read.ts'
import { readSurely } from '../../rpc/read-surely.ts'
import { v2FactoryAbi } from '../../abis/v2-factory.ts'
import { v2PairAbi } from '../../abis/v2-pair.ts'
import { v2RouterAbi } from '../../abis/v2-router.ts'
import { callerFields } from '../planning/caller-fields.ts'
import { callerPrice } from '../planning/caller-price.ts'
import { depositOf } from '../planning/deposit/deposit-of.ts'
import { describeAmounts } from '../planning/describe-amounts.ts'
import { flip } from '../planning/flip.ts'
import { keptAmounts } from '../planning/deposit/kept-amounts.ts'
import { lessSlippage } from '../planning/less-slippage.ts'
import { orderPair } from '../planning/order-pair.ts'
import { planPayment } from '../planning/plan-payment.ts'
import type { PlanPorts } from '../planning/plan-ports.ts'
import { refuseField } from '../planning/refuse-field.ts'
import { requireDeployment } from '../planning/require-deployment.ts'
import { requireKept } from '../planning/deposit/require-kept.ts'
import { routineIntent } from '../planning/routine-intent.ts'
import { sidesOf } from '../planning/sides-of.ts'
import { leastOfPair } from '../planning/slippage-limits.ts'
import { transfersOf } from '../planning/transfers-of.ts'
import { findOrOpenPair } from './find-or-open-pair.ts'
import { fitPairDeposit } from './fit-pair-deposit.ts'
import { supplyWithFee } from './supply-with-fee.ts'

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
  const { pool, createsPool } = await findOrOpenPair(ports, chain, ordered, {
    ...flip<bigint | null>(inverted, request),
    fields: callerFields(inverted),
  })
  requireKept(request.kept, { pool, createsPool })
  const totalSupply = createsPool ? 0n : await readMintSupply(ports, chain, pool)
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

async function readMintSupply(ports: PlanPorts, chain: Chain, pool: Pool): Promise<bigint> {
  const { factory } = requireDeployment(chain, 'v2')
  const client = ports.rpc.client(chain)
  const pair = getAddress(pool.id)
  const [totalSupply, kLast, feeTo] = await Promise.all([
    readSurely(client, contractRead(pair, v2PairAbi, 'totalSupply', [])),
    readSurely(client, contractRead(pair, v2PairAbi, 'kLast', [])),
    readSurely(client, contractRead(factory, v2FactoryAbi, 'feeTo', [])),
  ])
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
