import { WalletError } from './wallet-error.ts'

/** Refuses what is no wallet, which callers without types may give. Throws `VALIDATION_CONFIG_INVALID`. */
export function requireWallet(wallet: unknown): void {
  const isWallet = typeof wallet === 'object' && wallet !== null && 'getAddress' in wallet
  if (!isWallet) throw new WalletError('VALIDATION_CONFIG_INVALID', 'wallet is not valid; accepted: a ServiceWallet.')
}
