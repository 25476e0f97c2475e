import { createHmac } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { openStore, type Store } from '@svc/store'
import { Secret } from '@svc/wallet/core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ReachError } from '../reach/guarded-request.ts'
import { createWebhookRun, type WebhookRunOptions } from './webhooks.ts'

const key = Buffer.alloc(32, 7)
const secret = `whsec_${key.toString('base64')}`
const url = 'https://hooks.example/in/a-token-of-its-own'

const content = {
  chain: { id: 1, name: 'ethereum' },
  version: 'v3',
  positionId: '7',
  blockNumber: 5,
  measured: 2.5,
  threshold: 2,
  inRange: true,
  message: 'Said.',
  rebalance: null,
}

type Sent = { readonly headers: Readonly<Record<string, string>>; readonly body: string }

describe('webhooks', () => {
  let store: Store
  let now: number
  let sent: Sent[]
  let lines: string[]

  beforeEach(async () => {
    now = Date.UTC(2026, 10, 21)
    sent = []
    lines = []
    store = await openStore({ path: ':memory:', now: () => now })
  })
  afterEach(() => store.close())

  async function found(...contents: readonly unknown[]) {
    const watch = {
      principal: '{}',
      chainId: 1,
      version: 'v3',
      positionId: '7',
      conditions: '{}',
      state: '{}',
    } as const
    const id = (await store.watches.of('ann').add(watch))?.id ?? ''
    const events = contents.map((one) => ({ kind: 'il', content: JSON.stringify(one) }))
    return (await store.watches.record(id, { state: '{}', hasEnded: false, events, awaitsWebhook: true })).events
  }

  function openRun(answer: () => number | Promise<number>, more: Partial<WebhookRunOptions> = {}) {
    const note = (event: string, facts?: unknown) => void lines.push(`${event} ${JSON.stringify(facts)}`)
    return createWebhookRun({
      watches: store.watches,
      webhook: { url: new Secret(url), secret: new Secret(secret), allowsPrivate: false },
      post: async (place, message) => {
        expect(place).toEqual({ url, allowsPrivate: false })
        sent.push(message)
        return answer()
      },
      signal: new AbortController().signal,
      now: () => now,
      log: { info: note, warn: note },
      ...more,
    })
  }

  const states = async () =>
    (await store.watches.of('ann').events({ limit: 10 })).map(({ webhook, attempts }) => [webhook, attempts])

  test('are signed over id, time and body, and sent once where they are taken', async () => {
    const [event] = await found(content)
    now += 5_000
    const run = openRun(() => 204)
    await run()
    await run()
    const [{ headers, body }] = sent as [Sent]
    expect(sent).toHaveLength(1)
    const timestamp = String(now / 1_000)
    const digest = createHmac('sha256', key).update(`${event?.id}.${timestamp}.${body}`).digest('base64')
    expect(headers).toEqual({
      'webhook-id': event?.id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${digest}`,
    })
    expect(JSON.parse(body)).toEqual({
      type: 'watch.il',
      timestamp: '2026-11-21T00:00:00.000Z',
      data: { ...content, eventId: event?.id, watchId: event?.watchId, kind: 'il', at: '2026-11-21T00:00:00.000Z' },
    })
    expect(await states()).toEqual([['delivered', 1]])
    expect(lines).toEqual([`webhook.delivered {"eventId":"${event?.id}","attempts":1}`])
  })

  test('are tried again under one id, later each time, and given up after eight tries', async () => {
    await found(content)
    const run = openRun(() => (sent.length % 2 === 0 ? 503 : Promise.reject(new ReachError('UNREACHABLE', 'no'))))
    const waits: number[] = []
    let last = now
    for (let second = 0; second < 2 * 86_400; second += 5) {
      const before = sent.length
      await run()
      if (sent.length > before) {
        waits.push((now - last) / 1_000)
        last = now
      }
      now += 5_000
    }
    expect(waits).toEqual([0, 15, 60, 240, 960, 3_840, 15_360, 43_200])
    // What decision 35 and the operator's guide say.
    const hours = waits.reduce((sum, wait) => sum + wait) / 3_600
    for (const guide of ['decisions/0035-watches.md', 'operating.md']) {
      const said = await readFile(new URL(`../../../../docs/${guide}`, import.meta.url), 'utf8')
      expect(said).toMatch(new RegExp(`(Eight tries|eight times) within ${Math.ceil(hours)} hours`))
    }
    expect(new Set(sent.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    expect(new Set(sent.map(({ body }) => body)).size).toBe(1)
    expect(await states()).toEqual([['failed', 8]])
    expect(lines.at(-1)).toMatch(/"attempts":8,"outcome":(503|"UNREACHABLE"),"again":false/)
  })

  test('are given up at once where the place is gone, or what is stored is not ours', async () => {
    await found(content, { foreign: true })
    await openRun(() => 410)()
    expect([await states(), sent.length]).toEqual([
      [
        ['failed', 1],
        ['failed', 1],
      ],
      1,
    ])
  })

  test('count as tried before they are sent, and are sent again under the same id where nothing says that they were taken', async () => {
    const [event] = await found(content)
    // A process that was killed after the receiver took it, before that was written down.
    await openRun(() => new Promise<number>(() => {}), {
      watches: { ...store.watches, settleDelivery: () => new Promise(() => {}) },
      post: async (_place, message) => {
        sent.push(message)
        expect(await states()).toEqual([['pending', 1]])
        throw new ReachError('UNREACHABLE', 'killed')
      },
    })()
    now += 15_000
    await openRun(() => 200)()
    expect(sent.map(({ headers }) => headers['webhook-id'])).toEqual([event?.id, event?.id])
    expect(await states()).toEqual([['delivered', 2]])
  })

  test('that the end of the server cut off are no failures', async () => {
    await found(content)
    const closing = new AbortController()
    const run = openRun(
      () => {
        closing.abort()
        return Promise.reject(new ReachError('UNREACHABLE', 'closed'))
      },
      { signal: closing.signal },
    )
    await run()
    expect([await states(), lines]).toEqual([[['pending', 1]], []])
  })

  test('leave no word of the secret or the place in the log', async () => {
    await found(content)
    const cause = new Error(`connect ECONNREFUSED ${url} ${secret}`)
    const run = openRun(() => Promise.reject(new ReachError('UNREACHABLE', 'The webhook did not answer.', { cause })))
    await run()
    expect(lines.join()).not.toMatch(/whsec_|hooks\.example|a-token/)
    expect(await states()).toEqual([['pending', 1]])
  })
})
