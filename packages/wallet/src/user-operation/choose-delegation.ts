import { concat, isAddress, type Address, type PublicClient } from 'viem'
import { invalidField, WalletError } from '../wallet-error.ts'
import { simple7702Account } from './simple-7702-account.ts'
import { endpointFailure } from '../endpoint-failure.ts'

/**
 * Finds out whether the account must be delegated (EIP-7702) before it can run user operations, and to what. Without
 * `allowDelegationTo` that is Simple7702Account, for an account without code. Throws `DELEGATION_NOT_ALLOWED` when the
 * account runs other code that nobody agreed to replace, or the implementation is not there.
 */
export async function chooseDelegation(
  client: PublicClient,
  owner: Address,
  allowDelegationTo?: Address,
): Promise<Delegation> {
  if (allowDelegationTo !== undefined && !isAddress(allowDelegationTo)) {
    throw invalidField('allowDelegationTo', 'an address')
  }
  const implementation = allowDelegationTo ?? simple7702Account
  const [code = '0x', there = '0x', nonce] = await Promise.all([
    client.getCode({ address: owner }),
    client.getCode({ address: implementation }),
    client.getTransactionCount({ address: owner, blockTag: 'latest' }),
  ]).catch((cause: unknown) => {
    throw endpointFailure('The endpoint does not say what code the account runs.', cause)
  })
  if (there === '0x') {
    throw new WalletError('DELEGATION_NOT_ALLOWED', `There is no code at ${implementation} to delegate to.`, {
      suggestion:
        'Name an implementation that stands on this chain in allowDelegationTo, or pay the gas from the wallet.',
      details: { address: owner, implementation },
    })
  }
  const runs = code.toLowerCase()
  if (runs === concat(['0xef0100', implementation]).toLowerCase()) return { implementation, nonce: null }
  const isAgreed = allowDelegationTo !== undefined
  if (runs === '0x' || (runs.startsWith('0xef0100') && isAgreed)) return { implementation, nonce }
  throw new WalletError('DELEGATION_NOT_ALLOWED', `The account ${owner} runs other code already.`, {
    details: { address: owner, implementation, runs: runs.slice(0, 48) },
  })
}

export type Delegation = {
  readonly implementation: Address
  /** Of the account, for the authorization; `null` when it is delegated already. */
  readonly nonce: number | null
}
