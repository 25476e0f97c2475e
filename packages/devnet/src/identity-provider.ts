export { startIdentityProvider } from './services/start-identity-provider.ts'
export type {
  IdentityProvider,
  IdentityProviderFault,
  IdentityProviderOptions,
} from './services/start-identity-provider.ts'
