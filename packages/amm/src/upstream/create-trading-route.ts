import type { Chain } from '@svc/wallet/core'
import { type Address, isAddressEqual } from 'viem'
import type { Intent } from '../intent.ts'
import { poolKeyOf } from '../liquidity/v4/pool-key.ts'
import type { LiquidityRoute } from './route-liquidity.ts'
import { type Migration, planMigrate } from '../liquidity/plan-migrate.ts'
import type { ReadPorts, MigrateRequest, PairShare, Position, RemoveRequest } from '../ports.ts'
import type { UpstreamAsked } from '../ports/upstream.ts'
import type { TradingRoutePorts } from './create-trading-client.ts'
import { depositRoute } from './deposit-route.ts'
import { mostRoundedOff, swapRoute } from './swap-route.ts'
import {
  builtNote,
  tradingFailure,
  type ClaimRequest,
  type DecreaseRequest,
  type MigrateWireRequest,
} from './trading-wire.ts'
import { unknownVersion } from '../ports/pools.ts'

export {
  createTradingClient,
  type TradingClient,
  type TradingClientOptions,
  type TradingRoutePorts,
} from './create-trading-client.ts'
export { routeLiquidity } from './route-liquidity.ts'
export { mostRoundedOff } from './swap-route.ts'
export { upstreamRefusal } from './trading-wire.ts'

/**
 * Has the trading API build the calls of a plan. What it returns is taken apart by the guard and takes the place of the calls alone:
 * what leaves, what arrives at least and who is paid stay as the plan of our own says.
 */
export function createTradingRoute({ client, guard }: TradingRoutePorts, reads: ReadPorts): LiquidityRoute {
  return {
    async collect(chain, position, { deadline, recipient }, own) {
      const transaction = await client.claim(ofPosition(chain, position, recipient))
      const { calls, deadline: built } = guard(transaction, {
        ...askedOf(chain, own),
        kind: 'collect',
        wallet: recipient,
        position: heldBy(position, 0n),
        latestDeadline: deadline,
        label: 'collect fees',
      })
      return { ...own, calls, deadline: built }
    },
    async remove(chain, position, request, { intent, preview }) {
      const transaction = await client.decrease(decreaseOf(chain, position, request))
      const { calls, deadline } = guard(transaction, {
        ...askedOf(chain, intent),
        kind: 'remove',
        wallet: request.recipient,
        receives: position.version === 'v2' ? leastOfShares(intent) : leastOfPrincipal(position, intent),
        position: heldBy(position, preview.liquidityRemoved),
        latestDeadline: request.deadline,
        label: 'remove liquidity',
      })
      return { ...intent, calls, deadline }
    },
    ...depositRoute({ client, guard }),
    ...swapRoute({ client, guard }),
    async migrate(chain, position, request) {
      const plan = await planMigrate(reads, chain, position, request)
      const transaction = await client.migrate(migrationOf(chain, position, request, plan)).catch((error: unknown) => {
        throw tradingFailure(error, 'Close the position with remove_liquidity and open another with add_liquidity.')
      })
      const { calls, deadline } = guard(transaction, migrationAsked(chain, position, request, plan))
      if (deadline === null) throw new TypeError('the guard lets no migration pass without a deadline')
      const intents = calls.map(({ data }) => plan.intentOf(data, deadline))
      const [intent] = intents
      if (intent === undefined) throw new TypeError('the guard gives one call')
      return { intent, preview: plan.preview, notes: [builtNote], decode: plan.decode }
    },
  }
}

function migrationOf(
  { id: chainId }: Chain,
  position: Position,
  { recipient, slippageBps }: MigrateRequest,
  { target: { pool, ticks }, put }: Migration,
): MigrateWireRequest {
  const { fee, tickSpacing, hooks } = poolKeyOf(pool)
  return {
    tokenId: Number(position.positionId),
    walletAddress: recipient,
    chainId,
    inputProtocol: 'V3',
    inputPosition: wirePosition(position),
    inputPoolLiquidity: `${position.pool.liquidity}`,
    inputCurrentTick: position.pool.tick,
    inputSqrtRatioX96: `${position.pool.sqrtPriceX96}`,
    inputPositionLiquidity: `${position.liquidity}`,
    amount0: `${put.amount0}`,
    amount1: `${put.amount1}`,
    outputProtocol: 'V4',
    outputPosition: {
      pool: { token0: pool.token0.address, token1: pool.token1.address, fee, tickSpacing, hooks },
      ...ticks,
    },
    outputPoolLiquidity: `${pool.liquidity}`,
    outputCurrentTick: pool.tick,
    outputSqrtRatioX96: `${pool.sqrtPriceX96}`,
    expectedTokenOwed0RawAmount: `${position.fees0}`,
    expectedTokenOwed1RawAmount: `${position.fees1}`,
    slippageTolerance: slippageBps / 100,
  }
}

