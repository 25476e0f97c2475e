export { createTestServer } from './create-test-server.ts'
export type { RequestHandler } from 'msw'
export type { TestServer } from './create-test-server.ts'
export {
  createWalletProviderServer,
  type WalletProviderServer,
  walletProviderHandlers,
  type WalletProviderHandlers,
  type WalletProviderHandlersOptions,
} from './create-wallet-provider-server.ts'
export type { AuthorizationKey, ProviderRequest } from './wallet-provider/check-request.ts'
export type { FaultKind, ProviderFault } from './wallet-provider/faults.ts'
export { faucetHandlers } from './faucet-handlers.ts'
export type { FaucetClaim, FaucetFault, FaucetGrant, FaucetHandlers, FaucetOptions } from './faucet-handlers.ts'
export type { HandlerSet } from './handler-set.ts'
export { pinProxyHandlers } from './pin-proxy-handlers.ts'
export type { PinFault, PinProxyHandlers, PinProxyOptions } from './pin-proxy-handlers.ts'
export { identitySdkHandlers } from './identity-sdk-handlers.ts'
export type { IdentitySdkHandlers, IdentitySdkHandlersOptions } from './identity-sdk-handlers.ts'
export { registryHandlers } from './registry-handlers.ts'
export type { RegistryHandlers, RegistryHandlersOptions, RpcFault } from './registry-handlers.ts'
export type { SimulatedAgent } from './simulated-chain/identity-registry.ts'
export type {
  ProvisionedWallet,
  WalletProvider,
  WalletProviderOptions,
  WantedWallet,
} from './wallet-provider/provider.ts'
