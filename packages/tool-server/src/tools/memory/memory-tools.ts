import * as z from 'zod'
import {
  insightContent,
  readContent,
  storedText,
  feedbackRatings,
  type FeedbackContent,
  mostStoredText,
  pairKey,
} from '../../analysis/memory/pair-insights.ts'
import { recordTool } from '../../tool.ts'
import type { MemoryRecord, RecordContext, ReadContext } from '../../tool-context.ts'
import { wholeNumber, chainInput, numberWithin, publishedText, requireDifferentTokens, tokenInput } from '../params.ts'
import { notesResult } from '../results.ts'
import type { Chain } from '@svc/wallet/core'
import { ToolError } from '@svc/amm'
import { isUuid } from '@svc/runtime'

/** What the tools of memory take alike. */
const pairParams = { chain: chainInput, token0: tokenInput, token1: tokenInput }

const memoryTextInput = publishedText(mostStoredText)

const confidenceInput = numberWithin(0, 1, 'a number from 0 to 1')

/** The id of a record: a UUID as this server gives them. */
const memoryIdInput = z
  .string()
  .refine(isUuid, 'Accepted: an episodeId, insightId or feedbackId of an answer of this server')

/** A pair as memory knows it. Throws `VALIDATION_FAILED` where both are one token. */
async function namedPairOf(
  { chain: name, token0, token1 }: z.output<z.ZodObject<typeof pairParams>>,
  { chains, tokens }: Pick<ReadContext, 'chains' | 'tokens'>,
): Promise<{ readonly chain: Chain; readonly pair: string }> {
  const chain = chains.get(name)
  const pair = [await tokens.resolve(chain, token0, 'token0'), await tokens.resolve(chain, token1, 'token1')] as const
  requireDifferentTokens(chain, ...pair, 'token1')
  return { chain, pair: pairKey(chain, pair) }
}

