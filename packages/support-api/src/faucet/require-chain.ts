import { ApiError } from '../errors.ts'
import type { Faucet, OpenFaucetChain } from './open-faucet.ts'

/** A chain that the faucet serves. Throws `FAUCET_CHAIN_NOT_SUPPORTED`, which names those it does. */
export function requireChain({ chains }: Pick<Faucet, 'chains'>, chainId: number): OpenFaucetChain {
  const open = chains.get(chainId)
  if (open !== undefined) return open
  throw new ApiError('FAUCET_CHAIN_NOT_SUPPORTED', `The faucet does not serve chain ${chainId}.`, {
    details: [{ field: 'chainId', message: 'Not served.', accepted: [...chains.keys()].join(', ') }],
  })
}
