import type { Address } from 'viem'
import type { OpenChain } from '../chain.ts'
import type { Signer } from '../signer.ts'
import { WalletError } from '../wallet-error.ts'
import { openBundler } from './open-bundler.ts'
import type { OperationContext, OperationStep } from './operation-context.ts'
import { sponsorUrls } from './sponsor-urls.ts'

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
  if (urls.bundlerUrl === null) throw invalid('bundlerUrl', `a URL, here or in SVC_BUNDLER_URL_${open.chain.id}`)
  if (urls.paymasterUrl === null) throw invalid('paymaster', `a URL, here or in SVC_PAYMASTER_URL_${open.chain.id}`)
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
export type OperationOptions = {
  readonly paymasterUrl?: string
  readonly paymasterContext?: Readonly<Record<string, unknown>>
  readonly bundlerUrl?: string
  readonly allowDelegationTo?: Address
  readonly timeoutMs?: number
  readonly resendAfterMs?: number
  readonly requestTimeoutMs?: number
  readonly signal?: AbortSignal
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly onProgress?: (event: UserOperationProgress) => void
}

/** What a command line can print while it waits. */
export type UserOperationProgress = {
  readonly step: OperationStep
  readonly details: Readonly<Record<string, unknown>>
}

function invalid(field: string, accepted: string): WalletError {
  return new WalletError('VALIDATION_CONFIG_INVALID', `${field} is not valid; accepted: ${accepted}.`)
}
