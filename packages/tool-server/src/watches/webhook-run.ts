import { createHmac } from 'node:crypto'
import type { Log } from '@svc/runtime'
import type { StoredWatchEvent, Watches } from '@svc/store'
import type { Secret } from '@svc/wallet/core'
import { ReachError } from '../reach/guarded-request.ts'
import type { postWebhook, WebhookPlace } from './post-webhook.ts'
import { shownEvent } from './watch-event.ts'

/**
 * Sends the events whose webhook is due, as Standard Webhooks has it: signed with the operator's secret, and with the id of the event, under
 * which each try says the same. That a try is made is on disk before it is, and that it was taken afterwards; a process that is killed between
 * sends again under the same id. After so many tries, within 18 hours, an event stands as failed. Never rejects but with
 * what the store says.
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
    const outcome = shown === undefined ? 'unreadable' : await send(event, shown).catch(faultOf)
    const isTaken = typeof outcome === 'number' && outcome >= 200 && outcome < 300
    // Cut off by the end of the server: the next start sends it again.
    if (!isTaken && options.signal.aborted) return
    const isLast = attempts >= mostAttempts || outcome === 410 || outcome === 'unreadable'
    if (isTaken || isLast) await watches.settleDelivery(eventId, isTaken ? 'delivered' : 'failed')
    if (isTaken) log.info('webhook.delivered', { eventId, attempts })
    else log.warn('webhook.failed', { eventId, attempts, outcome, again: !isLast })
  }

  function send(event: StoredWatchEvent, shown: object): Promise<number> {
    const { secret, url, allowsPrivate } = options.webhook
    const body = JSON.stringify({ type: `watch.${event.kind}`, timestamp: isoOf(event.createdAt), data: shown })
    const timestamp = String(Math.floor(options.now() / 1000))
    const headers = {
      'webhook-id': event.id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${signature(secret, `${event.id}.${timestamp}.${body}`)}`,
    }
    return options.post({ url: url.reveal(), allowsPrivate }, { headers, body }, options.signal)
  }
}

/** Where events go: the operator's own place, which no caller can name. */
export type Webhook = {
  readonly url: Secret
  /** `whsec_` and 24 to 64 bytes in base64. */
  readonly secret: Secret
  readonly allowsPrivate: WebhookPlace['allowsPrivate']
}

export type WebhookRunOptions = {
  readonly watches: Pick<Watches, 'claimDeliveries' | 'settleDelivery'>
  readonly webhook: Webhook
  readonly post: typeof postWebhook
  /** Aborted when the server closes. */
  readonly signal: AbortSignal
  /** Unix milliseconds. */
  readonly now: () => number
  readonly log: Pick<Log, 'info' | 'warn'>
}

function signature(secret: Secret, signed: string): string {
  const key = Buffer.from(secret.reveal().replace(/^whsec_/, ''), 'base64')
  return createHmac('sha256', key).update(signed).digest('base64')
}

/** A word of ours: what others say of a connection may name where it went. */
function faultOf(error: unknown): string {
  return error instanceof ReachError ? error.code : 'INTERNAL'
}

function isoOf(unixMs: number): string {
  return new Date(unixMs).toISOString()
}

/** A quarter of a minute, then four times as long each time, half a day at most. */
function waitMs(attempts: number): number {
  return Math.min(12 * 3_600_000, 15_000 * 4 ** (attempts - 1))
}

const mostAttempts = 8
const mostAtOnce = 10
