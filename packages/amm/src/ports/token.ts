import type { Address } from 'viem'

/** A token as handlers see it. Text that came from the chain is already capped and escaped. */
export type Token = {
  /** Zero address for the native currency. */
  readonly address: Address
  readonly symbol: string
  readonly name: string
  readonly decimals: number
  readonly isNative: boolean
  /** True when it stands in the chain's own list; text and decimals of others, also of those that the policy lists, come from the chain. */
  readonly listed: boolean
  readonly usdPegged: boolean
}
