import { createHmac } from 'node:crypto'
import type { Secret } from '@svc/wallet/core'
import { ReachError, guardedRequest, type Place } from '../reach/guarded-request.ts'
import type { Log } from '@svc/runtime'
import type { StoredWatchEvent, Watches } from '@svc/store'
import { shownEvent } from './watch-resources.ts'

/**
 * Posts one message to the operator's place, as Standard Webhooks has it: signed with the operator's secret, and with an id under which each
 * try says the same.
 *
 * @returns the status of the answer, or a word of ours for why there was none: what others say of a connection may name where it went.
 */
export async function sendSigned(
  { id, body }: { readonly id: string; readonly body: string },
  { webhook, now, post, signal }: SignedPost,
): Promise<number | string> {
  const { secret, url, allowsPrivate } = webhook
  const timestamp = String(Math.floor(now() / 1000))
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature(secret, `${id}.${timestamp}.${body}`)}`,
  }
  return post({ url: url.reveal(), allowsPrivate }, { headers, body }, signal).catch((error: unknown) =>
    error instanceof ReachError ? error.code : 'INTERNAL',
  )
}

export function isTakenUp(outcome: number | string): boolean {
  return typeof outcome === 'number' && outcome >= 200 && outcome < 300
}

/** Whether the place wants no more of it. */
export function isGone(outcome: number | string): boolean {
  return outcome === 410
}

/** Milliseconds until what was not taken is sent again: a quarter of a minute, then four times as long each time, half a day at most. */
export function waitMs(attempts: number): number {
  return Math.min(12 * 3_600_000, 15_000 * 4 ** (attempts - 1))
}

/** Where messages go: the operator's own place, which no caller can name. */
export type Webhook = {
  readonly url: Secret
  /** `whsec_` and 24 to 64 bytes in base64. */
  readonly secret: Secret
  readonly allowsPrivate: WebhookPlace['allowsPrivate']
}

export type SignedPost = {
  readonly webhook: Webhook
  readonly post: typeof postWebhook
  /** Aborted when the server closes. */
  readonly signal: AbortSignal
  /** Unix milliseconds. */
  readonly now: () => number
}

function signature(secret: Secret, signed: string): string {
  const key = Buffer.from(secret.reveal().replace(/^whsec_/, ''), 'base64')
  return createHmac('sha256', key).update(signed).digest('base64')
}

/**
 * Posts to the one address that the operator named, and to no other, under the guard of `guardedRequest`. Of the answer its status alone is
 * read. Rejects with a `ReachError`.
 */
export async function postWebhook(
  place: WebhookPlace,
  { headers, body }: { readonly headers: Readonly<Record<string, string>>; readonly body: string },
  signal: AbortSignal,
): Promise<number> {
  const all = { ...headers, 'content-type': 'application/json', 'user-agent': 'svc-webhook' }
  const { status } = await guardedRequest(
    { what: 'The webhook', ...place },
    { method: 'POST', headers: all, body },
    signal,
  )
  return status
}

export type WebhookPlace = Place

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
