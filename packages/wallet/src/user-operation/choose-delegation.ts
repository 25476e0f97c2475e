import { concat, isAddress, type Address, type PublicClient, encodeFunctionData, parseAbi, type Hex } from 'viem'
import { invalidField, WalletError } from '../wallet-error.ts'
import { endpointFailure } from '../endpoint-failure.ts'
import type { OperationCall } from './open-bundler.ts'

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

/** Simple7702Account for EntryPoint 0.8, at the address its deployment by CREATE2 gives it on every chain. */
export const simple7702Account: Address = '0xe6Cae83BdE06E4c305530e199D7217f42808555B'

/** EntryPoint 0.8, at the same address on every chain. */
export const entryPoint: Address = '0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108'

/** Calldata of calls through the account. Several happen in order, and all of them or none. */
export function encodeCalls(calls: readonly OperationCall[]): Hex {
  const all = calls.map(({ target, valueWei = 0n, data }) => ({ target, value: valueWei, data }))
  const [first] = all
  if (first === undefined) throw new TypeError('There is no call to encode.')
  if (all.length > 1) return encodeFunctionData({ abi, functionName: 'executeBatch', args: [all] })
  return encodeFunctionData({ abi, functionName: 'execute', args: [first.target, first.value, first.data] })
}

const abi = parseAbi([
  'struct Call { address target; uint256 value; bytes data; }',
  'function execute(address target, uint256 value, bytes data)',
  'function executeBatch(Call[] calls)',
])
