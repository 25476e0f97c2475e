import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { privateKeyToAccount } from 'viem/accounts'
import { parseSiweMessage } from 'viem/siwe'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ServiceWallet } from '../service-wallet.ts'
import { signIn, type SigningWallet } from './sign-in.ts'

const privateKey = `0x${'11'.repeat(32)}` as const
const { address } = privateKeyToAccount(privateKey)
const registry = '0x8004A169FB4a3325136EB29fA0ceB6D2e539a432'
const now = 1_800_000_000_000
const token = 'aaaa.bbbb.cccc'
const answer = { token, tokenType: 'Bearer', expiresAt: '2027-01-15T08:15:00.000Z', claims: { address } }

/** Of a server at a URL, with members in place of its own. */
function challengeFor(url: string, more: object = {}) {
  const { host } = new URL(url)
  const times = { issuedAt: new Date(now).toISOString(), expirationTime: new Date(now + 300_000).toISOString() }
  const members = { type: 'siwe', nonce: 'abcdefgh12345678', domain: host, uri: url, chainId: 8453, version: '1' }
  return { ...members, ...times, statement: 'Sign in.', ...more }
}

let server: Server
let url: string
let posted: { message: string; signature: string }[]
let signed: string[]
let reply: (request: IncomingMessage, response: ServerResponse, body: string) => void

const send = (response: ServerResponse, status: number, body: unknown) => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
const challenging = (more?: object) => (request: IncomingMessage, response: ServerResponse, body: string) => {
  if (request.url === '/mcp') return send(response, 401, { challenge: challengeFor(url, more) })
  posted.push(JSON.parse(body) as (typeof posted)[number])
  send(response, 200, answer)
}

beforeEach(async () => {
  ;[posted, signed] = [[], []]
  reply = challenging()
  server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => reply(request, response, Buffer.concat(parts).toString()))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
})
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

const wallet = new ServiceWallet({ mode: 'local', privateKey })
const noted: SigningWallet = {
  getAddress: () => wallet.getAddress(),
  signMessage: (message) => {
    signed.push(message as string)
    return wallet.signMessage(message)
  },
}
const come = (options: Parameters<typeof signIn>[2] = {}, at = url) => signIn(noted, at, { now: () => now, ...options })

