export { createWalletProviderServer } from './create-wallet-provider-server.ts'
export type {
  ProvisionedWallet,
  WalletProviderOptions,
  WalletProviderServer,
  WantedWallet,
} from './create-wallet-provider-server.ts'
export type { AuthorizationKey } from './wallet-provider/authorization-keys.ts'
export type { ProviderRequest } from './wallet-provider/check-request.ts'
export type { FaultKind, ProviderFault } from './wallet-provider/faults.ts'
