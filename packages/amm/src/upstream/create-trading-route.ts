import type { Chain } from '@svc/wallet/core'
import type { Address } from 'viem'
import type { Intent } from '../intent.ts'
import { poolKeyOf } from '../liquidity/v4/pool-key.ts'
import type { LiquidityRoute } from '../liquidity/route-liquidity.ts'
import type { Position } from '../ports.ts'
import type { GuardUpstream, UpstreamAsked } from '../ports/upstream.ts'
import type { TradingClient } from './create-trading-client.ts'
import type { ClaimRequest } from './trading-wire.ts'

/**
 * Has the trading API build the calls of a plan. What it returns is taken apart by the guard and takes the place of the calls alone:
 * what leaves, what arrives at least and who is paid stay as the plan of our own says.
 */
export function createTradingRoute({ client, guard }: TradingRoutePorts): LiquidityRoute {
  return {
    async collect(chain, position, { deadline, recipient }, own) {
      const transaction = await client.claim(claimOf(chain, position, recipient))
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
  }
}

export type TradingRoutePorts = { readonly client: TradingClient; readonly guard: GuardUpstream }

function claimOf(chain: Chain, position: Position, walletAddress: Address): ClaimRequest {
  const { version, positionId, fees0, fees1 } = position
  const common = { tokenId: Number(positionId), position: wirePosition(position), walletAddress, chainId: chain.id }
  if (version === 'v4') return { protocol: 'V4', ...common }
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

function heldBy({ positionId, pool }: Position, removes: bigint): UpstreamAsked['position'] {
  return { id: BigInt(positionId), token0: pool.token0.address, token1: pool.token1.address, removes }
}

function askedOf(chain: Chain, { spends, receives, deposits, slippageBps, riskTier, why }: Intent) {
  return { chain, spends, receives, deposits, slippageBps, riskTier, why, pool: null }
}
