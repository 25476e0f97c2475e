import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { Secret } from '../../secret.ts'
import { buildAgentCard } from './build-agent-card.ts'
import { canonicalBytes, contentAddress, registrationFile } from './registration-file.ts'
import { pinCard, pinata, pinProxy } from './pin-card.ts'

const card = buildAgentCard({ role: 'vault_manager', name: 'Ada', mcpEndpoint: 'https://agent.example/mcp' }, 8453)
const file = canonicalBytes(registrationFile(card))
const cid = contentAddress(file)

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()))
})

test('the proxy gets the card and the app id, and its CID is the one of our own file', async () => {
  const seen: unknown[] = []
  const url = await serve((request, response, body) => {
    seen.push([request.method, request.url, request.headers['authorization'], JSON.parse(body)])
    response.end(JSON.stringify({ cid, uri: `ipfs://${cid}`, gatewayUrl: `https://gateway.example/ipfs/${cid}` }))
  })
  expect(await pinCard(card, pinProxy(`${url}/`, 'app-1'), { fetch })).toBe(cid)
  expect(seen).toEqual([['POST', '/v1/ipfs/pin', 'Bearer app-1', { agentCard: card }]])
})

test('the pinning account gets exactly the bytes of the file', async () => {
  const seen: string[] = []
  const url = await serve((request, response, body) => {
    seen.push(`${request.headers['authorization']} ${request.url} ${body}`)
    response.end(JSON.stringify({ data: { id: 'x', cid, size: file.length, mime_type: 'application/json' } }))
  })
  expect(await pinCard(card, pinata(url, new Secret('jwt-1')), { fetch })).toBe(cid)
  expect(seen[0]).toMatch(/^Bearer jwt-1 \/v3\/files /)
  expect(seen[0]).toContain(new TextDecoder().decode(file))
})

test('a service that names another CID is not believed', async () => {
  const url = await serve((_request, response) =>
    response.end(JSON.stringify({ cid: contentAddress(new Uint8Array()) })),
  )
  await expect(pinCard(card, pinProxy(url, 'app-1'), { fetch })).rejects.toMatchObject({
    code: 'PIN_CID_MISMATCH',
    details: { expected: cid },
  })
})

test.each<[string, (response: ServerResponse) => unknown, object]>([
  [
    'refuses',
    (response) => response.writeHead(429, { 'retry-after': '60' }).end('{}'),
    { status: 429, retryAfter: '60' },
  ],
  ['breaks', (response) => response.writeHead(500).end('<html>'), { status: 500 }],
  ['says nothing', (response) => response.end('{}'), {}],
  ['speaks no JSON', (response) => response.end('hello'), {}],
  ['never ends its answer', (response) => response.write('{"cid":'), {}],
  ['answers too much', (response) => response.end(' '.repeat(100_000)), {}],
  ['sends elsewhere', (response) => response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(), {}],
  ['hangs up', (response) => response.destroy(), {}],
])('a service that %s has not pinned', async (_what, answer, details) => {
  const url = await serve((_request, response) => answer(response))
  const timeoutMs = _what === 'never ends its answer' ? 100 : 30_000
  await expect(pinCard(card, pinProxy(url, 'app-1'), { fetch, timeoutMs })).rejects.toMatchObject({
    code: 'PIN_FAILED',
    details,
  })
})

/** Answers on 127.0.0.1 until the test ends. */
async function serve(answer: (request: IncomingMessage, response: ServerResponse, body: string) => unknown) {
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => void (body += text))
    request.on('end', () => void answer(request, response, body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closers.push(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  )
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
}