function migrationAsked(
  chain: Chain,
  position: Position,
  { recipient, slippageBps, deadline }: MigrateRequest,
  { target, most, least }: Migration,
): UpstreamAsked {
  const { fee, tickSpacing, hooks } = poolKeyOf(target.pool)
  return {
    chain,
    wallet: recipient,
    kind: 'migrate',
    // What the new position takes comes out of the old one, not out of the wallet.
    spends: most,
    receives: least,
    position: heldBy(position, position.liquidity),
    pool: { fee, tickSpacing, hooks, sqrtPriceX96: null },
    latestDeadline: deadline,
    slippageBps,
    riskTier: 'routine',
    label: 'migrate position',
    why: `Move v3 position ${position.positionId} into v4.`,
  }
}

function decreaseOf(
  chain: Chain,
  position: Position | PairShare,
  { recipient, percentage, slippageBps }: Pick<RemoveRequest, 'recipient' | 'percentage' | 'slippageBps'>,
): DecreaseRequest {
  const asked = { liquidityPercentageToDecrease: percentage, slippageTolerance: slippageBps / 100 }
  const { pool } = position
  if (position.version !== 'v2') {
    return {
      ...ofPosition(chain, position, recipient),
      ...asked,
      positionLiquidity: `${position.liquidity}`,
      poolLiquidity: `${pool.liquidity}`,
      currentTick: pool.tick,
      sqrtRatioX96: `${pool.sqrtPriceX96}`,
    }
  }
  return {
    protocol: 'V2',
    position: { pool: { token0: pool.token0.address, token1: pool.token1.address } },
    walletAddress: recipient,
    chainId: chain.id,
    ...asked,
    positionLiquidity: `${position.shares}`,
    liquidity0: `${position.amount0}`,
    liquidity1: `${position.amount1}`,
    collectAsWETH: true,
  }
}

function ofPosition(chain: Chain, position: Position, walletAddress: Address): ClaimRequest {
  const { version, positionId, fees0, fees1 } = position
  const common = { tokenId: Number(positionId), position: wirePosition(position), walletAddress, chainId: chain.id }
  if (version === 'v4') return { protocol: 'V4', ...common }
  if (version !== 'v3') throw unknownVersion(version)
  return {
    protocol: 'V3',
    ...common,
    expectedTokenOwed0RawAmount: `${fees0}`,
    expectedTokenOwed1RawAmount: `${fees1}`,
    collectAsWETH: true,
  }
}

function wirePosition({ version, pool, tickLower, tickUpper }: Position): ClaimRequest['position'] {
  const pair = { token0: pool.token0.address, token1: pool.token1.address }
  if (version === 'v4') {
    const { fee, tickSpacing, hooks } = poolKeyOf(pool)
    return { pool: { ...pair, fee, tickSpacing, hooks }, tickLower, tickUpper }
  }
  const { fee, tickSpacing } = pool
  if (tickSpacing === null) throw new TypeError('a pool of v3 has a tick spacing')
  return { pool: { ...pair, fee, tickSpacing }, tickLower, tickUpper }
}

/** v4 holds the bounds of calldata against the principal alone, while our plan's receipts count the fees that come along. */
function leastOfPrincipal({ version, pool, fees0, fees1 }: Position, { receives }: Intent): Intent['receives'] {
  if (version === 'v3') return receives
  if (version !== 'v4') throw unknownVersion(version)
  return receives.map(({ token, amount }) => ({
    token,
    amount: amount - (isAddressEqual(token, pool.token0.address) ? fees0 : fees1),
  }))
}

/** Who builds of the worth of all shares rounds a part of it in another way. */
function leastOfShares({ receives }: Intent): Intent['receives'] {
  return receives.map(({ token, amount }) => ({
    token,
    amount: amount > mostRoundedOff ? amount - mostRoundedOff : 0n,
  }))
}

function heldBy({ positionId, pool }: Position | PairShare, removes: bigint): UpstreamAsked['position'] {
  return { id: BigInt(positionId), token0: pool.token0.address, token1: pool.token1.address, removes }
}

function askedOf(chain: Chain, { spends, receives, deposits, slippageBps, riskTier, why }: Intent) {
  return { chain, spends, receives, deposits, slippageBps, riskTier, why, pool: null }
}
