// The stand-in depends on nothing of this package; by its path, so that the two manifests do not depend on each other.
export { createWalletProviderServer, type WantedWallet } from '@svc/test-utils'
