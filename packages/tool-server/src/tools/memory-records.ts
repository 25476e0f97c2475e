import type { Chain } from '@svc/wallet/core'
import * as z from 'zod'
import { ToolError } from '@svc/amm'
import { isUuid } from '@svc/runtime'
import { type FeedbackContent, mostStoredText, pairKey } from '../analysis/memory/pair-insights.ts'
import type { MemoryRecord, ReadContext, RecordContext } from '../tool-context.ts'
import { chainInput, numberWithin, publishedText, requireDifferentTokens, tokenInput } from './params.ts'

/** What the tools of memory take alike. */
export const pairParams = { chain: chainInput, token0: tokenInput, token1: tokenInput }

export const memoryTextInput = publishedText(mostStoredText)

export const confidenceInput = numberWithin(0, 1, 'a number from 0 to 1')

/** The id of a record: a UUID as this server gives them. */
export const memoryIdInput = z
  .string()
  .refine(isUuid, 'Accepted: an episodeId, insightId or feedbackId of an answer of this server')

/** A pair as memory knows it. Throws `VALIDATION_FAILED` where both are one token. */
export async function namedPairOf(
  { chain: name, token0, token1 }: z.output<z.ZodObject<typeof pairParams>>,
  { chains, tokens }: Pick<ReadContext, 'chains' | 'tokens'>,
): Promise<{ readonly chain: Chain; readonly pair: string }> {
  const chain = chains.get(name)
  const pair = [await tokens.resolve(chain, token0, 'token0'), await tokens.resolve(chain, token1, 'token1')] as const
  requireDifferentTokens(chain, ...pair, 'token1')
  return { chain, pair: pairKey(chain, pair) }
}

/** Keeps feedback; an episode that it names must be the caller's, of this pair. Throws `MEMORY_NOT_FOUND`. */
export async function feedbackOf(
  { chainId, pair, rating, text, episodeId }: NewFeedback,
  records: RecordContext['records'],
): Promise<{ readonly id: string; readonly forgotten: number }> {
  if (episodeId !== undefined) {
    const isOfPair = (one: MemoryRecord) => one.kind === 'episode' && one.chainId === chainId && one.pair === pair
    const episode = await records.byId(episodeId)
    if (episode === null || !isOfPair(episode))
      throw notFound('episodeId', 'No episode of this caller and pair has this id.')
  }
  const content = JSON.stringify({ rating, text } satisfies FeedbackContent)
  return records.keep({ kind: 'feedback', chainId, pair, subject: episodeId ?? null, confidence: 1, content })
}

type NewFeedback = FeedbackContent & {
  readonly chainId: number
  readonly pair: string
  readonly episodeId?: string | undefined
}

/** Changes a record of one of these kinds. Throws `MEMORY_NOT_FOUND` naming `field` where the caller has none of this id. */
export async function changeKnown(
  records: RecordContext['records'],
  id: string,
  field: string,
  kinds: readonly MemoryRecord['kind'][],
  change: (record: MemoryRecord) => Partial<Pick<MemoryRecord, 'content' | 'confidence'>>,
): Promise<MemoryRecord> {
  const unknown = notFound(field, `No ${kinds.join(' or ')} of this caller has this id.`)
  const changed = await records.change(id, (record) => {
    if (!kinds.includes(record.kind)) throw unknown
    return change(record)
  })
  if (changed === null) throw unknown
  return changed
}

/** Where a record is read back; under the profile `full` nowhere. */
export function usedIn({ memory }: Pick<ReadContext, 'memory'>, where: string): string {
  return memory === null ? 'nothing: only the profile learning reads memory back' : where
}

/** That older records went for a new one. */
export function forgottenNotes(forgotten: number, what: string): string[] {
  if (forgotten === 0) return []
  return [`The oldest ${forgotten} of the ${what} went, to keep to what a caller may leave.`]
}

function notFound(field: string, message: string): ToolError {
  return new ToolError('MEMORY_NOT_FOUND', message, { details: [{ field, message }] })
}
