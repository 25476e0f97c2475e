import type { Claims, ClaimState } from '@svc/store'
import type { Address } from 'viem'
import { explorerUrl, type Faucet, requireChain } from './open-faucet.ts'

/**
 * How the claim of a wallet stands; `null` when there is none. It says what a repeated request gets and what stands on
 * the chain, and neither app nor network. Throws `FAUCET_CHAIN_NOT_SUPPORTED`.
 */
export async function lookUpClaim(
  { faucet, claims }: { readonly faucet: Pick<Faucet, 'chains'>; readonly claims: Pick<Claims, 'find'> },
  { chainId, address }: { readonly chainId: number; readonly address: Address },
): Promise<ClaimStanding | null> {
  const open = requireChain(faucet, chainId)
  const claim = await claims.find(chainId, address)
  if (claim === null) return null
  const { state, txHash, createdAt } = claim
  const failedId = state === 'failed' ? claim.id : null
  return { address, chainId, state, txHash, claimedAt: createdAt, explorerUrl: explorerUrl(open, txHash), failedId }
}

export type ClaimStanding = {
  readonly address: Address
  readonly chainId: number
  readonly state: ClaimState
  readonly txHash: string | null
  /** Unix milliseconds. */
  readonly claimedAt: number
  readonly explorerUrl: string | null
  /** By which the operator can queue it again; `null` for one that has not failed. */
  readonly failedId: string | null
}
