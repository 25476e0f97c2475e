import type { OpenAPIHono } from '@hono/zod-openapi'
import type { Env, Route } from '../context.ts'
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
  const made: { document?: ReturnType<typeof describe>; page?: ReturnType<typeof referencePage> } = {}
  const document = () => (made.document ??= describe(app))
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
      answer: (c) => c.json(document(), 200, { 'cache-control': 'public, max-age=300' }),
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
      answer(c) {
        const { page, csp } = (made.page ??= referencePage(document()))
        return c.html(page, 200, { 'content-security-policy': csp, 'cache-control': 'public, max-age=300' })
      },
    },
  ]
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
