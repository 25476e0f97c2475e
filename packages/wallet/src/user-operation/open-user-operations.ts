import type { Address, Hex, PublicClient } from 'viem'
import type { ChainFacts } from '../chain.ts'
import type { Signer } from '../signer.ts'
import { lookForOperation, nextNonceOf, type Sighting } from './look-for-operation.ts'
import { type Offer, offerUserOperation, openBundler, type OperationCall } from './open-bundler.ts'
import type { Followed } from './run-user-operation.ts'
import type { SignedUserOperation } from './signed-user-operation.ts'
import { encodeCalls, entryPoint, simple7702Account } from './choose-delegation.ts'

/**
 * The user operations of one account on one chain, for whoever keeps what is signed in a journal of its own: each step is a call of its
 * own, and nothing is offered that was not kept. Without `sponsors` nothing can be signed or offered; what is out can still be looked for.
 */
export function openUserOperations(options: UserOperationsOptions): UserOperations {
  const { chain, client, owner, sponsors, requestTimeoutMs = 10_000 } = options
  const bundler = sponsors === null ? null : openBundler(sponsors.bundlerUrl, requestTimeoutMs)
  const offering = sponsors && openBundler(sponsors.bundlerUrl, sponsors.offerTimeoutMs ?? requestTimeoutMs)
  const watching = { client, chain, resendAfterMs: 10_000, onStep: () => {} }
  return {
    isConfigured: sponsors !== null,
    account: simple7702Account,
    entryPoint,
    encode: encodeCalls,
    async sign(calls, signer, { callGasLimit, signal } = {}) {
      if (sponsors === null || bundler === null) throw new TypeError('No bundler and paymaster are named.')
      const { signUserOperation } = await import('./sign-user-operation.ts')
      const paymaster = { bundler: openBundler(sponsors.paymasterUrl, requestTimeoutMs) }
      const asked = { ...watching, callGasLimit, timeoutMs: 0, ...(signal && { signal }) }
      const context = { ...asked, signer, owner, bundler, paymaster }
      return await signUserOperation(context, calls)
    },
    offer: async (signed) =>
      offering === null ? { answer: 'unknown', reason: null } : await offerUserOperation(offering, signed),
    async follow(signed, timeoutMs, signal) {
      if (bundler === null) return { status: 'open', declined: null }
      const { follow } = await import('./run-user-operation.ts')
      return await follow({ ...watching, bundler, timeoutMs, ...(signal && { signal }) }, signed, true, true)
    },
    look: (signed) => lookForOperation({ client, chain, bundler }, signed),
    isUnused: async (signed, blockNumber) =>
      (await nextNonceOf(client, signed, blockNumber)) <= BigInt(signed.operation.nonce),
  }
}

/** Whose operations, on which chain, and by whose help. */
export type UserOperationsOptions = {
  readonly chain: ChainFacts
  readonly client: PublicClient
  readonly owner: Address
  /** Who takes operations, and who pays for them; `null` where nobody is named. */
  readonly sponsors: OperationSponsors | null
  /** Of one request to either; 10 s. */
  readonly requestTimeoutMs?: number
}

/** Who takes operations to the chain and who pays for them, by their URLs. */
export type OperationSponsors = {
  readonly bundlerUrl: string
  readonly paymasterUrl: string
  /** How long the bundler's answer to an offer is waited for, before the chain is looked at; as long as for any other when absent. */
  readonly offerTimeoutMs?: number
}

/** What can be done with the user operations of one account, step by step. */
export type UserOperations = {
  /** Whether a bundler and a paymaster are named. */
  readonly isConfigured: boolean
  /** What an account runs that sends operations. */
  readonly account: Address
  /** Who calls the account with an operation. */
  readonly entryPoint: Address
  /** Calldata of calls through the account, which happen in order, all or none. */
  encode(calls: readonly OperationCall[]): Hex
  /**
   * Signs calls as one operation, after bundler, paymaster and the paymaster's contract agreed to it; where the account runs no code, it
   * is delegated with it. Offers it to nobody. Throws `WalletError` and what the signer throws.
   */
  sign(
    calls: readonly OperationCall[],
    signer: Pick<Signer, 'signTypedData' | 'signAuthorization'>,
    options?: {
      /** Units of gas that the calls get; what the bundler estimates when absent. */
      readonly callGasLimit?: bigint
      readonly signal?: AbortSignal
    },
  ): Promise<SignedUserOperation>
  /** Offers it once. Never rejects; what a bundler says proves nothing about the chain. */
  offer(signed: SignedUserOperation): Promise<Offer>
  /** Watches the chain for what was offered a moment ago, and offers it again now and then. */
  follow(signed: SignedUserOperation, timeoutMs: number, signal?: AbortSignal): Promise<Followed>
  /** Looks at the chain once for what became of it. Never rejects. */
  look(signed: SignedUserOperation): Promise<Sighting>
  /** Whether nothing had taken its nonce at the entry point by a block. Throws the client's error. */
  isUnused(signed: SignedUserOperation, blockNumber: bigint): Promise<boolean>
}
