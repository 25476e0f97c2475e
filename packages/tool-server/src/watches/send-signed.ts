import { createHmac } from 'node:crypto'
import type { Secret } from '@svc/wallet/core'
import { ReachError } from '../reach/guarded-request.ts'
import type { postWebhook, WebhookPlace } from './post-webhook.ts'

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
