import type { Chain } from '@svc/wallet/core'
import type { IntentOrder, PositionPermit } from '@svc/amm'
import type { Address, Hex } from 'viem'

/** What a signature may be for right now. Everything stands in it; a check reads nothing else. */
export type SignatureContext = {
  /** The only chain a signature may be valid on. */
  readonly chain: Chain
  readonly wallet: Address
  /** Unix seconds. */
  readonly nowSeconds: number
  /** The lists are lower-case. Who may be given a Permit2 allowance. */
  readonly spenders: ReadonlySet<string>
  /** Identity registries of the chain. */
  readonly registries: ReadonlySet<string>
  /** Contracts that settle orders. */
  readonly reactors: ReadonlySet<string>
  /** Hosts (with port, where it is not the usual one) at which the agent may log in. */
  readonly siweDomains: ReadonlySet<string>
  /** What the present call is entitled to. A signature that answers to none of these is not made. */
  readonly grants: readonly SignatureGrant[]
}

export type SignatureGrant =
  /** An exact Permit2 allowance; each entry of a batch needs one of its own. */
  | { readonly kind: 'permit2'; readonly token: Address; readonly spender: Address; readonly amount: bigint }
  /** What one position of v3 may be used for by the spender of a call that ends it. */
  | ({ readonly kind: 'position-permit' } & Pick<PositionPermit, 'spender' | 'tokenId' | 'nonce' | 'deadline'>)
  /** The wallet's consent to be the wallet of an agent. */
  | { readonly kind: 'agent-wallet'; readonly agentId: bigint; readonly owner: Address }
  /** Calls that passed the pipeline. `maxCostWei` bounds what its gas fields could cost. */
  | {
      readonly kind: 'user-operation'
      readonly nonce: bigint
      readonly initCode: Hex
      readonly callData: Hex
      readonly paymasterAndData: Hex
      readonly maxCostWei: bigint
    }
  /** An order that passed the pipeline, member by member. */
  | { readonly kind: 'order'; readonly order: IntentOrder }
  | { readonly kind: 'siwe'; readonly domain: string; readonly uri: string; readonly nonce: string }

/** What somebody wants signed beside transactions. */
export type SignatureRequest =
  | { readonly kind: 'typed-data'; readonly typedData: unknown }
  | { readonly kind: 'message'; readonly message: unknown }
  | { readonly kind: 'hash'; readonly hash: unknown }
