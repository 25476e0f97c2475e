import { urlCredentials } from '@svc/wallet/core'
import { type Address, getAddress, type Hex, isAddress, maxUint256 } from 'viem'
import * as z from 'zod'
import { fetchJson } from '../fetch-json.ts'
import { ToolError } from '../tool-error.ts'

/**
 * What a service with Merkl's API (version 4) says an account has earned on a chain. Nothing of it is believed here: amounts, proofs
 * and recipients have the right form, no more.
 *
 * @throws ToolError `REWARDS_UNAVAILABLE`, `REWARDS_UNREADABLE`, `CANCELLED`
 */
export async function readOfferedRewards(
  service: RewardsService,
  { chainId, wallet, signal }: OfferedFor,
): Promise<readonly OfferedReward[]> {
  const { url, headers } = urlCredentials(
    `${service.url.replace(/\/+$/, '')}/v4/users/${wallet}/rewards?chainId=${chainId}`,
  )
  const { fetch, timeoutMs } = service
  const said = await fetchJson({ url, headers, fetch, timeoutMs, signal, mostBytes, mostValues })
  if (signal?.aborted === true) throw new ToolError('CANCELLED', 'The caller left before the answer was ready.')
  if ('failed' in said) throw failures[said.failed](said.cause)
  const { status, body } = said
  if (status === 429 || status >= 500) throw unavailable(`answered with status ${status}`)
  if (status !== 200) throw unreadable(`answered with status ${status}`)
  const answer = answerSchema.safeParse(body)
  if (!answer.success) throw unreadable('answered with something else than rewards', answer.error)
  return answer.data.filter(({ chain }) => chain.id === chainId).flatMap(({ rewards }) => rewards)
}

export type RewardsService = {
  /** The base that `/v4/...` is added to. */
  readonly url: string
  readonly fetch: typeof fetch
  /** For the whole exchange, its body included. */
  readonly timeoutMs: number
}

type OfferedFor = {
  readonly chainId: number
  readonly wallet: Address
  readonly signal?: AbortSignal | undefined
}

/** Amounts in smallest units. */
export type OfferedReward = {
  readonly recipient: Address
  readonly token: Address
  /** From the beginning. */
  readonly amount: bigint
  readonly pending: bigint
  readonly proof: readonly Hex[]
  readonly sources: readonly { readonly reason: string; readonly campaignId: string }[]
}

const address = z
  .string()
  .refine((text) => isAddress(text, { strict: false }))
  .transform((text) => getAddress(text))

const units = z
  .string()
  .regex(/^\d{1,78}$/)
  .transform(BigInt)
  .refine((amount) => amount <= maxUint256)

const node = z.custom<Hex>((value) => typeof value === 'string' && /^0x[0-9a-fA-F]{64}$/.test(value))

/** A tree of 2^40 leaves is larger than any. */
const mostNodes = 40
const mostRewards = 500
const mostSources = 10

const rewardSchema = z
  .object({
    recipient: address,
    amount: units,
    pending: units,
    proofs: z.array(node).max(mostNodes),
    token: z.object({ address }),
    // The service gives them page by page: where there are none, the amounts stand all the same.
    breakdowns: z.array(z.object({ reason: z.string(), campaignId: z.string() })).default([]),
  })
  .transform(({ recipient, amount, pending, proofs, token, breakdowns }): OfferedReward => {
    const sources = breakdowns.slice(0, mostSources).map(({ reason, campaignId }) => ({ reason, campaignId }))
    return { recipient, token: token.address, amount, pending, proof: proofs, sources }
  })

const answerSchema = z.array(
  z.object({ chain: z.object({ id: z.int() }), rewards: z.array(rewardSchema).max(mostRewards) }),
)

const mostBytes = 4 * 1024 * 1024
/** A reward with its proof and a hundred campaigns holds some thousand. */
const mostValues = 200_000

const failures = {
  timeout: (cause: unknown) => unavailable('did not answer in time', cause),
  unreachable: (cause: unknown) => unavailable('could not be reached', cause),
  'too long': (cause: unknown) => unreadable('answered with more than 4 MiB', cause),
  'too many values': (cause: unknown) => unreadable(`answered with more than ${mostValues} values`, cause),
}

function unavailable(clause: string, cause?: unknown): ToolError {
  return new ToolError('REWARDS_UNAVAILABLE', `The service that gives proofs of rewards ${clause}.`, { cause })
}

function unreadable(clause: string, cause?: unknown): ToolError {
  return new ToolError('REWARDS_UNREADABLE', `The service that gives proofs of rewards ${clause}.`, { cause })
}
