import * as z from 'zod'
import { insightContent, readContent, storedText } from '../../analysis/memory/pair-insights.ts'
import { recordTool } from '../../tool.ts'
import type { MemoryRecord, RecordContext } from '../../tool-context.ts'
import {
  changeKnown,
  confidenceInput,
  forgottenNotes,
  memoryIdInput,
  memoryTextInput,
  namedPairOf,
  pairParams,
  usedIn,
} from '../memory-records.ts'
import { wholeNumber } from '../params.ts'
import { notesResult } from '../results.ts'

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
