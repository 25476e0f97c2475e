import * as z from 'zod'
import { ToolError } from '@svc/amm'
import { storePrincipal } from '@svc/engine'
import { isInRange } from '../../analysis/position/describe-position.ts'
import { recordTool } from '../../tool.ts'
import { firstState, type WatchConditions } from '../../watches/conditions.ts'
import { shownWatch, watchResult } from '../../watches/shown-watch.ts'
import { seesLimits } from '../../watches/watch-event.ts'
import { positionOfAny } from '../own-position.ts'
import { chainInput, numberWithin, positionIdInput, rangedVersionInput, wholeNumber } from '../params.ts'
import { notesResult, readResult } from '../results.ts'
import { deliveryNote, requireWatches } from '../watch-records.ts'

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
