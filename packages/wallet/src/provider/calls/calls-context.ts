import type { Address } from 'viem'
import type { OpenChain } from '../../chain.ts'
import type { Journal } from '../../journal.ts'
import { isPrivateWay, sponsorUrls, type SponsorUrls } from '../../service-urls.ts'
import type { ServiceWallet } from '../../service-wallet.ts'
import type { UserOperationProgress } from '../../user-operation/open-operation.ts'
import { invalidField } from '../../wallet-error.ts'
import type { CallSender } from '../send-transaction.ts'
import type { CallBatches } from './call-batches.ts'

/** What the methods of EIP-5792 share. */
export type CallsContext = OpenChain & {
  readonly wallet: ServiceWallet
  readonly journal: Journal
  readonly sending: CallSender
  readonly batches: CallBatches
  /** `null` where the operator named none: then nothing is sponsored, whatever the environment holds. */
  readonly sponsor: SponsorOptions | null
  readonly env: Readonly<Record<string, string | undefined>>
  /** Batches whose transactions this process is still sending. */
  readonly underWay: Set<string>
  /** When an operation was offered last, by the id of its batch; milliseconds of the process's own clock. */
  readonly offeredAt: Map<string, number>
}

/**
 * Who pays for batches. Bundler and paymaster together make them atomic. To give this is to agree that the account is
 * delegated (EIP-7702) when such a batch is sent.
 */
export type SponsorOptions = {
  /** `SVC_BUNDLER_URL_<chainId>` where it is missing. */
  readonly bundlerUrl?: string | undefined
  /** `SVC_PAYMASTER_URL_<chainId>` where it is missing. */
  readonly paymasterUrl?: string | undefined
  readonly paymasterContext?: Readonly<Record<string, unknown>> | undefined
  /** What else a client may name as `paymasterService`: these URLs to the letter, with https or on this machine. */
  readonly clientPaymasterUrls?: readonly string[] | undefined
  /** Agrees to delegate the account to this implementation instead of Simple7702Account. */
  readonly allowDelegationTo?: Address | undefined
  /** Notified of the step `delegate` before the account is delegated (EIP-7702), which lasts until it is revoked. */
  readonly onProgress?: ((event: UserOperationProgress) => void) | undefined
}

/**
 * Who may pay for batches, as the operator said: nobody where no `sponsor` was given. Throws `VALIDATION_CONFIG_INVALID`
 * for a URL that is none, or that a client may name and that anybody on the way could answer for.
 */
export function batchSponsors({ chain, sponsor, env }: Pick<CallsContext, 'chain' | 'sponsor' | 'env'>): BatchSponsors {
  if (sponsor === null) return { bundlerUrl: null, paymasterUrl: null, clientPaymasterUrls: [] }
  const { clientPaymasterUrls = [] } = sponsor
  if (!clientPaymasterUrls.every(isPrivateWay)) {
    throw invalidField('sponsor.clientPaymasterUrls', 'URLs with https, or with http on this machine')
  }
  return { ...sponsorUrls(chain.id, sponsor, env), clientPaymasterUrls }
}

type BatchSponsors = SponsorUrls & { readonly clientPaymasterUrls: readonly string[] }
