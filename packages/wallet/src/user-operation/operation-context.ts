import type { Address, Hex, PublicClient } from 'viem'
import type { ChainFacts } from '../chain.ts'
import type { Signer } from '../signer.ts'
import type { Bundler } from './open-bundler.ts'

/** What the steps of one user operation share. */
export type OperationContext = {
  readonly signer: Pick<Signer, 'signTypedData' | 'signAuthorization'>
  readonly owner: Address
  readonly chain: ChainFacts
  readonly client: PublicClient
  readonly bundler: Bundler
  readonly paymaster: { readonly bundler: Bundler; readonly context?: Readonly<Record<string, unknown>> }
  /** Agrees to delegate the account to this implementation alone. */
  readonly allowDelegationTo?: Address
  /** How long the operation is waited for before it counts as pending. */
  readonly timeoutMs: number
  /** It is offered again after this long. */
  readonly resendAfterMs: number
  readonly signal?: AbortSignal
  readonly onStep: (step: OperationStep, details: Readonly<Record<string, unknown>>) => void
}

/** What a user operation is about to do. */
export type OperationStep = 'delegate' | 'sign' | 'send' | 'confirm'

export type OperationCall = { readonly target: Address; readonly data: Hex; readonly valueWei?: bigint }
