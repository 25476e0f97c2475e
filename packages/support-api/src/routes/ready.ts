import { setTimeout as sleep } from 'node:timers/promises'
import { z } from '@hono/zod-openapi'
import type { ApiContext, Route } from '../context.ts'

const part = z.enum(['ok', 'down'])

const readiness = z.strictObject({ status: z.enum(['ready', 'unready', 'closing']), parts: z.record(z.string(), part) })

/** Whether this replica should get requests: it is not ending, its database answers, and the faucet's parts do their work. */
export const readyRoute: Route = {
  config: {
    method: 'get',
    path: '/readyz',
    summary: 'Whether this replica should get requests',
    tags: ['operation'],
    responses: {
      200: { description: 'It should.', content: { 'application/json': { schema: readiness } } },
      503: { description: 'It should not, for now.', content: { 'application/json': { schema: readiness } } },
    },
  },
  isProbe: true,
  async answer(c, context) {
    if (context.isClosing()) return c.json({ status: 'closing', parts: {} }, 503)
    const down = { isReady: false, parts: {} }
    const [store, faucet] = await Promise.all([
      inTime(isStoreUp(context), false),
      context.faucet === null ? { isReady: true, parts: {} } : inTime(context.faucet.readiness(), down),
    ])
    const isReady = store && faucet.isReady
    const parts = { store: store ? 'ok' : 'down', ...faucet.parts }
    return c.json({ status: isReady ? 'ready' : 'unready', parts }, isReady ? 200 : 503)
  },
}

async function isStoreUp({ store }: ApiContext): Promise<boolean> {
  await store.pins.has('-', '-')
  return true
}

/** The answer, or `otherwise` when it fails or takes longer than two seconds. */
async function inTime<Answer>(answer: Promise<Answer>, otherwise: Answer): Promise<Answer> {
  const patience = new AbortController()
  const late = sleep(2_000, otherwise, { signal: patience.signal, ref: false }).catch(() => otherwise)
  try {
    return await Promise.race([answer.catch(() => otherwise), late])
  } finally {
    patience.abort()
  }
}
