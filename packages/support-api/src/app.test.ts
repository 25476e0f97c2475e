import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { openTestApi, testCard, type TestApi } from './test-api.fixture.ts'

let api: TestApi
afterEach(() => api.close())

const json = { authorization: 'Bearer app-one', 'content-type': 'application/json' }
const post = (body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}) =>
  api.ask('/v1/ipfs/pin', { method: 'POST', body, headers: { ...json, ...headers } })

it.each([
  ['/v1/ipfs/pin', 'POST'],
  ['/ipfs/bafkqaaa', 'GET, HEAD'],
  ['/healthz', 'GET, HEAD'],
  ['/readyz', 'GET, HEAD'],
  ['/metrics', 'GET, HEAD'],
  ['/openapi.json', 'GET, HEAD'],
  ['/reference', 'GET, HEAD'],
])('%s takes %s and says so', async (path, allow) => {
  api = await openTestApi()
  for (const method of ['DELETE', 'PUT', 'PATCH', allow === 'POST' ? 'GET' : 'POST']) {
    expect(await api.ask(path, { method })).toMatchObject({
      status: 405,
      headers: { allow, 'content-type': 'application/problem+json' },
      json: { code: 'METHOD_NOT_ALLOWED', status: 405, title: 'Method Not Allowed' },
    })
  }
})

it('every answer has its request id and the headers that keep browsers out', async () => {
  api = await openTestApi()
  for (const path of ['/healthz', '/nowhere', '/v1/ipfs/pin']) {
    const { headers } = await api.ask(path)
    expect(headers).toMatchObject({
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    })
  }
  for (const path of ['/nowhere', '/openapiXjson', '/ipfs/a/b']) {
    expect(await api.ask(path)).toMatchObject({ status: 404, json: { code: 'ROUTE_NOT_FOUND' } })
  }
})

/** As it is written: what it brings is not held against the description, which knows no odd spellings. */
const spelled = async (path: string, method: string) => {
  const sent = request({ port: new URL(api.url).port, host: '127.0.0.1', path, method }).end()
  const [incoming] = (await once(sent, 'response')) as [IncomingMessage]
  const { 'x-request-id': id, date, ...headers } = incoming.headers
  expect([id, date, incoming.statusCode]).toEqual([expect.any(String), expect.any(String), 200])
  return { headers, body: await text(incoming) }
}

it.each(['/healthz', '/readyz', '/openapi.json', '/reference'])('%s is the same in every spelling', async (path) => {
  api = await openTestApi()
  const reported = await spelled(path, 'GET')
  expect(reported.headers).toMatchObject({
    'content-length': `${Buffer.byteLength(reported.body)}`,
    'x-content-type-options': 'nosniff',
  })
  for (const other of [`${path}?more=1`, `/x/..${path}`, `http://localhost${path}`]) {
    expect(await spelled(other, 'GET')).toEqual(reported)
    expect(await spelled(other, 'HEAD')).toEqual({ ...reported, body: '' })
  }
})

