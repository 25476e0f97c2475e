import { z } from '@hono/zod-openapi'
import type { Route } from '../context.ts'
import { jsonReply } from '../edge/json-reply.ts'

/** Whether the process answers at all; whether it should be asked is `/readyz`. */
export const healthRoute: Route = {
  config: {
    method: 'get',
    path: '/healthz',
    summary: 'Whether the process answers',
    tags: ['operation'],
    responses: {
      200: {
        description: 'It does.',
        content: { 'application/json': { schema: z.strictObject({ status: z.literal('ok') }) } },
      },
    },
  },
  isProbe: true,
  tell: () => jsonReply({ status: 'ok' }),
}