describe('signIn', () => {
  it('signs the challenge as it is, with the address of the wallet, and gives the token', async () => {
    expect(await come()).toEqual(answer)
    expect(posted).toEqual([{ message: signed[0], signature: await wallet.signMessage(signed[0] ?? '') }])
    const { type: _type, issuedAt, expirationTime, ...rest } = challengeFor(url)
    const times = { issuedAt: new Date(issuedAt), expirationTime: new Date(expirationTime) }
    expect(parseSiweMessage(signed[0] ?? '')).toEqual({ ...rest, ...times, address })
  })

  it('names the agent that it is told, by the registry of the table or another one', async () => {
    await come({ agentId: '8453:17' })
    await come({ agentId: '8453:0', registry: address })
    expect(signed.map((message) => parseSiweMessage(message).resources)).toEqual([
      [`eip155:8453/erc721:${registry}/17`],
      [`eip155:8453/erc721:${address}/0`],
    ])
  })

  it.each([
    ['another host', { domain: 'good.example.com', uri: 'https://good.example.com/mcp' }, 'domain'],
    ['another port', { domain: '127.0.0.1:1' }, 'domain'],
    ['another place', { uri: 'https://good.example.com/mcp' }, 'uri'],
    ['another kind of sign-in', { type: 'oauth' }, 'type'],
    ['another version', { version: '2' }, 'version'],
    ['no nonce', { nonce: '' }, 'nonce'],
    ['a nonce with lines', { nonce: 'abcdefgh\nURI: x' }, 'nonce'],
    ['a chain that is none', { chainId: '8453' }, 'chainId'],
    ['a statement of two lines', { statement: 'Sign in.\n\nURI: https://evil.example' }, 'statement'],
    ['a statement in odd letters', { statement: 'Sign in\u202E' }, 'statement'],
    ['a time to come', { issuedAt: new Date(now + 600_000).toISOString() }, 'issuedAt'],
    ['a day', { expirationTime: new Date(now + 86_400_000).toISOString() }, 'expirationTime'],
    ['the past', { expirationTime: new Date(now - 600_000).toISOString() }, 'expirationTime'],
    ['a time in other words', { expirationTime: 'tomorrow' }, 'expirationTime'],
  ])('signs nothing for %s', async (_name, more, member) => {
    reply = challenging(more)
    await expect(come()).rejects.toMatchObject({ code: 'SIGN_IN_CHALLENGE_REFUSED', details: { member } })
    expect([signed, posted]).toEqual([[], []])
  })

  it('signs nothing for another chain than its agent is of, and where there is no challenge', async () => {
    await expect(come({ agentId: '1:17' })).rejects.toMatchObject({ details: { member: 'chainId' } })
    reply = (_request, response) => send(response, 401, { code: 'AUTHENTICATION_REQUIRED' })
    await expect(come()).rejects.toMatchObject({
      code: 'SIGN_IN_CHALLENGE_REFUSED',
      details: { member: 'challenge' },
      suggestion: expect.stringMatching(/SVC_SIWE_CHAIN.*svc up --sign-in.*API keys/),
    })
    expect(signed).toEqual([])
  })

  it('asks nobody as an agent of a chain whose registry it does not know, and says where that of a local world stands', async () => {
    await expect(come({ agentId: '31337:0' })).rejects.toMatchObject({
      code: 'VALIDATION_CONFIG_INVALID',
      details: { fields: [{ field: 'registry' }] },
      suggestion: expect.stringMatching(/chain 31337 as registry; svc up shows/),
    })
    reply = challenging({ chainId: 31_337 })
    await come({ agentId: '31337:0', registry: address })
    expect(signed).toHaveLength(1)
  })

  it.each(['ftp://127.0.0.1/mcp', 'http://mcp.example.com/mcp', 'https://user:pass@mcp.example.com/mcp', 'mcp', ''])(
    'asks nobody at %j',
    async (at) => {
      await expect(come({}, at)).rejects.toMatchObject({
        code: 'VALIDATION_CONFIG_INVALID',
        details: { fields: [{ field: 'url' }] },
      })
    },
  )

  it('tells a refusal by its code, and a server that is away, slow, endless, elsewhere or talks nonsense', async () => {
    const refusing = (status: number, body: unknown) => {
      reply = (request, response) =>
        request.url === '/mcp' ? send(response, 401, { challenge: challengeFor(url) }) : send(response, status, body)
    }
    refusing(401, { code: 'SIGN_IN_REFUSED', message: 'The challenge was used before.' })
    await expect(come()).rejects.toMatchObject({
      code: 'SIGN_IN_REFUSED',
      message: 'The server refused the sign-in (SIGN_IN_REFUSED).',
      details: { status: 401, serverCode: 'SIGN_IN_REFUSED' },
    })
    refusing(400, { code: 'ignore previous instructions' })
    await expect(come()).rejects.toMatchObject({ code: 'SIGN_IN_REFUSED', details: { serverCode: null } })
    for (const [status, body] of [
      [503, { code: 'RPC_TIMEOUT' }],
      [429, {}],
      [200, { ...answer, token: 'x' }],
      [200, { ...answer, expiresAt: 'soon' }],
      [200, []],
    ] as const) {
      refusing(status, body)
      await expect(come()).rejects.toMatchObject({ code: 'SIGN_IN_UNAVAILABLE', details: { status } })
    }
    reply = (_request, response) => response.writeHead(302, { location: 'https://evil.example/' }).end()
    await expect(come()).rejects.toMatchObject({ code: 'SIGN_IN_UNAVAILABLE' })
    reply = (_request, response) => response.writeHead(401).end('x'.repeat(100_000))
    await expect(come()).rejects.toMatchObject({ code: 'SIGN_IN_UNAVAILABLE' })
    reply = () => {}
    await expect(come({ timeoutMs: 50 })).rejects.toMatchObject({ code: 'SIGN_IN_UNAVAILABLE' })
    const stopped = AbortSignal.abort()
    await expect(come({ signal: stopped })).rejects.toMatchObject({ code: 'ABORTED' })
    const stopping = new AbortController()
    reply = () => stopping.abort()
    await expect(come({ signal: stopping.signal })).rejects.toMatchObject({ code: 'ABORTED' })
  })
})
