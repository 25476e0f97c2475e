import type { Log } from '@svc/runtime'
import type { StoredWatchEvent, Watches } from '@svc/store'
import { isGone, isTakenUp, sendSigned, type SignedPost, waitMs } from './send-signed.ts'
import { shownEvent } from './watch-event.ts'

/**
 * Sends the events whose webhook is due, each under its own id. That a try is made is on disk before it is, and that it was taken
 * afterwards; a process that is killed between sends again under the same id. After so many tries, within 18 hours, an event stands as
 * failed. Never rejects but with what the store says.
 */
export function createWebhookRun(options: WebhookRunOptions): () => Promise<void> {
  const { watches, log } = options
  return async () => {
    const due = await watches.claimDeliveries({ limit: mostAtOnce, waitMs })
    await Promise.all(due.map(deliver))
  }

  async function deliver(event: StoredWatchEvent): Promise<void> {
    const { id: eventId, attempts } = event
    const [shown] = shownEvent(event)
    const outcome = shown === undefined ? 'unreadable' : await send(event, shown)
    const isTaken = isTakenUp(outcome)
    // Cut off by the end of the server: the next start sends it again.
    if (!isTaken && options.signal.aborted) return
    const isLast = attempts >= mostAttempts || isGone(outcome) || outcome === 'unreadable'
    if (isTaken || isLast) await watches.settleDelivery(eventId, isTaken ? 'delivered' : 'failed')
    if (isTaken) log.info('webhook.delivered', { eventId, attempts })
    else log.warn('webhook.failed', { eventId, attempts, outcome, again: !isLast })
  }

  function send(event: StoredWatchEvent, shown: object): Promise<number | string> {
    const body = JSON.stringify({ type: `watch.${event.kind}`, timestamp: isoOf(event.createdAt), data: shown })
    return sendSigned({ id: event.id, body }, options)
  }
}

export type WebhookRunOptions = SignedPost & {
  readonly watches: Pick<Watches, 'claimDeliveries' | 'settleDelivery'>
  readonly log: Pick<Log, 'info' | 'warn'>
}

function isoOf(unixMs: number): string {
  return new Date(unixMs).toISOString()
}

const mostAttempts = 8
const mostAtOnce = 10
