import * as z from 'zod'
import { ToolError } from '@svc/amm'
import { storePrincipal } from '@svc/engine'
import { isInRange } from '../../analysis/position/describe-position.ts'
import { recordTool, readTool } from '../../tool.ts'
import { firstState, type WatchConditions } from '../../watches/conditions.ts'
import { shownWatch, watchResult, seesLimits, shownEventTo } from '../../watches/watch-resources.ts'
import { positionOfAny } from '../own-position.ts'
import { chainInput, numberWithin, positionIdInput, rangedVersionInput, wholeNumber, limitInput } from '../params.ts'
import { notesResult, readResult } from '../results.ts'
import { rebalanceCheck } from '../../analysis/position/rebalance-worth.ts'
import { isUuid } from '@svc/runtime'
import type { CallerWatches } from '../../tool-context.ts'

/** The id of a watch: a UUID as this server gives them. */
const watchIdInput = z.string().refine(isUuid, 'Accepted: a watchId of list_watches')

/** What the caller watches. Throws `WALLET_NOT_CONFIGURED` where there is no store to keep it in. */
function requireWatches<Watches>(context: { watches(): Watches | null }): Watches {
  const kept = context.watches()
  if (kept !== null) return kept
  throw new ToolError(
    'WALLET_NOT_CONFIGURED',
    'Watches are kept beside the records of a wallet, and none is configured.',
  )
}

/** Where the caller hears of what its watches find. */
function deliveryNote({ everySeconds, hasWebhook }: Pick<CallerWatches, 'everySeconds' | 'hasWebhook'>): string {
  const webhook = hasWebhook ? ', and a webhook goes to the operator' : ''
  return `Positions are looked at every ${everySeconds} seconds. What is found stands in list_watches, updates the resource at uri for who subscribes to it${webhook}.`
}

function unknownWatch(field: string): ToolError {
  const message = 'No watch of this caller has this id.'
  return new ToolError('WATCH_NOT_FOUND', message, { details: [{ field, message }] })
}

const percentInput = numberWithin(0.01, 100, 'a number of percent from 0.01 to 100').optional()

export const watchPosition = recordTool({
  name: 'watch_position',
  title: 'Watch a position',
  description:
    'Watches a v3 or v4 position and tells once each time it leaves its range or a figure reaches its threshold, with whether a rebalance would pay. It moves nothing. What it finds is in list_watches; cancel_watch ends it.',
  idempotent: false,
  openWorld: true,
  input: z
    .strictObject({
      positionId: positionIdInput,
      chain: chainInput,
      version: rangedVersionInput.optional(),
      outOfRange: z.boolean().default(true),
      ilPct: percentInput.describe('Loss against holding since now'),
      feeDropPct: percentInput.describe("The day's fees below the week's"),
      feesWaitingPct: percentInput.describe('Of its value'),
      limitPct: percentInput.describe('Used of a spending limit, say 80'),
      paysWithinDays: wholeNumber(1, 365, 'whole days from 1 to 365').default(30),
    })
    .superRefine(({ outOfRange, ilPct, feeDropPct, feesWaitingPct, limitPct }, check) => {
      if (outOfRange || [ilPct, feeDropPct, feesWaitingPct, limitPct].some((one) => one !== undefined)) return
      check.addIssue({
        code: 'custom',
        path: ['outOfRange'],
        message: 'Accepted: true where no other condition is given',
      })
    }),
  output: z.object({ ...readResult, ...watchResult, inRange: z.boolean(), notes: notesResult }),
}).handler(async (input, context) => {
  const { watches: _none, ...reads } = context
  const watches = requireWatches(context)
  const { tier, scopes } = context.principal
  // A key that may leave a record may read as well.
  if (tier === null && !scopes.has('read:portfolio')) {
    const message = 'A watch shows what a position is and holds, which takes the scope read:portfolio beside feedback.'
    throw new ToolError('INSUFFICIENT_KEY_TIER', message, { details: [{ message, scope: 'read:portfolio' }] })
  }
  const { limitPct = null } = input
  if (limitPct !== null && !seesLimits(context.principal)) {
    const message = 'How much of the limits is used is shown with the scope admin:wallet only.'
    throw new ToolError('INSUFFICIENT_KEY_TIER', message, { details: [{ field: 'limitPct', message }] })
  }
  const chain = context.chains.get(input.chain)
  const position = await positionOfAny(chain, input, reads)
  if (position.liquidity === 0n) {
    const message = 'All liquidity was taken out of this position: there is nothing to watch.'
    throw new ToolError('VALIDATION_FAILED', message, {
      details: [{ field: 'positionId', message, accepted: 'a position with liquidity' }],
    })
  }
  const { ilPct = null, feeDropPct = null, feesWaitingPct = null, outOfRange, paysWithinDays } = input
  const conditions: WatchConditions = { outOfRange, ilPct, feeDropPct, feesWaitingPct, limitPct, paysWithinDays }
  const watch = await watches.add({
    principal: storePrincipal(context.principal),
    chainId: chain.id,
    version: position.version,
    positionId: position.positionId,
    conditions: JSON.stringify(conditions),
    state: JSON.stringify(firstState(position)),
  })
  if (watch === null) throw new ToolError('WATCH_LIMIT', 'This caller watches as many positions as one may.')
  const [shown] = shownWatch(watch, context.principal)
  if (shown === undefined) throw new TypeError('A watch that was just written cannot be read')
  return {
    chain: { id: chain.id, name: chain.name },
    timestamp: new Date(context.now()).toISOString(),
    source: 'rpc',
    ...shown,
    inRange: isInRange(position),
    notes: [deliveryNote(watches)],
  }
})

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
