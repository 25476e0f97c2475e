import type { Address } from 'viem'
import type { OpenChain } from '../../chain.ts'
import type { Journal } from '../../journal.ts'
import { isPrivateWay, sponsorUrls, type SponsorUrls } from '../../service-urls.ts'
import type { ServiceWallet } from '../../service-wallet.ts'
import type { UserOperationProgress } from '../../user-operation/open-bundler.ts'
import { invalidField } from '../../wallet-error.ts'
import type { CallSender } from '../send-transaction.ts'
import { openJsonFile } from '../../json-file.ts'
import type { SignedUserOperation } from '../../user-operation/signed-user-operation.ts'

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

/** Calls that were sent together by `wallet_sendCalls`, as plain data. Its transactions are in the journal under `requestId`. */
export type CallBatch = {
  /** The client's own, or made up here. */
  readonly id: string
  readonly requestId: string
  readonly chainId: number
  readonly from: Address
  /** How many calls there are. */
  readonly size: number
  /** The one operation that holds all calls; `null` where they went out as transactions, one after the other. */
  readonly operation: SignedUserOperation | null
}

/** Where batches are kept, so that an id is never used twice. */
export type CallBatches = {
  load(id: string): Promise<CallBatch | null>
  /** Durable when it resolves, before anything of the batch leaves. `false`, and nothing kept, when there is one of the id. */
  add(batch: CallBatch): Promise<boolean>
}

/** Batches that last as long as the process: a crash forgets their ids. */
export function createMemoryCallBatches(): CallBatches {
  const batches = new Map<string, CallBatch>()
  return {
    load: async (id) => batches.get(id) ?? null,
    add: async (batch) => {
      if (batches.has(batch.id)) return false
      batches.set(batch.id, batch)
      return true
    },
  }
}

/**
 * Batches in one file of JSON, readable by its owner only. For one process at a time, and beside a journal that lasts as
 * long: that holds their transactions. Throws `JOURNAL_UNREADABLE` for a file that is damaged or cannot be written.
 */
export function createFileCallBatches(path: string): CallBatches {
  const file = openJsonFile<CallBatch>(path)
  return {
    load: async (id) => (await file.read()).find((batch) => batch.id === id) ?? null,
    add: (batch) => file.change((batches) => (batches.some(({ id }) => id === batch.id) ? null : [...batches, batch])),
  }
}
