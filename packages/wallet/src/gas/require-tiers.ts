import type { GasOptions } from '../agent/registration/registration.ts'
import { WalletError } from '../wallet-error.ts'

/** Throws `VALIDATION_CONFIG_INVALID` for a tier by which money comes that the wallet is not to spend. */
export function requireTiers({ tiers = ['wallet'] }: GasOptions = {}): void {
  const funded = tiers.find((tier) => tier === 'faucet' || tier === 'manual')
  if (funded === undefined || tiers.includes('wallet')) return
  throw new WalletError('VALIDATION_CONFIG_INVALID', `gas.tiers is not valid: "${funded}" needs "wallet" beside it.`, {
    suggestion: `What comes by "${funded}" the wallet spends: add "wallet", or leave "${funded}" out.`,
  })
}
