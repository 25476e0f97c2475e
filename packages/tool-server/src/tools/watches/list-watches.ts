import * as z from 'zod'
import { readTool } from '../../tool.ts'
import { rebalanceCheck } from '../../watches/check-rebalance.ts'
import { shownWatch, watchResult } from '../../watches/shown-watch.ts'
import { shownEventTo } from '../../watches/watch-event.ts'
import { limitInput } from '../params.ts'
import { notesResult } from '../results.ts'
import { deliveryNote, requireWatches, watchIdInput } from '../watch-records.ts'

export const listWatches = readTool({
  name: 'list_watches',
  title: 'Watches',
  description:
    'The positions that this key watches, and the latest of what was found, newest first. rebalance says whether a move into a range of the same width around the price pays; it is of the moment of the event.',
  scope: 'read:portfolio',
  inDataProfile: false,
  openWorld: false,
  input: z.strictObject({ watchId: watchIdInput.optional().describe('Of one alone'), limit: limitInput }),
  output: z.object({
    watches: z.array(z.object(watchResult)),
    events: z.array(
      z.object({
        eventId: z.string(),
        watchId: z.string(),
        kind: z.string(),
        at: z.string(),
        chain: z.object({ id: z.int(), name: z.string() }),
        version: z.string(),
        positionId: z.string(),
        blockNumber: z.int().nullable(),
        measured: z.number().nullable().describe('Percent'),
        threshold: z.number().nullable(),
        inRange: z.boolean().nullable(),
        message: z.string(),
        rebalance: rebalanceCheck.nullable(),
        webhook: z.enum(['none', 'pending', 'delivered', 'failed']),
      }),
    ),
    hasMore: z.boolean(),
    timestamp: z.string(),
    source: z.string(),
    notes: notesResult,
  }),
}).handler(async ({ watchId, limit }, context) => {
  const watches = requireWatches(context)
  const [all, events] = await Promise.all([watches.list(), watches.events({ watchId, limit: limit + 1 })])
  const named = watchId === undefined ? all : all.filter(({ id }) => id === watchId)
  return {
    watches: named.slice(0, limit).flatMap((watch) => shownWatch(watch, context.principal)),
    events: events
      .slice(0, limit)
      .flatMap((event) =>
        shownEventTo(context.principal, event).map((one) => Object.assign(one, { webhook: event.webhook })),
      ),
    hasMore: Math.max(named.length, events.length) > limit,
    timestamp: new Date(context.now()).toISOString(),
    source: 'records',
    notes: [deliveryNote(watches)],
  }
})
