export {
  type ProviderApp,
  provisionManagedWallet,
  type ProviderPolicyDocument,
  type ProvisionManagedWalletOptions,
  type ProvisionedManagedWallet,
  checkManagedWallet,
  type CheckManagedWalletOptions,
  type ManagedWalletReport,
} from './signers/managed/provision-managed-wallet.ts'
export {
  type AuthorizationKey,
  createAuthorizationKey,
  readAuthorizationKey,
  readAuthorizationPublicKey,
} from './signers/managed/authorization-key.ts'
