// The floor of an answer over hono: one route, one word, nothing before or after it. The very hono that the product has.
import { createRequire } from 'node:module'
import { answerCpu } from './answer-cpu.mjs'

const fromApi = createRequire(new URL('../../packages/support-api/package.json', import.meta.url))
const { createAdaptorServer } = fromApi('@hono/node-server')
const { Hono } = fromApi('hono')

const app = new Hono()
app.get('/hello', (c) => c.text('hello'))
const server = createAdaptorServer({ fetch: app.fetch })
server.listen(0, '127.0.0.1', () => answerCpu(server.address().port))
