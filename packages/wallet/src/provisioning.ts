export type { ProviderApp } from './signers/managed/provider-api.ts'
export {
  provisionManagedWallet,
  type ProviderPolicyDocument,
  type ProvisionManagedWalletOptions,
  type ProvisionedManagedWallet,
} from './signers/managed/provision-managed-wallet.ts'
export {
  checkManagedWallet,
  type CheckManagedWalletOptions,
  type ManagedWalletReport,
} from './signers/managed/check-managed-wallet.ts'
export {
  type AuthorizationKey,
  createAuthorizationKey,
  readAuthorizationKey,
  readAuthorizationPublicKey,
} from './signers/managed/authorization-key.ts'
