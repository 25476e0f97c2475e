import type { Amounts, TickRange } from '@svc/lp-math'
import type { Address } from 'viem'
import type { IntentDeposit } from '../../../intent.ts'
import type { Pool, Position } from '../../../ports.ts'
import { poolKeyOf } from '../../v4/pool-key.ts'

/** What a planned deposit is, as its intent declares it; amounts and ticks in the pool's order. */
export function depositOf(pool: Pool, facts: DepositFacts): IntentDeposit {
  return {
    kind: 'mint',
    version: pool.version,
    pool: pool.id,
    token0: pool.token0.address,
    token1: pool.token1.address,
    fee: pool.version === 'v4' ? poolKeyOf(pool).fee : pool.fee,
    tickSpacing: pool.tickSpacing,
    hooks: pool.hooks,
    tickLower: null,
    tickUpper: null,
    positionId: null,
    sqrtPriceX96: pool.sqrtPriceX96,
    createsPool: false,
    isInverted: false,
    ...facts,
  }
}

/** The same for liquidity that is added to a position. */
export function increaseOf(
  position: Position,
  facts: Omit<DepositFacts, 'recipient' | 'tickLower' | 'tickUpper'>,
): IntentDeposit {
  const { owner: recipient, positionId, tickLower, tickUpper, liquidity } = position
  const state = liquidity === 0n ? ({ reopens: true } as const) : {}
  return depositOf(position.pool, { kind: 'increase', positionId, recipient, tickLower, tickUpper, ...state, ...facts })
}

export type DepositFacts = Amounts &
  Partial<TickRange> & {
    readonly recipient: Address
    readonly liquidity: bigint
    readonly minLiquidity: bigint
  } & Partial<Pick<IntentDeposit, 'kind' | 'positionId' | 'createsPool' | 'isInverted' | 'reopens'>>
