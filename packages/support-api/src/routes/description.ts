import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Env, Route } from '../context.ts'
import { jsonReply, reply, type Reply } from '../edge/json.ts'
import { version } from '../version.ts'
import { problemResponses } from './problem-schema.ts'
import { referencePage } from './reference-page.tsx'

/** `/openapi.json`, generated from the schemas that the routes use, and the same for people at `/reference`. */
export function descriptionRoutes(app: OpenAPIHono<Env>): readonly Route[] {
  app.openAPIRegistry.registerComponent('securitySchemes', 'appId', {
    type: 'http',
    scheme: 'bearer',
    description: 'The id of your app at the wallet provider.',
  })
  // Made when all routes are there.
  const made: { document?: Reply; page?: Reply } = {}
  return [
    {
      config: {
        method: 'get',
        path: '/openapi.json',
        summary: 'This description',
        tags: ['operation'],
        responses: {
          200: { description: 'OpenAPI 3.1.', content: { 'application/json': { schema: {} } } },
          ...problemResponses(),
        },
      },
      tell: () => (made.document ??= jsonReply(describe(app), { headers: keptForMinutes })),
    },
    {
      config: {
        method: 'get',
        path: '/reference',
        summary: 'This description as a page',
        tags: ['operation'],
        responses: {
          200: { description: 'A page without scripts.', content: { 'text/html': { schema: {} } } },
          ...problemResponses(),
        },
      },
      tell: async () => (made.page ??= await showPage(app)),
    },
  ]
}

const keptForMinutes = { 'cache-control': 'public, max-age=300' }

async function showPage(app: OpenAPIHono<Env>): Promise<Reply> {
  const { page, csp } = referencePage(describe(app))
  const headers = { ...keptForMinutes, 'content-security-policy': csp }
  return reply(String(await page), 'text/html; charset=UTF-8', { headers })
}

function describe(app: OpenAPIHono<Env>) {
  return app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Support API',
      version,
      description: 'Pins agent cards, grants testnet gas, and says how the faucet is.',
    },
  })
}
