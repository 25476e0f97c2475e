import type { Chain } from '@svc/wallet/core'
import type { Address } from 'viem'
import type { Intent, RiskTier, TokenQuantity } from '../intent.ts'

/**
 * Makes an intent of a transaction that somebody else built, if it is what was asked for and nothing more. The engine's own:
 * what plans never trusts what it was sent. Throws `UNSAFE_TRANSACTION` with the reason.
 */
export type GuardUpstream = (transaction: UpstreamTransaction, asked: UpstreamAsked) => Intent

/** As it came over the wire. */
export type UpstreamTransaction = {
  readonly to: string
  readonly data: string
  /** Wei, decimal or 0x. */
  readonly value: string
  readonly chainId: number
  readonly from?: string | undefined
  /** Not used: gas limits come from our own simulation. */
  readonly gasLimit?: string | undefined
}

/** What was asked of the service that built a transaction. */
export type UpstreamKind = 'swap' | 'add' | 'increase' | 'remove' | 'collect' | 'migrate' | 'claim-rewards'

export type UpstreamAsked = {
  readonly chain: Chain
  /** Who signs, and the only one who may be paid. */
  readonly wallet: Address
  readonly kind: UpstreamKind
  /** The most that may leave; native currency is the zero address. */
  readonly spends: readonly TokenQuantity[]
  /** Of a trade for an exact output: what the calldata must let leave at least, or nobody can mine it. */
  readonly mayLeave?: readonly TokenQuantity[]
  /** The least that must arrive, which the calldata itself has to make sure of, in trades and withdrawals of principal. */
  readonly receives: readonly TokenQuantity[]
  /** What the calls put into pools, as asked for: the pipeline holds the calldata against it. */
  readonly deposits?: Intent['deposits']
  /** The position that is changed and the liquidity it may lose; `null` for a new one or none. */
  readonly position: {
    readonly id: bigint
    readonly token0: Address
    readonly token1: Address
    readonly removes: bigint
  } | null
  /** The pool a new position goes to; `null` where none is made. */
  readonly pool: PoolFacts | null
  /** Unix seconds. */
  readonly latestDeadline: number
  readonly slippageBps: number | null
  readonly riskTier: RiskTier
  readonly label: string
  readonly why: string
}

export type PoolFacts = {
  readonly fee: number
  /** `null` in v3, where they follow from the fee and there are none. */
  readonly tickSpacing: number | null
  readonly hooks: Address | null
  /** The price it is opened at, if this opens it. */
  readonly sqrtPriceX96: bigint | null
}
