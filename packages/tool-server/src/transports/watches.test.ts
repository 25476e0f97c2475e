import { PassThrough } from 'node:stream'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { storePrincipal } from '@svc/engine'
import { openStore, type Store } from '@svc/store'
import { Secret } from '@svc/wallet/core'
import type { Position } from '@svc/amm'
import { getSqrtPriceAtTick } from '@svc/lp-math'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { principalId } from '../auth/credentials.ts'
import type { Ports } from '../ports.ts'
import type { Adapters } from '../server.ts'
import { connectFirst, connectModern, noOperations, openTestServer, type TestServer } from '../test-server.fixture.ts'
import { cancelWatch, listWatches, watchPosition } from '../tools/watches/watch-tools.ts'
import { watchUri } from '../watches/watch-resources.ts'

const ended: (() => unknown)[] = []
let store: Store
let tick: number

beforeEach(async () => {
  tick = 0
  store = await openStore({ path: ':memory:', now: Date.now })
})
afterEach(async () => {
  for (const end of ended.splice(0).toReversed()) await end()
  await store.close()
})

/** A full range that spans all but the widest ticks, whose price stands where the test says. */
function positionNow(): Position {
  const pool = { tick, sqrtPriceX96: getSqrtPriceAtTick(tick), blockNumber: 5n, tickSpacing: 1 } as Position['pool']
  const facts = { version: 'v3', positionId: '7', liquidity: 5n, tickLower: -887_272, tickUpper: 100 } as Position
  return { ...facts, amount0: 5n, amount1: 5n, fees0: 0n, fees1: 0n, pool }
}

/** A server whose scheduler looks as often as it may. */
async function open(more: Parameters<typeof openTestServer>[0] = {}): Promise<TestServer> {
  const ports = {
    chains: { list: () => [{ id: 1, name: 'ethereum' }], get: () => ({ id: 1, name: 'ethereum' }) },
    liquidity: { positions: async () => [positionNow()], position: async () => positionNow() },
  } as unknown as Ports
  const write = {
    operations: noOperations,
    watches: store.watches,
    memory: store.memory,
    safety: () => expect.unreachable(),
    during: <Value>(work: () => Promise<Value>) => work(),
    underWay: () => 0,
    stop: async () => {},
    close: async () => {},
  } as unknown as NonNullable<Adapters['write']>
  const opened = await openTestServer({
    env: { SVC_MCP_PROFILE: 'full' },
    tools: [cancelWatch, listWatches, watchPosition],
    ports,
    write,
    ...more,
    config: { watchSeconds: 0.001, ...more.config },
  })
  ended.push(() => opened.server.close())
  return opened
}

const asked = { name: 'watch_position', arguments: { chain: 'ethereum', positionId: '7', version: 'v3' } }

async function watched(client: Awaited<ReturnType<typeof connectModern>>['client']): Promise<string> {
  const { structuredContent } = await client.callTool(asked)
  return (structuredContent as { uri: string }).uri
}

/** Subscribes to one, and has the other, of somebody else, refused where the revision asks for each by itself. */
async function subscribe(
  client: Awaited<ReturnType<typeof connectModern>>['client'],
  era: 'legacy' | 'modern',
  uri: string,
  other: string,
): Promise<string> {
  if (era === 'legacy') {
    await client.subscribeResource({ uri })
    return client.subscribeResource({ uri: other }).then(() => 'taken', String)
  }
  await client.listen({ resourceSubscriptions: [uri] })
  return 'nothing is refused: who listens to a URI hears that it changed, and reads nothing of others'
}

