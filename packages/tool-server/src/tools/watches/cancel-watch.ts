import * as z from 'zod'
import { recordTool } from '../../tool.ts'
import { notesResult } from '../results.ts'
import { requireWatches, unknownWatch, watchIdInput } from '../watch-records.ts'

export const cancelWatch = recordTool({
  name: 'cancel_watch',
  title: 'End a watch',
  description: 'Ends a watch of the caller. What it found before stays in list_watches.',
  idempotent: false,
  input: z.strictObject({ watchId: watchIdInput }),
  output: z.object({
    watchId: z.string(),
    chainId: z.int(),
    version: z.string(),
    positionId: z.string(),
    timestamp: z.string(),
    source: z.string(),
    notes: notesResult,
  }),
}).handler(async ({ watchId }, context) => {
  const cancelled = await requireWatches(context).cancel(watchId)
  if (cancelled === null) throw unknownWatch('watchId')
  const { chainId, version, positionId } = cancelled
  return {
    watchId,
    chainId,
    version,
    positionId,
    timestamp: new Date(context.now()).toISOString(),
    source: 'records',
    notes: [],
  }
})
