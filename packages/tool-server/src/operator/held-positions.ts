import { type MarketPorts, type PairShare, type Position, ToolError } from '@svc/amm'
import { formatAmount } from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import type { Address } from 'viem'

/** What a wallet has in pools of some chains now. A chain that does not answer is said to be unread. */
export async function readHeldPositions({ liquidity, chains, owner }: HeldPlace): Promise<HeldPositions> {
  const read = await Promise.all(
    chains.map(async (chain) => {
      try {
        const { items, complete } = await liquidity.positionsByOwner(chain, owner, ['v2', 'v3', 'v4'])
        return { items: items.map((one) => heldOf(chain, one)), unread: complete ? [] : [chain.name] }
      } catch (error) {
        if (!(error instanceof ToolError)) throw error
        return { items: [], unread: [chain.name] }
      }
    }),
  )
  return { owner, items: read.flatMap(({ items }) => items), unread: read.flatMap(({ unread }) => unread) }
}

export type HeldPlace = {
  readonly liquidity: Pick<MarketPorts['liquidity'], 'positionsByOwner'>
  /** Those for which an endpoint is named. */
  readonly chains: readonly Chain[]
  readonly owner: Address
}

export type HeldPositions = {
  readonly owner: Address
  readonly items: readonly HeldPosition[]
  /** Names of chains that did not show all. */
  readonly unread: readonly string[]
}

export type HeldPosition = {
  readonly chain: string
  readonly version: 'v2' | 'v3' | 'v4'
  readonly positionId: string
  readonly pair: string
  readonly amount0: string
  readonly amount1: string
  /** Where the price stands between the ends of the range, 0 to 1; below or above it out of range; `null` of v2, which has none. */
  readonly place: number | null
}

function heldOf(chain: Chain, one: Position | PairShare): HeldPosition {
  const { version, positionId, pool, amount0, amount1 } = one
  const { token0, token1, tick } = pool
  return {
    chain: chain.name,
    version,
    positionId,
    pair: `${token0.symbol}/${token1.symbol}`,
    amount0: formatAmount(amount0, token0.decimals),
    amount1: formatAmount(amount1, token1.decimals),
    place: 'tickLower' in one ? (tick - one.tickLower) / (one.tickUpper - one.tickLower) : null,
  }
}