describe('a watch as a resource', () => {
  it.each(['legacy', 'modern'] as const)('is its owner’s alone, and tells who subscribed: %s', async (era) => {
    const { url, keys } = await open()
    const { client } = await connectModern(url, keys.write, era)
    const { client: stranger } = await connectModern(url, keys.feedback, era)
    ended.push(() => Promise.all([client.close(), stranger.close()]))
    expect(client.getServerCapabilities()?.resources).toEqual({ subscribe: true })
    const [uri, other] = [await watched(client), await watched(stranger)]
    const told: string[] = []
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => void told.push(params.uri))
    const refused = await subscribe(client, era, uri, other)
    expect(refused).toMatch(era === 'legacy' ? /not found/i : /^nothing is refused: /)
    tick = 200
    await vi.waitFor(() => expect(told).toEqual([uri]), { timeout: 20_000 })
    const { contents } = await client.readResource({ uri })
    const [{ text: said = '' } = {}] = contents as { text?: string }[]
    expect(JSON.parse(said)).toMatchObject({
      watch: { uri, holds: ['out_of_range'] },
      events: [{ kind: 'out_of_range' }],
    })
    const listed = async (by: typeof client) => (await by.listResources()).resources.map((one) => one.uri)
    expect([await listed(client), await listed(stranger)]).toEqual([
      ['svc://errors', uri],
      ['svc://errors', other],
    ])
    await expect(stranger.readResource({ uri })).rejects.toThrow(/not found/i)
  })

  it('tells clients of the first SDK, not those that have unsubscribed, nor of what others watch', async () => {
    const { url, keys } = await open()
    const [first, second] = [await connectFirst(url, keys.write), await connectFirst(url, keys.write)]
    ended.push(() => Promise.all([first.client.close(), second.client.close()]))
    const told: string[] = []
    for (const [name, { client }] of Object.entries({ first, second }))
      client.setNotificationHandler(
        ResourceUpdatedNotificationSchema,
        ({ params }) => void told.push(`${name} ${params.uri}`),
      )
    const watch = async () => ((await first.client.callTool(asked)).structuredContent as { uri: string }).uri
    const [one, two] = [await watch(), await watch()]
    await first.client.subscribeResource({ uri: one })
    await first.client.subscribeResource({ uri: two })
    await first.client.unsubscribeResource({ uri: one })
    await second.client.subscribeResource({ uri: one })
    tick = 200
    await vi.waitFor(() => expect(told.toSorted()).toEqual([`first ${two}`, `second ${one}`]), { timeout: 20_000 })
  })

  it('tells a client over stdio', async () => {
    const { server } = await open()
    const [input, output] = [new PassThrough(), new PassThrough()]
    const said: string[] = []
    output.on('data', (chunk: Buffer) => void said.push(...chunk.toString().trimEnd().split('\n')))
    const serving = server.serveStdio({ input, output })
    const send = (message: object) => input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
    const answer = (id: number) =>
      vi.waitFor(
        () => {
          const line = said.find((one) => (JSON.parse(one) as { id?: number }).id === id)
          expect(line).toBeDefined()
          return JSON.parse(line ?? '') as { result: { structuredContent: { uri: string } } }
        },
        { timeout: 20_000 },
      )
    const clientInfo = { name: 'test', version: '1' }
    send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } })
    await answer(1)
    send({ method: 'notifications/initialized' })
    send({ id: 2, method: 'tools/call', params: asked })
    const { uri } = (await answer(2)).result.structuredContent
    send({ id: 3, method: 'resources/subscribe', params: { uri } })
    await answer(3)
    tick = 200
    await vi.waitFor(
      () =>
        expect(said.map((line) => JSON.parse(line) as object)).toContainEqual({
          jsonrpc: '2.0',
          method: 'notifications/resources/updated',
          params: { uri },
        }),
      { timeout: 20_000 },
    )
    input.end()
    await serving
  })
})

it('what is found goes out as a webhook to the place of the settings, and is written down as delivered', async () => {
  const received: { readonly id: unknown; readonly body: string }[] = []
  const receiver = createServer((request, response) => {
    void text(request).then((body) => received.push({ id: request.headers['webhook-id'], body }))
    request.once('end', () => response.writeHead(204).end())
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  ended.push(() => receiver.close())
  const url = new Secret(`http://127.0.0.1:${(receiver.address() as AddressInfo).port}/in`)
  const secret = new Secret(`whsec_${Buffer.alloc(32, 7).toString('base64')}`)
  tick = 200
  const { keys, lines } = await open({ config: { webhook: { url, secret, allowsPrivate: true } } })
  const id = principalId('api-key', keys.write)
  const principal = storePrincipal({ id, stage: 'api-key', tier: 'write', scopes: new Set(), expiresAt: null })
  const conditions = {
    outOfRange: true,
    ilPct: null,
    feeDropPct: null,
    feesWaitingPct: null,
    limitPct: null,
    paysWithinDays: 30,
  }
  const state = { entrySqrtPriceX96: String(2n ** 96n), armed: {}, fees: null, measured: null, missing: 0 }
  const stored = { conditions: JSON.stringify(conditions), state: JSON.stringify(state) }
  await store.watches.of(id).add({ principal, chainId: 1, version: 'v3', positionId: '7', ...stored })
  const events = () => store.watches.of(id).events({ limit: 5 })
  await vi.waitFor(async () => expect((await events()).map(({ webhook }) => webhook)).toEqual(['delivered']), {
    timeout: 20_000,
  })
  const [event] = await events()
  expect(received.map((one) => one.id)).toEqual([event?.id])
  expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({
    type: 'watch.out_of_range',
    data: { watchId: event?.watchId },
  })
  expect(watchUri(event?.watchId ?? '')).toMatch(/^svc:\/\/watches\//)
  expect(lines.join()).not.toContain(secret.reveal().slice(6))
})
