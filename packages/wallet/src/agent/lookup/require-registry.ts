import { WalletError } from '../../wallet-error.ts'
import type { RegistryPlace } from './open-registry.ts'

/**
 * Asks whether the endpoint serves the chain and whether there is code at the registry. Throws `RPC_UNAVAILABLE`,
 * `RPC_CHAIN_MISMATCH` or `REGISTRY_NOT_DEPLOYED`.
 */
export async function requireRegistry({ client, chain, registry }: RegistryPlace): Promise<void> {
  const [chainId, code] = await Promise.all([client.getChainId(), client.getCode({ address: registry })]).catch(
    (cause: unknown) => {
      throw new WalletError('RPC_UNAVAILABLE', `The endpoint of chain ${chain.id} does not answer.`, { cause })
    },
  )
  if (chainId !== chain.id) {
    throw new WalletError('RPC_CHAIN_MISMATCH', `The endpoint serves chain ${chainId}, not ${chain.id}.`)
  }
  if (code === undefined || code === '0x') {
    throw new WalletError('REGISTRY_NOT_DEPLOYED', `There is no contract at ${registry} on chain ${chain.id}.`)
  }
}
