import type { Route } from '../context.ts'

/** The figures of this process for Prometheus. */
export const metricsRoute: Route = {
  config: {
    method: 'get',
    path: '/metrics',
    summary: 'Figures of this process',
    tags: ['operation'],
    responses: { 200: { description: 'In the text format of Prometheus.', content: { 'text/plain': { schema: {} } } } },
  },
  isProbe: true,
  answer: async (c, { metrics }) => c.body(await metrics.text(), 200, { 'content-type': metrics.registry.contentType }),
}