it('who leaves before the answer harms nobody', async () => {
  api = await openTestApi()
  for (const path of ['/readyz', '/metrics', '/reference', '/']) {
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1')
    await new Promise((resolve) => socket.on('error', () => undefined).once('connect', resolve))
    socket.write(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`, () => socket.resetAndDestroy())
    await new Promise((resolve) => socket.once('close', resolve))
    expect((await api.ask('/healthz')).status).toBe(200)
  }
})

describe('who is let in', () => {
  it('names of other services are refused, but not to probes', async () => {
    api = await openTestApi({ env: { SVC_ALLOWED_HOSTS: 'API.example' } })
    const asking = (host: string, path = '/openapi.json') => api.ask(path, { headers: { host } })
    for (const host of ['api.example', 'api.example:8080', 'localhost', '[::1]:1']) {
      expect((await asking(host)).status).toBe(200)
    }
    for (const host of ['evil.example', 'api.example.evil', '127.0.0.2', 'api.example.:80']) {
      expect(await asking(host)).toMatchObject({ status: 403, json: { code: 'HOST_NOT_ALLOWED' } })
      expect((await asking(host, '/healthz')).status).toBe(200)
    }
    for (const host of ['localhost:', 'localhost:65536', '0x7f.1', '[::1', 'localhost, evil.example', '::1']) {
      expect(await asking(host)).toMatchObject({ status: 403, json: { code: 'HOST_NOT_ALLOWED' } })
    }
    for (const host of [
      'api.example@evil.example',
      'evil.example@api.example',
      'api.example/',
      '127.0.0.1/evil.example',
    ]) {
      expect(await asking(host)).toMatchObject({ status: 403, json: { code: 'HOST_NOT_ALLOWED' } })
      expect((await asking(host, '/')).status).toBe(400)
    }
  })

  it('behind a proxy nothing comes past it or to it without https, but for probes', async () => {
    api = await openTestApi({ env: { SVC_TRUSTED_PROXIES: '127.0.0.0/8' } })
    const https = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.9' }
    expect((await api.ask('/openapi.json', { headers: https })).status).toBe(200)
    expect((await api.ask('/openapi.json', { headers: https })).headers['strict-transport-security']).toBeDefined()
    for (const headers of [{}, { 'x-forwarded-proto': 'http' }]) {
      expect(await api.ask('/openapi.json', { headers })).toMatchObject({
        status: 403,
        json: { code: 'PROXY_REQUIRED' },
      })
      expect((await api.ask('/readyz', { headers })).status).toBe(200)
    }
    await api.close()
    api = await openTestApi({ env: { SVC_TRUSTED_PROXIES: '10.0.0.1' } })
    expect((await api.ask('/openapi.json', { headers: https })).json).toMatchObject({ code: 'PROXY_REQUIRED' })
  })

  it('what the proxy says of a client cannot be drowned in other header fields', async () => {
    api = await openTestApi({ env: { SVC_TRUSTED_PROXIES: '127.0.0.1' } })
    // The client wrote all but the last field, which the proxy appended.
    const asking = async (others: number) => {
      const filling = Array.from({ length: others }, (_, index) => `a${index.toString(36)}:\r\n`).join('')
      const forged = 'host: localhost\r\nx-forwarded-proto: https\r\nx-forwarded-for: 198.51.100.1\r\n'
      const socket = connect(Number(new URL(api.url).port), '127.0.0.1')
      socket.write(
        `GET /openapi.json HTTP/1.1\r\nconnection: close\r\n${forged}${filling}x-forwarded-for: 203.0.113.9\r\n\r\n`,
      )
      return text(socket)
    }
    expect(await asking(95)).toMatch(/^HTTP\/1\.1 200 /)
    for (const others of [96, 1_100, 2_000]) {
      const refused = await asking(others)
      expect(refused).toMatch(/^HTTP\/1\.1 431 [^]*\r\ncontent-type: application\/problem\+json\r\n/)
      expect(refused).toContain('"code":"HEADERS_TOO_LARGE"')
    }
  })

  it('a name or a type that is said twice is none', async () => {
    api = await openTestApi()
    const sending = async (start: string, fields: string, body = '') => {
      const socket = connect(Number(new URL(api.url).port), '127.0.0.1')
      const length = `content-length: ${body.length}`
      socket.write(`${start} HTTP/1.1\r\nconnection: close\r\nhost: localhost\r\n${fields}${length}\r\n\r\n${body}`)
      return (await text(socket)).slice(9, 12)
    }
    expect(await sending('GET /openapi.json', '')).toBe('200')
    expect(await sending('GET /openapi.json', 'host: evil.example\r\n')).toBe('403')
    const type = 'authorization: Bearer app-one\r\ncontent-type: application/json\r\n'
    expect(await sending('POST /v1/ipfs/pin', type, '{}')).toBe('400')
    expect(await sending('POST /v1/ipfs/pin', `${type}content-type: text/plain\r\n`, '{}')).toBe('415')
  })

  it('a flood from one range of addresses is held, and nobody else', async () => {
    api = await openTestApi({ env: { SVC_TRUSTED_PROXIES: '127.0.0.1' } })
    // Twenty requests a second come back, which a slow machine takes to send sixty.
    const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now())
    onTestFinished(() => clock.mockRestore())
    const from = (address: string) => ({ 'x-forwarded-proto': 'https', 'x-forwarded-for': address })
    const statuses: number[] = []
    while (!statuses.includes(429) && statuses.length < 20_000) {
      statuses.push(...(await statusesOf(200, '/nowhere', from('203.0.113.9'))))
    }
    expect(statuses.indexOf(429)).toBeGreaterThan(1_000)
    for (const path of ['/nowhere', '/openapi.json']) {
      const sent = Array.from({ length: 60 }, () => api.ask(path, { headers: from('203.0.113.77') }))
      expect((await Promise.all(sent)).find(({ status }) => status === 429)).toMatchObject({
        headers: { 'retry-after': '1', 'ratelimit-policy': '"requests";q=1200;w=60', ratelimit: '"requests";r=0;t=1' },
        json: { code: 'RATE_LIMITED' },
      })
      expect((await api.ask(path, { headers: from('203.0.114.9') })).status).toBe(path === '/nowhere' ? 404 : 200)
    }
  })
})

/** Of so many requests over one connection, where none waits for the answer of another. */
async function statusesOf(count: number, path: string, headers: Readonly<Record<string, string>>) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = `GET ${path} HTTP/1.1\r\nhost: localhost\r\n${lines.join('')}`
  const socket = connect(Number(new URL(api.url).port), '127.0.0.1')
  socket.write(`${`${head}\r\n`.repeat(count - 1)}${head}connection: close\r\n\r\n`)
  return [...(await text(socket)).matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
}

describe('what a body may be', () => {
  it.each<[string, string | Uint8Array, Readonly<Record<string, string>>, number, object]>([
    ['a form', 'agentCard=1', { 'content-type': 'application/x-www-form-urlencoded' }, 415, {}],
    ['text', '{}', { 'content-type': 'text/plain' }, 415, {}],
    ['another alphabet', '{}', { 'content-type': 'application/json; charset=latin1' }, 415, {}],
    ['an alphabet half quoted', '{}', { 'content-type': 'application/json; charset="utf-8' }, 415, {}],
    ['compressed', '{}', { 'content-encoding': 'gzip' }, 415, {}],
    ['no JSON', '{', {}, 400, { message: 'The body is not JSON.' }],
    ['nothing', '', {}, 400, { message: 'The body is not JSON.' }],
    ['no UTF-8', Uint8Array.of(0x22, 0xff, 0x22), {}, 400, { message: 'The body is not UTF-8.' }],
    ['a name twice', '{"agentCard":1,"agentCard" \n:2}', {}, 400, { message: expect.stringContaining('agentCard') }],
    ['a name twice, written otherwise', '{"a":1,"\\u0061":2}', {}, 400, { message: expect.stringContaining('"a"') }],
    ['a well', `{"agentCard":${'['.repeat(40)}${']'.repeat(40)}}`, {}, 400, { message: expect.stringContaining('16') }],
    ['a list', '[]', {}, 400, { details: [{ message: expect.any(String) }] }],
    ['null', 'null', {}, 400, { details: [{ message: expect.any(String) }] }],
    [
      'a field too many',
      JSON.stringify({ agentCard: testCard(), extra: 1 }),
      {},
      400,
      { details: [{ field: 'extra', message: 'The field is unknown.' }] },
    ],
    [
      'no card',
      '{}',
      {},
      400,
      { details: [{ field: 'agentCard', message: expect.any(String), accepted: 'an object' }] },
    ],
    [
      'a card with faults',
      JSON.stringify({ agentCard: { ...testCard(), name: '', more: 1 } }),
      {},
      400,
      {
        details: [
          { field: 'agentCard.more', message: expect.any(String), accepted: expect.stringContaining('name') },
          { field: 'agentCard.name', message: expect.any(String), accepted: expect.stringContaining('1 to 100') },
        ],
      },
    ],
    [
      'a card with a prototype',
      `{"agentCard":{"__proto__":{},${JSON.stringify(testCard()).slice(1)}}`,
      {},
      400,
      { details: [expect.objectContaining({ field: 'agentCard.__proto__' })] },
    ],
    ['far too much', ' '.repeat(40_000), {}, 413, { code: 'PAYLOAD_TOO_LARGE' }],
    [
      'a card that is too large by little',
      JSON.stringify({ agentCard: { ...testCard(), description: 'a'.repeat(32 * 1024 - 350) } }),
      {},
      400,
      { details: [expect.objectContaining({ field: 'agentCard.description' })] },
    ],
    [
      'a card of more than 32 KiB',
      JSON.stringify({ agentCard: { ...testCard(), description: 'a'.repeat(32 * 1024 - 300) } }),
      {},
      413,
      { code: 'PAYLOAD_TOO_LARGE', details: [expect.objectContaining({ accepted: 'at most 32768 bytes' })] },
    ],
  ])('%s is refused', async (_what, body, headers, status, problem) => {
    api = await openTestApi()
    const answer = await post(body, headers)
    expect(answer).toMatchObject({ status, headers: { 'content-type': 'application/problem+json' } })
    expect(answer.json).toMatchObject({ retryable: false, suggestion: expect.any(String), ...problem })
    expect((await post(JSON.stringify({ agentCard: testCard() }))).headers['ratelimit']).toBe('"app";r=9')
  })

  it('of thousands of faults twenty are named', async () => {
    api = await openTestApi()
    const names = Array.from({ length: 3_000 }, (_, index) => `n${index}`)
    const body = JSON.stringify(Object.fromEntries(names.map((name) => [name, 1])))
    const sent = [await post(body), await post(JSON.stringify({ agentCard: { ['x'.repeat(30_000)]: 1 } }))]
    const page = await api.ask(`/?${names.slice(0, 2_000).join('&')}`)
    const details = sent[0]?.json['details'] as readonly unknown[]
    expect(details).toHaveLength(21)
    expect(details[20]).toEqual({ message: 'And 2980 more.' })
    expect(sent.map(({ status }) => status)).toEqual([400, 400])
    for (const { text } of sent) expect(text.length).toBeLessThan(4_000)
    expect(page.text.length).toBeLessThan(20_000)
  })

  it('UTF-8 may be said, and white space be anywhere', async () => {
    api = await openTestApi()
    const body = JSON.stringify({ agentCard: testCard() }, null, 4)
    expect((await post(body, { 'content-type': 'Application/JSON; charset="UTF-8"' })).status).toBe(200)
  })

  it('what goes on and on is answered before it ends, and cut off', async () => {
    api = await openTestApi()
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(new URL(api.url).port), '127.0.0.1')
      let text = ''
      socket.on('error', reject).on('close', () => resolve(text))
      socket.setEncoding('utf8').on('data', (part: string) => void (text += part))
      socket.write('POST /v1/ipfs/pin HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer app-one\r\n')
      socket.write('content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n')
      for (let sent = 0; sent < 20; sent += 1) socket.write(`1000\r\n${' '.repeat(4096)}\r\n`)
    })
    expect(answer).toMatch(/^HTTP\/1.1 413 /)
    expect(answer).toContain('"PAYLOAD_TOO_LARGE"')
  })
})

describe('app ids', () => {
  it('malformed, unknown and missing ones get one answer, after one time', async () => {
    api = await openTestApi()
    await api.pin(testCard())
    const spent: number[] = []
    const bodies = new Set<string>()
    const authorizations = [
      'Bearer app-none',
      'Bearer app-none',
      'Bearer ../../admin',
      'Bearer a',
      'Basic app-one',
      'Bearer app-one app-one',
      '',
    ]
    const ask = async (authorization: string): Promise<void> => {
      const startedAt = performance.now()
      const answer = await api.pin(testCard(), { headers: { authorization } })
      spent.push(performance.now() - startedAt)
      bodies.add(answer.text)
      expect(answer).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } })
    }
    await Promise.all(authorizations.map(ask))
    await ask('Bearer app-none')
    expect(bodies.size).toBe(1)
    expect(JSON.parse([...bodies][0]!)).toMatchObject({ code: 'APP_ID_INVALID', retryable: false })
    expect(Math.min(...spent)).toBeGreaterThanOrEqual(990)
    expect(api.provider.asked()).toEqual(['/api/v1/apps/app-one/config', '/api/v1/apps/app-none/config'])
  })

  it('no log line holds what was sent as a token', async () => {
    api = await openTestApi({ env: { LOG_LEVEL: 'trace' } })
    await api.pin(testCard(), { headers: { authorization: 'Bearer canary-token' } })
    api.provider.setFaults([{ fault: { kind: 'drop' } }])
    await api.pin(testCard(), { headers: { authorization: 'Bearer canary-other' } })
    expect(api.log()).toContain('request.served')
    expect(api.log()).toContain('request.refused')
    expect(api.log()).not.toContain('canary')
  })
})

it('the description names every route, and the page shows it without a script', async () => {
  api = await openTestApi()
  const { json: document } = await api.ask('/openapi.json')
  expect(document).toMatchObject({ openapi: '3.1.0', components: { schemas: { AgentCard: {}, Problem: {}, Pin: {} } } })
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  expect(manifest).toMatchObject({ version: (document['info'] as { version: string }).version })
  const paths = [
    '/v1/ipfs/pin',
    '/v1/faucet/status',
    '/',
    '/ipfs/{cid}',
    '/healthz',
    '/readyz',
    '/metrics',
    '/openapi.json',
    '/reference',
  ]
  expect(Object.keys(document['paths'] as object)).toEqual(paths)
  const page = await api.ask('/reference')
  expect(page).toMatchObject({ status: 200, headers: { 'content-type': expect.stringContaining('text/html') } })
  for (const path of paths) expect(page.text).toContain(path)
  expect(page.text).not.toContain('`')
  for (const href of ['/', '#post-v1-ipfs-pin', '#AgentCard']) expect(page.text).toContain(`<a href="${href}">`)
  for (const id of ['post-v1-ipfs-pin', 'AgentCard']) expect(page.text).toContain(`<section id="${id}">`)
  expect(page.text).not.toMatch(/<script|\son[a-z]+=/i)
  expect(page.headers['content-security-policy']).toMatch(/default-src 'none'; style-src 'sha256-/)
})

it('figures count by route, status and code, never by what a stranger sends', async () => {
  api = await openTestApi()
  await api.pin(testCard())
  await api.ask('/canary-path', { method: 'PROPFIND' })
  const { text, headers } = await api.ask('/metrics')
  expect(headers['content-type']).toContain('text/plain')
  expect(text).toContain('svc_api_request_seconds_count{route="/v1/ipfs/pin",status="200"} 1')
  expect(text).toContain('svc_api_request_seconds_count{route="none",status="404"} 1')
  expect(text).toContain('svc_api_refusals_total{code="ROUTE_NOT_FOUND"} 1')
  expect(text).toContain('svc_api_pins_total{outcome="new"} 1')
  expect(text).not.toMatch(/canary|app-one/)
})

it('closing answers what is under way, says that it ends, and takes nothing new', async () => {
  api = await openTestApi()
  expect(await api.ask('/readyz')).toMatchObject({ status: 200, json: { status: 'ready', parts: { store: 'ok' } } })
  api.provider.setFaults([{ fault: { kind: 'stall' }, times: 2 }])
  const underWay = api.pin(testCard())
  // It would keep its connection.
  const headers = { ...json, authorization: 'Bearer app-two' }
  const kept = fetch(`${api.url}/v1/ipfs/pin`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ agentCard: testCard() }),
  })
  await expect.poll(() => api.provider.asked().length).toBe(2)
  const closed = api.close()
  expect(await underWay).toMatchObject({ status: 503, headers: { 'retry-after': '5' } })
  expect((await kept).headers.get('connection')).toBe('close')
  await closed
  await expect(api.ask('/healthz')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
})
