import type { Chain } from '@svc/wallet/core'
import type { Address, Hex } from 'viem'
import type { SettledTransaction } from '../intent.ts'
import type { LiquidityPlan } from './liquidity.ts'

/** Rewards of incentive campaigns, which the distributor of a chain pays against proofs of a Merkle tree. */
export type Rewards = {
  /**
   * What an account was given proofs for and what of it a claim would pay at the newest block. Throws
   * `DISTRIBUTOR_NOT_DEPLOYED`, `REWARDS_UNAVAILABLE`, `REWARDS_UNREADABLE`, `CANCELLED`, `RPC_*`.
   */
  claimable(request: RewardsRequest): Promise<ClaimableRewards>
  /**
   * A claim of all that some tokens owe a wallet, to the wallet itself. The trading API builds it; that it pays what it says is shown by
   * the distributor's root and count alone. Throws `API_KEY_NOT_CONFIGURED`, `DISTRIBUTOR_NOT_DEPLOYED`, `NO_REWARDS_AVAILABLE`,
   * `TRADING_API_*`, `UNSAFE_TRANSACTION`, `RPC_*`.
   */
  planClaim(request: ClaimPlanRequest): Promise<ClaimPlan>
  /** What keeps the trading API, which builds claims, from it: there is no key, or its newer dialect has no claims. `null`: nothing. */
  readonly cannotClaim: 'key' | 'dialect' | null
  /** What a mined transaction paid a wallet by the chain's distributor, from its logs. */
  claimedIn(
    chain: Chain,
    wallet: Address,
    mined: Pick<SettledTransaction, 'logs'>,
  ): readonly (ClaimedReward & { readonly distributor: Address })[]
}

export type ClaimPlanRequest = {
  readonly chain: Chain
  readonly wallet: Address
  /** At least one. */
  readonly tokens: readonly Address[]
}

/** What it pays of each token, in smallest units: as planned, and as the receipt has it. */
export type ClaimPlan = LiquidityPlan<readonly ClaimedReward[], readonly ClaimedReward[]> & {
  readonly distributor: Address
}

export type ClaimedReward = { readonly token: Address; readonly amount: bigint }

export type RewardsRequest = {
  readonly chain: Chain
  readonly wallet: Address
  /** Of a caller who may leave. */
  readonly signal?: AbortSignal | undefined
}

export type ClaimableRewards = {
  readonly distributor: Address
  /** Of the tree in force at that block. */
  readonly root: Hex
  readonly blockNumber: bigint
  /** One for each token, in the order of the service. */
  readonly rewards: readonly ClaimableReward[]
}

/** Amounts in smallest units. */
export type ClaimableReward = {
  readonly token: Address
  /** What a claim pays: `earned` less what was claimed, by the chain's own count; 0 where `doubt` is set. */
  readonly claimable: bigint
  /** From the beginning, as the leaf of the tree says it; 0 where `doubt` is set. */
  readonly earned: bigint
  /** Shows the leaf (wallet, token, `earned`) to be in the tree; empty where `doubt` is set. */
  readonly proof: readonly Hex[]
  /** Not in the tree yet. The service alone says so: nothing on chain proves it. */
  readonly pending: bigint
  /** Why nothing of it counts: its proof does not hold under the root, or it is said to be somebody else's. `null` where it counts. */
  readonly doubt: 'proof' | 'recipient' | null
  /** What it was earned with, as the service says it: text of strangers, not made safe yet. At most ten. */
  readonly sources: readonly { readonly reason: string; readonly campaignId: string }[]
}
