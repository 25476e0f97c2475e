import { amountsForV2Burn, type Amounts, LpMathError } from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import { encodeFunctionData, getAddress, parseEventLogs, type Hex } from 'viem'
import type { Settled } from '../../intent.ts'
import type { PairShare, LiquidityPlan, RemoveOutcome, RemoveRequest } from '../../ports.ts'
import { v2PairAbi, v2RouterAbi } from '../../abis/v2.ts'
import { shareOf } from '../planning/fit-removal.ts'
import { keptLeastOfPair, lessSlippage } from '../planning/slippage-limits.ts'
import { logsOf, requireEvent, transfersOf, routineIntent, sidesOf } from '../planning/plan-payment.ts'
import { refuseTooSmall, requireDeployment } from '../planning/refusals.ts'

/**
 * Plans to give pair tokens back for their share of a v2 pair through Router02, which needs an allowance of exactly those
 * pair tokens. Fees of a v2 pair are part of the share, so the outcome knows no fees of their own. Wrapped native tokens
 * come as such. Each minimum is the present share less the slippage, or what the plan that is carried out says.
 *
 * @throws ToolError `AMOUNT_TOO_SMALL`, `SIMULATION_DRIFT`, `VERSION_NOT_DEPLOYED`.
 */
export function planRemoveV2(
  chain: Chain,
  share: PairShare,
  request: RemoveRequest,
): LiquidityPlan<RemoveOutcome, RemoveOutcome> {
  const { router } = requireDeployment(chain, 'v2')
  const { token0, token1 } = share.pool
  const shares = shareOf(share.shares, request.percentage)
  const amounts = burnt(share, shares)
  const least = keptLeastOfPair(request.keptReceipts, share.pool, {
    least: {
      amount0: lessSlippage(amounts.amount0, request.slippageBps),
      amount1: lessSlippage(amounts.amount1, request.slippageBps),
    },
    now: amounts,
  })
  const data = encodeRemove(share, shares, least, request)
  const pair = getAddress(share.pool.id)
  return {
    intent: routineIntent(chain, {
      calls: [{ to: router, data, valueWei: 0n, label: 'remove liquidity' }],
      atomicity: 'single',
      spends: [{ token: pair, amount: shares }],
      // Named also where nothing must come: shares are listed with their tokens, or not.
      receives: sidesOf(token0, token1, least).map(({ token, amount }) => ({ token: token.address, amount })),
      approvals: [{ token: pair, spender: router, amount: shares, via: 'erc20', revokeAfter: true }],
      slippageBps: request.slippageBps,
      deadline: request.deadline,
      recipients: [request.recipient],
      why: `Remove ${request.percentage} % of the share in v2 pair ${pair}.`,
    }),
    preview: { liquidityRemoved: shares, ...amounts, fees0: 0n, fees1: 0n },
    decode: async (settled) => decodeRemoval(settled, share, request),
  }
}

function encodeRemove(share: PairShare, shares: bigint, least: Amounts, request: RemoveRequest): Hex {
  const { token0, token1 } = share.pool
  const { recipient, deadline } = request
  return encodeFunctionData({
    abi: v2RouterAbi,
    functionName: 'removeLiquidity',
    args: [token0.address, token1.address, shares, least.amount0, least.amount1, recipient, BigInt(deadline)],
  })
}

function burnt(share: PairShare, shares: bigint): Amounts {
  if (share.shares === 0n) throw refuseTooSmall('positionId', 'The wallet holds no share of this pair.')
  try {
    return amountsForV2Burn(shares, share.pool.reserve0 ?? 0n, share.pool.reserve1 ?? 0n, share.burnSupply)
  } catch (error) {
    if (!(error instanceof LpMathError)) throw error
    throw refuseTooSmall('percentage', 'This part of the share pays out less than one unit of a token.')
  }
}

/** What arrived, a fee that a token takes on transfer already gone. */
function decodeRemoval(settled: Settled, share: PairShare, request: RemoveRequest): RemoveOutcome {
  const pair = getAddress(share.pool.id)
  const burns = parseEventLogs({ abi: v2PairAbi, eventName: 'Burn', logs: logsOf(settled, pair) })
  requireEvent(burns, 'Burn')
  const { token0, token1 } = share.pool
  return {
    liquidityRemoved: transfersOf(settled, pair).into(pair),
    amount0: transfersOf(settled, token0.address).between(pair, request.recipient),
    amount1: transfersOf(settled, token1.address).between(pair, request.recipient),
    fees0: 0n,
    fees1: 0n,
  }
}
