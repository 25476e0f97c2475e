import * as z from 'zod'
import { feedbackRatings } from '../../analysis/memory/pair-insights.ts'
import { recordTool } from '../../tool.ts'
import {
  feedbackOf,
  forgottenNotes,
  memoryIdInput,
  memoryTextInput,
  namedPairOf,
  pairParams,
  usedIn,
} from '../memory-records.ts'
import { notesResult } from '../results.ts'

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
