import * as z from 'zod'
import { recordTool } from '../../tool.ts'
import { changeKnown, confidenceInput, memoryIdInput, usedIn } from '../memory-records.ts'
import { notesResult } from '../results.ts'

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
