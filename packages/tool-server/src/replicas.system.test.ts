import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { useDevnet, usePostgres } from '@svc/devnet/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { apiKeyFrom } from './auth/credentials.ts'
import {
  challengeOf,
  messageOf,
  newAccount,
  post,
  postSigned,
  startSigningServer,
} from './auth/sign-in/signing-server.fixture.ts'

const devnet = useDevnet()
const postgres = usePostgres()
const closers: (() => unknown)[] = []
const replicas = 3
const perToken = 60
const key = apiKeyFrom('read', randomBytes(32))
let balancer: Balancer

/** Servers of the data profile, each with a directory of its own, over one PostgreSQL, behind a proxy that knows nothing of them. */
beforeEach(async () => {
  const env = {
    SVC_DATABASE_URL: await postgres().newSchema(),
    SVC_PUBLIC_URL: 'https://svc.example/mcp',
    SVC_TRUSTED_PROXIES: '127.0.0.1',
    SVC_MCP_PROFILE: 'data',
    SVC_API_KEY_READ: key,
  }
  const servers = []
  for (let count = 0; count < replicas; count += 1) {
    const server = await startSigningServer(devnet(), { env, policy: { rateLimits: { perToken } } })
    servers.push(server)
    closers.push(server.close)
  }
  balancer = await openBalancer(servers.map(({ url }) => Number(new URL(url).port)))
})
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})

describe('replicas behind a balancer that takes turns', () => {
  test('are one server to a wallet that signs in: challenge, token and calls may meet any of them', async () => {
    const account = newAccount()
    const challenge = await challengeOf(balancer.url)
    const { status, body } = await postSigned(balancer.url, account, messageOf(challenge, account))
    expect(status).toBe(200)
    const answers = []
    for (let count = 0; count < 4 * replicas; count += 1) answers.push(await callAt(body.token ?? ''))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    expect(new Set(answers.map(({ found }) => found))).toEqual(new Set([answers[0]?.found]))
    expect(balancer.turns.every((turns) => turns >= 4)).toBe(true)
  })

  test('take a challenge once, whoever made it and whoever is told', async () => {
    const account = newAccount()
    const message = messageOf(await challengeOf(balancer.url), account)
    const signature = await account.signMessage({ message })
    const statuses = await Promise.all(
      Array.from({ length: 4 * replicas }, async () => (await post(balancer.url, { message, signature })).status),
    )
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    expect(statuses.filter((status) => status === 401)).toHaveLength(4 * replicas - 1)
  })

  test('hold a caller to one budget', async () => {
    const since = performance.now()
    const statuses: number[] = []
    // A few at a time: all of them are one process here, and a database that is not heard within a second counts as away.
    const callOn = async () => {
      while (statuses.length < 4 * perToken) statuses.push((await callAt(key)).status)
    }
    await Promise.all(Array.from({ length: 2 * replicas }, callOn))
    const refilled = Math.ceil(((performance.now() - since) / 60_000) * perToken)
    const allowed = statuses.filter((status) => status === 200).length
    expect(allowed).toBeGreaterThan(perToken / 2)
    // Each may hold a twentieth of a minute's worth from before.
    expect(allowed).toBeLessThanOrEqual(perToken + refilled + (replicas * perToken) / 20)
    expect(statuses.filter((status) => status === 429)).toHaveLength(statuses.length - allowed)
  })

  test('answer on while one of them goes', async () => {
    const [gone] = closers.splice(0, 1)
    const asked = Array.from({ length: 20 }, () => callAt(key))
    await gone?.()
    const answers = await Promise.all([...asked, ...Array.from({ length: 10 }, () => callAt(key))])
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  })
})

type Balancer = { readonly url: string; readonly turns: readonly number[] }

/** Takes turns; a replica that cannot be reached is passed over. Whoever is asked may answer. */
async function openBalancer(ports: readonly number[]): Promise<Balancer> {
  const turns = ports.map(() => 0)
  let next = 0
  const passOn = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const body = await text(incoming)
    for (let tries = 0; tries < ports.length; tries += 1) {
      const index = next++ % ports.length
      const answer = await send(ports[index] ?? 0, incoming, body)
      if (answer === null) continue
      turns[index] = (turns[index] ?? 0) + 1
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
      return
    }
    outgoing.writeHead(502).end()
  }
  const server = createServer((incoming, outgoing) => void passOn(incoming, outgoing))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  closers.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, turns }
}

/** As an edge hands a request on; `null` where nobody listens. */
function send(port: number, { method, url, headers }: IncomingMessage, body: string): Promise<IncomingMessage | null> {
  const { 'transfer-encoding': _, connection: __, ...kept } = headers
  const forwarded = { host: 'svc.example', 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.7' }
  return new Promise((resolve) => {
    const outgoing = request({
      host: '127.0.0.1',
      port,
      path: url,
      method,
      agent: false,
      headers: { ...kept, ...forwarded },
    })
    outgoing.on('response', resolve)
    outgoing.on('error', () => resolve(null))
    outgoing.end(body)
  })
}

/** A call that no session belongs to, and how many tokens it found. */
async function callAt(credential: string): Promise<{ readonly status: number; readonly found?: number }> {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const params = { name: 'search_tokens', arguments: { query: 'usd', limit: 5 }, _meta: meta }
  const answer = await fetch(balancer.url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${credential}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': params.name,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  })
  const answered = await answer.text()
  if (answer.status !== 200) return { status: answer.status }
  const { result } = JSON.parse(/^data: (.*)$/m.exec(answered)?.[1] ?? answered) as {
    readonly result: { readonly structuredContent: { readonly items: readonly unknown[] } }
  }
  return { status: 200, found: result.structuredContent.items.length }
}