/** Keeps feedback; an episode that it names must be the caller's, of this pair. Throws `MEMORY_NOT_FOUND`. */
async function feedbackOf(
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
async function changeKnown(
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
function forgottenNotes(forgotten: number, what: string): string[] {
  if (forgotten === 0) return []
  return [`The oldest ${forgotten} of the ${what} went, to keep to what a caller may leave.`]
}

function notFound(field: string, message: string): ToolError {
  return new ToolError('MEMORY_NOT_FOUND', message, { details: [{ field, message }] })
}

const actions = ['add', 'revise', 'retire', 'list'] as const

/** What each action takes; what it does not take it refuses. */
const taken: Readonly<Record<(typeof actions)[number], readonly string[]>> = {
  add: ['chain', 'token0', 'token1', 'text', 'confidence'],
  revise: ['insightId', 'text', 'confidence'],
  retire: ['insightId'],
  list: ['chain', 'token0', 'token1', 'limit'],
}

const needed: typeof taken = {
  add: ['chain', 'token0', 'token1', 'text'],
  revise: ['insightId'],
  retire: ['insightId'],
  list: ['chain'],
}

const input = z
  .strictObject({
    action: z.enum(actions, { error: `Accepted: ${actions.join(', ')}` }),
    chain: pairParams.chain.optional(),
    token0: pairParams.token0.optional(),
    token1: pairParams.token1.optional(),
    insightId: memoryIdInput.optional(),
    text: memoryTextInput.optional(),
    confidence: confidenceInput.optional(),
    limit: wholeNumber(1, 100, 'a whole number from 1 to 100').optional(),
  })
  .superRefine((value, check) => {
    const given = Object.entries(value).flatMap(([name, one]) => (one === undefined || name === 'action' ? [] : [name]))
    const add = (path: string, message: string) => check.addIssue({ code: 'custom', path: [path], message })
    for (const name of given) if (!taken[value.action].includes(name)) add(name, `Accepted: none with ${value.action}`)
    for (const name of needed[value.action]) if (!given.includes(name)) add(name, `Required with ${value.action}`)
    if (value.action === 'list' && (value.token0 === undefined) !== (value.token1 === undefined))
      add(value.token0 === undefined ? 'token0' : 'token1', 'Required: a pair has two tokens')
    if (value.action === 'revise' && value.text === undefined && value.confidence === undefined)
      add('text', 'Required: text, confidence or both')
  })

export const manageInsight = recordTool({
  name: 'manage_insight',
  title: 'Manage insights',
  description:
    'Adds, revises, retires or lists what the caller has learnt about a pair. The text is shown beside answers as data; it never moves a recommendation, and nothing in it is carried out.',
  idempotent: false,
  input,
  output: z.object({
    insights: z.array(
      z.object({
        insightId: z.string(),
        chainId: z.int(),
        pair: z.string().describe('Addresses'),
        text: z.string(),
        confidence: z.number(),
        isRetired: z.boolean(),
        createdAt: z.string(),
        updatedAt: z.string(),
      }),
    ),
    usedIn: z.string(),
    timestamp: z.string(),
    source: z.string(),
    notes: notesResult,
  }),
}).handler(async (request, context) => {
  const { records, forgotten } = await carriedOut(request, context)
  return {
    insights: records.flatMap(shown),
    usedIn: usedIn(context, 'insights of add_liquidity and optimize_lp_range, as text, the three surest'),
    timestamp: new Date(context.now()).toISOString(),
    source: 'records',
    notes: forgottenNotes(forgotten, 'insights'),
  }
})

type Request = z.output<typeof input>

type Done = { readonly records: readonly MemoryRecord[]; readonly forgotten: number }

async function carriedOut(request: Request, context: RecordContext): Promise<Done> {
  const { action, text, confidence, insightId = '' } = request
  if (action === 'list') return { records: await listed(request, context), forgotten: 0 }
  if (action === 'add') return added(request, context)
  const changed = await changeKnown(context.records, insightId, 'insightId', ['insight'], (record) => {
    const [before] = readContent(insightContent, record)
    const content = { text: text ?? before?.text ?? '', isRetired: action === 'retire' || (before?.isRetired ?? false) }
    return { content: JSON.stringify(content), ...(confidence !== undefined && { confidence }) }
  })
  return { records: [changed], forgotten: 0 }
}

async function added(
  { chain: name = '', token0 = '', token1 = '', text = '', confidence = 0.5 }: Request,
  context: RecordContext,
): Promise<Done> {
  const { chain, pair } = await namedPairOf({ chain: name, token0, token1 }, context)
  const record = {
    kind: 'insight',
    chainId: chain.id,
    pair,
    subject: null,
    confidence,
    content: JSON.stringify({ text, isRetired: false }),
  } as const
  const { id, forgotten } = await context.records.keep(record)
  const at = context.now()
  return { records: [{ ...record, id, createdAt: at, updatedAt: at }], forgotten }
}

async function listed({ chain: name = '', token0, token1, limit = 20 }: Request, context: RecordContext) {
  const named = token0 === undefined || token1 === undefined ? null : { chain: name, token0, token1 }
  const chainId = context.chains.get(name).id
  const pair = named === null ? undefined : (await namedPairOf(named, context)).pair
  return context.records.recall({ kind: 'insight', chainId, pair, limit })
}

function shown(record: MemoryRecord) {
  return readContent(insightContent, record).map(({ text, isRetired }) => ({
    insightId: record.id,
    chainId: record.chainId,
    pair: record.pair,
    text: storedText(text),
    confidence: record.confidence,
    isRetired,
    createdAt: new Date(record.createdAt).toISOString(),
    updatedAt: new Date(record.updatedAt).toISOString(),
  }))
}

export const submitOperatorFeedback = recordTool({
  name: 'submit_operator_feedback',
  title: 'Leave feedback',
  description:
    'Records how providing liquidity for a pair went, as a person judges it, for one episode or in general. Ratings are counted; neither they nor the text ever move a recommendation or a write.',
  idempotent: false,
  input: z.strictObject({
    ...pairParams,
    rating: z.enum(feedbackRatings, { error: `Accepted: ${feedbackRatings.join(', ')}` }),
    text: memoryTextInput,
    episodeId: memoryIdInput.optional(),
  }),
  output: z.object({
    feedbackId: z.string(),
    rating: z.string(),
    episodeId: z.string().nullable(),
    usedIn: z.string(),
    timestamp: z.string(),
    source: z.string(),
    notes: notesResult,
  }),
}).handler(async (input, context) => {
  const { chain, pair } = await namedPairOf(input, context)
  const { records } = context
  const { id, forgotten } = await feedbackOf({ ...input, chainId: chain.id, pair }, records)
  return {
    feedbackId: id,
    rating: input.rating,
    episodeId: input.episodeId ?? null,
    usedIn: usedIn(context, 'insights of add_liquidity and optimize_lp_range, as a count'),
    timestamp: new Date(context.now()).toISOString(),
    source: 'records',
    notes: forgottenNotes(forgotten, 'feedback'),
  }
})

export const updateMemoryConfidence = recordTool({
  name: 'update_memory_confidence',
  title: 'Trust a memory more or less',
  description:
    'Sets how far an episode or an insight of the caller is trusted, 0 to 1. Of an episode it is the share of its price history that memoryCalibration counts, never more than the whole; of an insight, its place among others.',
  idempotent: true,
  input: z.strictObject({ memoryId: memoryIdInput, confidence: confidenceInput }),
  output: z.object({
    memoryId: z.string(),
    kind: z.string(),
    confidence: z.number(),
    confidenceBefore: z.number(),
    usedIn: z.string(),
    timestamp: z.string(),
    source: z.string(),
    notes: notesResult,
  }),
}).handler(async ({ memoryId, confidence }, context) => {
  let before = confidence
  const { kind } = await changeKnown(context.records, memoryId, 'memoryId', ['episode', 'insight'], (record) => {
    before = record.confidence
    return { confidence }
  })
  const use = kind === 'episode' ? 'memoryCalibration of optimize_lp_range, as a weight' : 'the order of insights'
  return {
    memoryId,
    kind,
    confidence,
    confidenceBefore: before,
    usedIn: usedIn(context, use),
    timestamp: new Date(context.now()).toISOString(),
    source: 'records',
    notes: [],
  }
})
