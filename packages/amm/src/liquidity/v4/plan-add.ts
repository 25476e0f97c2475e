import type { Amounts } from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import { encodeFunctionData, zeroAddress, type Address, type Hex } from 'viem'
import type { Intent } from '../../intent.ts'
import type { AddOutcome, AddPreview, AddRequest, LiquidityPlan, Pool } from '../../ports.ts'
import { v4PositionManagerAbi } from '../../abis/v4-position-manager.ts'
import { callerFields } from '../planning/caller-fields.ts'
import { depositOf } from '../planning/deposit/deposit-of.ts'
import { describeAmounts } from '../planning/describe-amounts.ts'
import { type FittedDeposit, fitDeposit } from '../planning/deposit/fit-deposit.ts'
import { flip } from '../planning/flip.ts'
import { orderPair } from '../planning/order-pair.ts'
import { planPayment } from '../planning/plan-payment.ts'
import type { PlanPorts } from '../planning/plan-ports.ts'
import { requireDeployment } from '../planning/require-deployment.ts'
import { routineIntent } from '../planning/routine-intent.ts'
import { sidesOf } from '../planning/sides-of.ts'
import { mostOfMint } from '../planning/slippage-limits.ts'
import { encodeModifyLiquidities } from './encode-modify-liquidities.ts'
import { findOrOpenV4Pool } from './find-or-open-pool.ts'
import { mintedTokenId } from './minted-token-id.ts'
import { poolKeyOf } from './pool-key.ts'
import { readModification } from './read-modification.ts'
import { requireUint128 } from './require-uint128.ts'
import { v4Action } from './v4-action.ts'

/**
 * Plans a new v4 position. A v4 mint fixes the liquidity, not the amounts: it is what the given amounts buy at the present
 * price, and should the price move within the slippage, a little more of one token and less of the other is paid. The
 * most that may be paid is what is declared, allowed through Permit2, and sent along of the native currency, whose rest
 * comes back. A missing pool is created in the same transaction at the price of the amounts.
 *
 * @throws ToolError `VALIDATION_FAILED`, `AMOUNT_TOO_SMALL`, `HOOK_NOT_SUPPORTED`, `VERSION_NOT_DEPLOYED`, and what reading throws.
 */
export async function planAddV4(
  ports: PlanPorts,
  chain: Chain,
  request: AddRequest,
): Promise<LiquidityPlan<AddPreview, AddOutcome>> {
  const { positionManager } = requireDeployment(chain, 'v4')
  const pair = orderPair(ports.tokens, chain, 'v4', request)
  const { inverted } = pair
  const fields = callerFields(inverted)
  const { pool, createsPool } = await findOrOpenV4Pool(ports, chain, pair, {
    fee: request.fee,
    hooks: request.hooks,
    ...flip<bigint | null>(inverted, request),
    fields,
  })
  const deposit = fitDeposit(request, pair, { pool, createsPool })
  const { amount0, amount1, liquidity } = deposit.fitted
  const { recipient, slippageBps, kept } = request
  const most = requireUint128(mostOfMint({ bounds: deposit.bounds, liquidity, slippageBps, kept }), fields)
  const amounts = { amount0, amount1, liquidity, minLiquidity: liquidity }
  const { valueWei, ...payment } = planPayment(sidesOf(pair.paid0, pair.paid1, most), positionManager, 'permit2')
  return {
    intent: routineIntent(chain, {
      ...mintCall(positionManager, { pool, createsPool, deposit, most, request, valueWei }),
      ...payment,
      slippageBps,
      deadline: request.deadline,
      recipients: [recipient],
      deposits: [depositOf(pool, { ...deposit.ticks, ...amounts, recipient, createsPool, isInverted: inverted })],
      why: `Add ${describeAmounts(deposit.sides, 'up')} to a ${createsPool ? 'new ' : ''}v4 pool.`,
    }),
    preview: deposit.preview,
    decode: async (settled) => {
      const tokenId = mintedTokenId(settled, chain, { pool, ...deposit.ticks, liquidity, owner: recipient })
      const { liquidityDelta, principal } = await readModification(ports, chain, pool, tokenId, settled)
      return { positionId: tokenId.toString(), liquidity: liquidityDelta, ...flip(inverted, principal) }
    },
  }
}

function mintCall(
  positionManager: Address,
  facts: {
    readonly pool: Pool
    readonly createsPool: boolean
    readonly deposit: FittedDeposit
    readonly most: Amounts
    readonly request: AddRequest
    readonly valueWei: bigint
  },
): Pick<Intent, 'calls' | 'atomicity'> {
  const { pool, createsPool, deposit, most, request, valueWei } = facts
  const key = poolKeyOf(pool)
  const { liquidity } = deposit.fitted
  const modify = encodeModifyLiquidities(
    [
      v4Action.mint({ key, ...deposit.ticks, liquidity, most, owner: request.recipient }),
      v4Action.settlePair(key),
      ...(valueWei > 0n ? [v4Action.sweepToCaller(zeroAddress)] : []),
    ],
    request.deadline,
  )
  if (!createsPool) {
    return { calls: [{ to: positionManager, data: modify, valueWei, label: 'mint position' }], atomicity: 'single' }
  }
  const data = encodeFunctionData({
    abi: v4PositionManagerAbi,
    functionName: 'multicall',
    args: [[encodeInitialize(pool), modify]],
  })
  const label = 'create pool and mint position'
  return { calls: [{ to: positionManager, data, valueWei, label }], atomicity: 'multicall' }
}

/**
 * `initializePool` swallows its own failure, an estimator's too small gas included: only together with a mint, which needs
 * the pool, does a failure show.
 */
function encodeInitialize(pool: Pool): Hex {
  return encodeFunctionData({
    abi: v4PositionManagerAbi,
    functionName: 'initializePool',
    args: [poolKeyOf(pool), pool.sqrtPriceX96],
  })
}
