import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ToolError } from '@svc/amm'
import { afterEach, expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import type { AgentIdentity, Identities } from '../ports.ts'
import { rawRequest } from '../raw-http.fixture.ts'
import { echo, openTestServer, type TestServer } from '../test-server.fixture.ts'
import { checkAgent } from './check-agent.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

const env = { SVC_AGENT_ID: '8453:42', SVC_RPC_URL_8453: 'http://127.0.0.1:9', SVC_AGENT_NAME: 'Ada' }
const config = readConfig(env)
const wallet = '0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984'
const stranger = '0x000000000000000000000000000000000000dEaD'

async function open(): Promise<TestServer> {
  const server = await openTestServer({ env })
  closers.push(() => server.server.close())
  return server
}

/** What the registry says, over what an agent in good order would be. */
const check = (
  servedAt: string | null,
  more: Partial<AgentIdentity> = {},
  agentAddress: `0x${string}` | null = wallet,
) => {
  const services = [{ name: 'MCP', endpoint: servedAt }]
  const identity = { owner: wallet, agentWallet: null, registrationFile: { services }, fileStatus: 'verified', ...more }
  const identities = { get: async () => identity } as unknown as Identities
  return checkAgent(config, { identities, agentAddress }, servedAt)
}

test('an agent passes where registry, card and endpoint agree', async () => {
  const { url } = await open()
  expect(await check(url)).toEqual([
    {
      id: 'agent',
      status: 'pass',
      message: `Of the agent 8453:42 registry, card and the endpoint ${url} agree.`,
      fix: null,
    },
  ])
  expect(await check(url, { owner: stranger, agentWallet: wallet })).toMatchObject([{ status: 'pass' }])
  expect(await check(null)).toMatchObject([{ status: 'pass' }])
})

test.each([
  [
    'the registry',
    { owner: stranger } as const,
    /^The agent belongs to 0x0+dEaD and acts with no wallet; this server signs as/,
  ],
  [
    'an unreadable card',
    { registrationFile: null, fileStatus: 'unavailable' } as const,
    /cannot be read \(unavailable\)/,
  ],
  [
    'a card that leads elsewhere',
    { registrationFile: { services: [{ name: 'MCP', endpoint: 'https://b.example/mcp' }] } } as never,
    /^No endpoint on the card of the agent is http:/,
  ],
])('%s that says otherwise is named, with what to do', async (_what, more, says) => {
  const { url } = await open()
  expect(await check(url, more)).toEqual([
    { id: 'agent', status: 'warn', message: expect.stringMatching(says), fix: expect.any(String) },
  ])
})

test.each<[string, RequestListener | null, RegExp]>([
  ['does not answer', null, /did not answer\.$/],
  [
    'is another agent',
    (_request, response) => response.end('{"registrations":[{"agentId":7}]}'),
    /does not prove this agent \(status 200\)/,
  ],
  [
    'has nothing there',
    (_request, response) => response.writeHead(404).end(),
    /does not prove this agent \(status 404\)/,
  ],
  ['answers with what is no JSON', (_request, response) => response.end('['), /does not prove this agent/],
])('an endpoint that %s is named', async (_what, answer, says) => {
  const other = createServer(answer ?? (() => {}))
  await new Promise<void>((resolve) => void other.listen(0, '127.0.0.1', resolve))
  const { port } = other.address() as AddressInfo
  if (answer === null) await new Promise((resolve) => other.close(resolve))
  else closers.push(() => other.close())
  expect(await check(`http://127.0.0.1:${port}/mcp`)).toMatchObject([
    { status: 'warn', message: expect.stringMatching(says) },
  ])
})

test('an agent that is not there fails, and without one nothing is checked', async () => {
  const get = () => Promise.reject(new ToolError('AGENT_NOT_FOUND', 'There is none.'))
  const identities = { get } as unknown as Identities
  expect(await checkAgent(config, { identities, agentAddress: null }, null)).toMatchObject([{ status: 'fail' }])
  expect(await checkAgent(readConfig({}), { identities, agentAddress: null }, null)).toEqual([])
})

test('everybody reads the card at both its addresses, and the proof of the domain', async () => {
  const { port, url } = await open()
  const read = (path: string, method = 'GET') => rawRequest(port, { method, path })
  const card = await read('/.well-known/agent-card.json')
  expect(card).toMatchObject({
    status: 200,
    json: { name: 'Ada', url, preferredTransport: 'MCP', protocolVersion: '0.3.0' },
  })
  expect((await read('/.well-known/agent.json')).text).toBe(card.text)
  const proof = await read('/.well-known/agent-registration.json')
  expect(proof.json).toEqual({
    registrations: [{ agentId: 42, agentRegistry: `eip155:8453:${config.agent?.registry}` }],
  })
  expect((await read('/.well-known/agent.json', 'POST')).status).toBe(405)
  expect(
    (
      await rawRequest(port, {
        method: 'GET',
        path: '/.well-known/agent.json',
        headers: { origin: 'https://evil.example' },
      })
    ).status,
  ).toBe(403)
})

test('a card lists what the server offers, and without a named agent there is no proof', async () => {
  const { server, port } = await openTestServer({
    env: { SVC_MCP_TOOLSETS: 'market' },
    tools: [
      { ...echo, name: 'get_quote', inDataProfile: true },
      { ...echo, name: 'get_position', inDataProfile: true },
    ],
  })
  closers.push(() => server.close())
  const { json } = await rawRequest(port, { method: 'GET', path: '/.well-known/agent-card.json' })
  expect(json).toMatchObject({ name: 'svc', skills: [{ id: 'market', tags: ['get_quote'] }], registrations: [] })
  expect((await rawRequest(port, { method: 'GET', path: '/.well-known/agent-registration.json' })).status).toBe(404)
})
