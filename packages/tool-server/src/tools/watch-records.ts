import * as z from 'zod'
import { ToolError } from '@svc/amm'
import { isUuid } from '@svc/runtime'
import type { CallerWatches } from '../tool-context.ts'

/** The id of a watch: a UUID as this server gives them. */
export const watchIdInput = z.string().refine(isUuid, 'Accepted: a watchId of list_watches')

/** What the caller watches. Throws `WALLET_NOT_CONFIGURED` where there is no store to keep it in. */
export function requireWatches<Watches>(context: { watches(): Watches | null }): Watches {
  const kept = context.watches()
  if (kept !== null) return kept
  throw new ToolError(
    'WALLET_NOT_CONFIGURED',
    'Watches are kept beside the records of a wallet, and none is configured.',
  )
}

/** Where the caller hears of what its watches find. */
export function deliveryNote({ everySeconds, hasWebhook }: Pick<CallerWatches, 'everySeconds' | 'hasWebhook'>): string {
  const webhook = hasWebhook ? ', and a webhook goes to the operator' : ''
  return `Positions are looked at every ${everySeconds} seconds. What is found stands in list_watches, updates the resource at uri for who subscribes to it${webhook}.`
}

export function unknownWatch(field: string): ToolError {
  const message = 'No watch of this caller has this id.'
  return new ToolError('WATCH_NOT_FOUND', message, { details: [{ field, message }] })
}
