import type { Surface } from '../calldata/call-recipients.ts'

/** Every agent may say who it is. */
const registries = ['identityRegistry', 'handleRegistry'] as const

/**
 * What a managed wallet of each role may do at its provider, at most: the part of the policy that role needs. Amounts are
 * decimal units of the chain's native currency, because the provider knows no dollars.
 */
export const roleTemplates: Readonly<Record<AgentRole, RoleTemplate>> = {
  vault_participant: {
    surfaces: [
      ...registries,
      'wrappedNative',
      'v2Router',
      'v3SwapRouter02',
      'universalRouter',
      'twammHook',
      'vault',
      'permit2',
    ],
    listedContracts: true,
    permits: false,
    nativePerTransaction: '0.1',
    nativeDaily: '0.4',
  },
  vault_manager: {
    surfaces: [
      ...registries,
      'wrappedNative',
      'v2Router',
      'v3SwapRouter02',
      'universalRouter',
      'twammHook',
      'vault',
      'permit2',
      'v3PositionManager',
      'v4PositionManager',
    ],
    listedContracts: true,
    permits: true,
    nativePerTransaction: '0.2',
    nativeDaily: '0.8',
  },
  vault_creator: {
    surfaces: [
      ...registries,
      'wrappedNative',
      'v2Router',
      'v3SwapRouter02',
      'universalRouter',
      'twammHook',
      'vault',
      'permit2',
      'v3PositionManager',
      'v4PositionManager',
    ],
    listedContracts: true,
    permits: true,
    nativePerTransaction: '0.5',
    nativeDaily: '2',
  },
}

export type AgentRole = 'vault_participant' | 'vault_manager' | 'vault_creator'

export type RoleTemplate = {
  /** Kinds of the AMM's contracts it calls; a participant trades and reaches vaults, positions are a manager's. */
  readonly surfaces: readonly Surface[]
  /** Whether it calls the contracts that the operator lists in the policy, for example vaults and their factories. */
  readonly listedContracts: boolean
  /** Whether it signs Permit2 permits. */
  readonly permits: boolean
  readonly nativePerTransaction: string
  readonly nativeDaily: string
}
