export { startIdentityProvider } from './start-identity-provider.ts'
export type { IdentityProvider, IdentityProviderFault, IdentityProviderOptions } from './start-identity-provider.ts'
