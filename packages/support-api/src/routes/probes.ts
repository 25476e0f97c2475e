import { z } from '@hono/zod-openapi'
import { inTime } from '@svc/runtime'
import type { ApiContext, DescribedAnswer, Route } from '../context.ts'
import { jsonReply, reply } from '../edge/json.ts'
import { remembered } from '../faucet/remembered.ts'

const part = z.enum(['ok', 'down'])

const readiness = z.strictObject({ status: z.enum(['ready', 'unready', 'closing']), parts: z.record(z.string(), part) })

/**
 * Whether this replica should get requests: it is not ending and its database answers. The chains are named, and decide
 * nothing: all replicas ask the same ones, and pins are served without them. It is found out once in a second, however
 * many ask.
 */
export function readyRoute(context: ApiContext): DescribedAnswer {
  const look = remembered(() => lookAt(context), { forMs: 1_000, now: () => performance.now() })
  return {
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
    async tell() {
      if (context.isClosing()) return jsonReply({ status: 'closing', parts: {} }, { status: 503 })
      const parts = await look()
      const isReady = parts['store'] === 'ok'
      return jsonReply({ status: isReady ? 'ready' : 'unready', parts }, { status: isReady ? 200 : 503 })
    },
  }
}

/** The figures of this process for Prometheus, put together once in a second, however many ask. */
export function metricsRoute({ metrics }: ApiContext): Route {
  const figures = remembered(() => metrics.text(), { forMs: 1_000, now: () => performance.now() })
  return {
    config: {
      method: 'get',
      path: '/metrics',
      summary: 'Figures of this process',
      tags: ['operation'],
      responses: {
        200: { description: 'In the text format of Prometheus.', content: { 'text/plain': { schema: {} } } },
      },
    },
    isProbe: true,
    tell: async () => reply(await figures(), metrics.registry.contentType),
  }
}

async function lookAt({ store, faucet }: ApiContext): Promise<Readonly<Record<string, 'ok' | 'down'>>> {
  const [isStoreUp, chains] = await Promise.all([
    inTime(store.pins.has('-', '-'), patienceMs).then(
      () => true,
      () => false,
    ),
    faucet === null ? Promise.resolve({}) : inTime(faucet.parts(), patienceMs).catch(() => ({})),
  ])
  return { store: isStoreUp ? 'ok' : 'down', ...chains }
}

const patienceMs = 2_000
