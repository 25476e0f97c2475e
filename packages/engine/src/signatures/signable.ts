import type { SignatureGrant } from './signature-context.ts'

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
