import type { Chain } from '@svc/wallet/core'
import type { IntentOrder, PositionPermit } from '@svc/amm'
import type { Address, Hex } from 'viem'

/** The only typed data that is ever signed, as its contracts hash it: domain members, types, primary type. */
export const signables: readonly Signable[] = [
  {
    kind: 'permit2',
    domain: { name: 'Permit2', version: null },
    primaryType: 'PermitSingle',
    types: { PermitSingle: permitOf('PermitDetails'), PermitDetails: permitDetails() },
  },
  {
    kind: 'permit2',
    domain: { name: 'Permit2', version: null },
    primaryType: 'PermitBatch',
    types: { PermitBatch: permitOf('PermitDetails[]'), PermitDetails: permitDetails() },
  },
  {
    kind: 'position-permit',
    domain: { name: 'Uniswap V3 Positions NFT-V1', version: '1' },
    primaryType: 'Permit',
    types: { Permit: members('spender address', 'tokenId uint256', 'nonce uint256', 'deadline uint256') },
  },
  {
    kind: 'agent-wallet',
    domain: { name: 'ERC8004IdentityRegistry', version: '1' },
    primaryType: 'AgentWalletSet',
    types: {
      AgentWalletSet: members('agentId uint256', 'newWallet address', 'owner address', 'deadline uint256'),
    },
  },
  {
    kind: 'user-operation',
    domain: { name: 'ERC4337', version: '1' },
    primaryType: 'PackedUserOperation',
    types: {
      PackedUserOperation: members(
        'sender address',
        'nonce uint256',
        'initCode bytes',
        'callData bytes',
        'accountGasLimits bytes32',
        'preVerificationGas uint256',
        'gasFees bytes32',
        'paymasterAndData bytes',
      ),
    },
  },
  {
    kind: 'order',
    domain: { name: 'Permit2', version: null },
    primaryType: 'PermitWitnessTransferFrom',
    types: {
      PermitWitnessTransferFrom: members(
        'permitted TokenPermissions',
        'spender address',
        'nonce uint256',
        'deadline uint256',
        'witness V2DutchOrder',
      ),
      TokenPermissions: members('token address', 'amount uint256'),
      V2DutchOrder: members(
        'info OrderInfo',
        'cosigner address',
        'baseInputToken address',
        'baseInputStartAmount uint256',
        'baseInputEndAmount uint256',
        'baseOutputs DutchOutput[]',
      ),
      OrderInfo: members(
        'reactor address',
        'swapper address',
        'nonce uint256',
        'deadline uint256',
        'additionalValidationContract address',
        'additionalValidationData bytes',
      ),
      DutchOutput: members('token address', 'startAmount uint256', 'endAmount uint256', 'recipient address'),
    },
  },
]

export type Signable = {
  readonly kind: Exclude<SignatureGrant['kind'], 'siwe'>
  /** Beside `chainId` and `verifyingContract`, which all have; `null`: must be absent. */
  readonly domain: { readonly name: string; readonly version: string | null }
  readonly primaryType: string
  readonly types: Readonly<Record<string, readonly TypedMember[]>>
}

export type TypedMember = { readonly name: string; readonly type: string }

function permitOf(details: string): readonly TypedMember[] {
  return members(`details ${details}`, 'spender address', 'sigDeadline uint256')
}

function permitDetails(): readonly TypedMember[] {
  return members('token address', 'amount uint160', 'expiration uint48', 'nonce uint48')
}

function members(...texts: readonly string[]): readonly TypedMember[] {
  return texts.map((text) => {
    const [name = '', type = ''] = text.split(' ')
    return { name, type }
  })
}

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
