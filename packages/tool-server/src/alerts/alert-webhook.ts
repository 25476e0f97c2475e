import { randomUUID } from 'node:crypto'
import type { Log } from '@svc/runtime'
import { isGone, isTakenUp, sendSigned, type SignedPost, waitMs } from '../watches/webhooks.ts'
import type { AuditEvent } from '@svc/engine'
import type { Observing } from '../observer.ts'

/**
 * Sends alerts, and that something waits for a person, to the operator's webhook, signed as the events of watches are. What is not taken comes again for some minutes, under the
 * same id; what waits when the process ends is lost, but stands in the log.
 */
export function createAlertWebhook(options: AlertWebhookOptions): AlertWebhook {
  const { log, now } = options
  let waiting: Waiting[] = []

  async function deliver(one: Waiting): Promise<void> {
    const { id, attempts, body } = one
    const outcome = await sendSigned({ id, body }, options)
    const isTaken = isTakenUp(outcome)
    if (isTaken) log.info('webhook.delivered', { eventId: id, attempts })
    else if (!options.signal.aborted) {
      const again = attempts < mostAttempts && !isGone(outcome)
      log.warn('webhook.failed', { eventId: id, attempts, outcome, again })
      if (again) waiting.push({ ...one, attempts: attempts + 1, dueAt: now() + waitMs(attempts) })
    }
  }

  async function send(): Promise<void> {
    const due = waiting.filter(({ dueAt }) => dueAt <= now())
    waiting = waiting.filter((one) => !due.includes(one))
    await Promise.all(due.map(deliver))
  }

  return Object.freeze({
    announce(type: AnnouncedType, data: Readonly<Record<string, unknown>>) {
      const body = JSON.stringify({ type, timestamp: new Date(now()).toISOString(), data })
      waiting = [...waiting.slice(1 - mostWaiting), { id: randomUUID(), body, attempts: 1, dueAt: now() }]
    },
    send,
  })
}

export type AlertWebhook = {
  announce(type: AnnouncedType, data: Readonly<Record<string, unknown>>): void
  /** Sends what is due. Never rejects. */
  send(): Promise<void>
}

export type AnnouncedType = 'alert.raised' | 'alert.cleared' | 'approval.waiting'

export type AlertWebhookOptions = SignedPost & { readonly log: Pick<Log, 'info' | 'warn'> }

type Waiting = {
  readonly id: string
  readonly body: string
  readonly attempts: number
  /** Unix milliseconds. */
  readonly dueAt: number
}

const mostAttempts = 5
const mostWaiting = 100

/**
 * Has it announced that a write waits for a person: the newest by its ids and its worth, how many more came meanwhile, and where it is decided. What
 * an agent says of it stays on the page. However often an agent asks, it is announced once in a while at most.
 */
export function createWaitingNotice({ announce, page, now }: WaitingNoticeOptions): WaitingNotice {
  let newest: AuditEvent | null = null
  let others = 0
  let announcedAt = -Infinity

  function tell(): void {
    if (newest === null || now() - announcedAt < onceInMs) return
    const { operationId, planHash, tool, actor, spendUsd } = newest
    announce({ operationId, planHash, tool, actor, spendUsd, others, page })
    newest = null
    others = 0
    announcedAt = now()
  }

  return {
    observer: {
      audited(line) {
        if (line.event !== 'tx.approval.requested') return
        if (newest !== null) others += 1
        newest = line
        tell()
      },
    },
    tell,
  }
}

export type WaitingNotice = {
  readonly observer: Observing<'audited'>
  /** Announces what came too soon after the one before. */
  tell(): void
}

type WaitingNoticeOptions = {
  readonly announce: (data: Readonly<Record<string, unknown>>) => void
  /** Where operators decide; `null` where they do so on the machine. */
  readonly page: string | null
  /** Unix milliseconds. */
  readonly now: () => number
}

const onceInMs = 15_000
