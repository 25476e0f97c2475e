import { createHmac } from 'node:crypto'
import { Secret } from '@svc/wallet/core'
import { expect, it } from 'vitest'
import { ReachError } from '../reach/guarded-request.ts'
import { createAlertWebhook } from './alert-webhook.ts'
import type { ActiveAlert } from './alert-table.ts'

const key = Buffer.alloc(32, 7)
const alert: ActiveAlert = {
  alert: 'daily_spend',
  severity: 'warning',
  summary: 'Said.',
  condition: 'When.',
  since: '2026-11-21T00:00:00.000Z',
}

function openWebhook(answers: (number | Error)[]) {
  const world = { now: Date.UTC(2026, 10, 21) }
  const sent: { readonly headers: Readonly<Record<string, string>>; readonly body: string }[] = []
  const lines: string[] = []
  const note = (event: string) => void lines.push(event)
  const hook = createAlertWebhook({
    webhook: {
      url: new Secret('https://hooks.example/in'),
      secret: new Secret(`whsec_${key.toString('base64')}`),
      allowsPrivate: false,
    },
    post: async (_place, message) => {
      sent.push(message)
      const answer = answers.shift() ?? 200
      if (answer instanceof Error) throw answer
      return answer
    },
    signal: new AbortController().signal,
    now: () => world.now,
    log: { info: note, warn: note },
  })
  return { world, sent, lines, hook }
}

it('posts an alert once, signed over id, time and body as receivers verify it', async () => {
  const { sent, lines, hook } = openWebhook([])
  hook.announce('alert.raised', alert)
  await hook.send()
  await hook.send()
  expect(sent).toHaveLength(1)
  const [{ headers, body }] = sent as [(typeof sent)[0]]
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`)
  expect(JSON.parse(body)).toMatchObject({ type: 'alert.raised', data: alert })
  expect(lines).toEqual(['webhook.delivered'])
})

it('tries again under the same id when its time has come, and gives up after five tries', async () => {
  const { world, sent, lines, hook } = openWebhook([new ReachError('UNREACHABLE', 'No.'), 500, 500, 500, 500])
  hook.announce('alert.cleared', alert)
  for (let turn = 0; turn < 400; turn += 1) {
    await hook.send()
    world.now += 15_000
  }
  expect(sent).toHaveLength(5)
  expect(new Set(sent.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  expect(lines).toEqual(Array(5).fill('webhook.failed'))
})

it('is not tried again at a place that is gone', async () => {
  const { world, sent, hook } = openWebhook([410])
  hook.announce('alert.raised', alert)
  await hook.send()
  world.now += 3_600_000
  await hook.send()
  expect(sent).toHaveLength(1)
})
