import type { ApiContext, Route } from '../context.ts'
import { reply } from '../edge/reply.ts'
import { remembered } from '../faucet/remembered.ts'

const content = { 'text/plain': { schema: {} } }

/** The figures of this process for Prometheus, put together once in a second, however many ask. */
export function metricsRoute({ metrics }: ApiContext): Route {
  const figures = remembered(() => metrics.text(), { forMs: 1_000, now: () => performance.now() })
  return {
    config: {
      method: 'get',
      path: '/metrics',
      summary: 'Figures of this process',
      tags: ['operation'],
      responses: { 200: { description: 'In the text format of Prometheus.', content } },
    },
    isProbe: true,
    tell: async () => reply(await figures(), metrics.registry.contentType),
  }
}
