import type { Address, Hex, PublicClient } from 'viem'
import type { ChainFacts, OpenChain } from '../chain.ts'
import { missingField } from '../wallet-error.ts'
import { sponsorUrls } from '../service-urls.ts'
import type { Signer } from '../signer.ts'
import { type Bundler, openBundler } from './open-bundler.ts'

/**
 * Puts together what one user operation needs, without asking bundler or paymaster. Throws `VALIDATION_CONFIG_INVALID`
 * where either has no URL.
 */
export async function openOperation(
  wallet: OperatingWallet,
  open: OpenChain,
  options: OperationOptions,
): Promise<OperationContext> {
  const { env = process.env, requestTimeoutMs = 10_000, signal, onProgress } = options
  const urls = sponsorUrls(open.chain.id, options, env)
  if (urls.bundlerUrl === null) throw missingField('bundlerUrl', `a URL, here or in SVC_BUNDLER_URL_${open.chain.id}`)
  if (urls.paymasterUrl === null)
    throw missingField('paymaster', `a URL, here or in SVC_PAYMASTER_URL_${open.chain.id}`)
  const { paymasterContext: context, allowDelegationTo, timeoutMs = 60_000, resendAfterMs = 10_000 } = options
  return {
    ...open,
    signer: wallet,
    owner: await wallet.getAddress(),
    bundler: openBundler(urls.bundlerUrl, requestTimeoutMs),
    paymaster: { bundler: openBundler(urls.paymasterUrl, requestTimeoutMs), ...(context && { context }) },
    ...(allowDelegationTo && { allowDelegationTo }),
    timeoutMs,
    resendAfterMs,
    ...(signal && { signal }),
    onStep: (step, details) => onProgress?.({ step, details }),
  }
}

/** What of a wallet a user operation needs. */
export type OperatingWallet = Pick<Signer, 'getAddress' | 'signTypedData' | 'signAuthorization'> & {
  readonly chainId: number | null
  readonly rpcUrls: Readonly<Record<number, string>>
}

/** Who pays, and how long is waited. */
type OperationOptions = {
  readonly paymasterUrl?: string | undefined
  readonly paymasterContext?: Readonly<Record<string, unknown>> | undefined
  readonly bundlerUrl?: string | undefined
  readonly allowDelegationTo?: Address | undefined
  readonly timeoutMs?: number | undefined
  readonly resendAfterMs?: number | undefined
  readonly requestTimeoutMs?: number | undefined
  readonly signal?: AbortSignal | undefined
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  readonly onProgress?: ((event: UserOperationProgress) => void) | undefined
}

/** What a command line can print while it waits. */
export type UserOperationProgress = {
  readonly step: OperationStep
  readonly details: Readonly<Record<string, unknown>>
}

/** What the steps of one user operation share. */
export type OperationContext = {
  readonly signer: Pick<Signer, 'signTypedData' | 'signAuthorization'>
  readonly owner: Address
  readonly chain: ChainFacts
  readonly client: PublicClient
  readonly bundler: Bundler
  readonly paymaster: { readonly bundler: Bundler; readonly context?: Readonly<Record<string, unknown>> }
  /** Agrees to delegate the account to this implementation alone. */
  readonly allowDelegationTo?: Address | undefined
  /** Units of gas that the calls get, where the caller has simulated them; else what the bundler estimates. */
  readonly callGasLimit?: bigint | undefined
  /** How long the operation is waited for before it counts as pending. */
  readonly timeoutMs: number
  /** It is offered again after this long. */
  readonly resendAfterMs: number
  readonly signal?: AbortSignal | undefined
  readonly onStep: (step: OperationStep, details: Readonly<Record<string, unknown>>) => void
}

/** What a user operation is about to do. */
export type OperationStep = 'delegate' | 'sign' | 'send' | 'confirm'

/** One call that an operation makes through the account; `valueWei` is sent along. */
export type OperationCall = { readonly target: Address; readonly data: Hex; readonly valueWei?: bigint }
