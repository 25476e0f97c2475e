import { PassThrough } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { createShutdownGate } from '../../engine/src/background-works.ts'
import type { Adapters } from './server.ts'
import { writeTool } from './tool.ts'
import { ToolError } from '@svc/amm'
import { connectFirst, connectModern, noOperations, openTestServer, type TestServer } from './test-server.fixture.ts'

describe('closing while a write is on its way', () => {
  it.each(['http', 'stdio'])(
    'stops new writes, waits for this one, and only then closes its state: %s',
    async (kind) => {
      const seen: string[] = []
      const gate = createShutdownGate()
      let start = () => {}
      const started = new Promise<void>((resolve) => {
        start = resolve
      })
      const write: NonNullable<Adapters['write']> = {
        openExecute: () => async () => {
          start()
          await pause(100)
          seen.push('write ended')
          expect(() => gate.requireOpen()).toThrow('closing')
          throw new ToolError('SERVER_BUSY', 'Closing.')
        },
        wallet: { address: '0x0000000000000000000000000000000000000001', type: 'local' },
        defaults: { slippageBps: 50, deadlineSeconds: 600 },
        atomicRoute: async () => null,
        idempotency: {
          begin: async () => ({ state: 'new' }),
          goOn: async () => false,
          takeOver: async () => false,
          finish: async () => {},
          abandon: async () => void seen.push('key freed'),
        },
        hasSigned: async () => false,
        operations: noOperations,
        safety: () => expect.unreachable(),
        during: gate.during,
        underWay: () => 0,
        stop: async () => void (await gate.shut(5_000)),
        close: async () => void seen.push('closed'),
      }
      const open = await openTestServer({ env: { SVC_MCP_PROFILE: 'full' }, write })
      const args = { amount: '1', idempotencyKey: 'k' }
      if (kind === 'http') {
        const client = await connectFirst(open.url, open.keys.write)
        void client.client.callTool({ name: 'move_funds', arguments: args }).catch(() => {})
      } else {
        const input = new PassThrough()
        void open.server.serveStdio({ input, output: new PassThrough().resume() })
        const send = (message: object) => input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
        const clientInfo = { name: 'test', version: '1' }
        send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } })
        send({ method: 'notifications/initialized' })
        send({ id: 2, method: 'tools/call', params: { name: 'move_funds', arguments: args } })
      }
      await started
      await open.server.close()
      expect(seen).toEqual(['write ended', 'key freed', 'closed'])
    },
  )
})

describe('closing while a wallet is made', () => {
  it('waits for it, closes what was opened over it, and begins nothing with it', async () => {
    const seen: string[] = []
    let [begun, arrive] = [() => {}, () => {}]
    const asked = new Promise<void>((resolve) => void (begun = resolve))
    const arrived = new Promise<void>((resolve) => void (arrive = resolve))
    const operations = {
      ...noOperations,
      due: async () => {
        seen.push('looked for what is due')
        return []
      },
    }
    const write = {
      wallet: { address: '0x0000000000000000000000000000000000000001', type: 'managed' },
      operations,
      during: () => Promise.resolve(),
      stop: async () => {},
      close: async () => void seen.push('wallet closed'),
    } as unknown as NonNullable<Adapters['write']>
    const open = await openTestServer({
      env: { SVC_MCP_PROFILE: 'full' },
      tools: [makesWallet],
      limits: { drainMs: 1 },
      provision: async () => {
        begun()
        await arrived
        return { config: open.config, write, report: { walletId: 'w', role: 'vault_participant', chains: [] } }
      },
    })
    const { client } = await connectFirst(open.url, open.keys.write)
    const call = client.callTool({ name: 'make_wallet', arguments: {} }).catch(() => {})
    await asked
    const closed = open.server.close().then(() => void seen.push('server closed'))
    await call
    arrive()
    await closed
    expect(seen).toEqual(['wallet closed', 'server closed'])
    await client.close()
  })
})

/** Goes on with the wallet that was made for it. */
const makesWallet = writeTool({
  name: 'make_wallet',
  title: 'Make',
  description: 'Makes the wallet.',
  scope: 'admin:wallet',
  destructive: false,
  idempotent: true,
  makesWallet: true,
  input: z.strictObject({}),
  output: z.object({ done: z.boolean() }),
}).handler(async () => ({ done: true }))

describe('the server, through clients nobody here wrote', () => {
  let open: TestServer
  beforeAll(async () => {
    open = await openTestServer({ env: { SVC_MCP_PROFILE: 'full' } })
  })
  afterAll(() => open.server.close())

  const clients = {
    'first SDK': async (token: string) => (await connectFirst(open.url, token)).client,
    'current SDK, 2025 handshake': async (token: string) => (await connectModern(open.url, token, 'legacy')).client,
    'current SDK, 2026-07-28': async (token: string) => (await connectModern(open.url, token, 'modern')).client,
  }

  for (const [name, connect] of Object.entries(clients)) {
    it(`lists, calls and sees our error codes: ${name}`, async () => {
      const client = await connect(open.keys.read)
      const { tools } = await client.listTools()
      expect(tools.map((tool) => tool.name)).toEqual(['get_echo', 'get_failure', 'get_slow'])
      const answer = await client.callTool({ name: 'get_echo', arguments: { text: 'hi', times: 2 } })
      expect(answer).toMatchObject({ structuredContent: { text: 'hihi' } })
      const failure = await client.callTool({ name: 'get_failure', arguments: { how: 'own' } })
      expect(failure).toMatchObject({
        isError: true,
        _meta: {
          'svc/error': { code: 'POOL_NOT_FOUND', retryable: false, details: [{ field: 'fee', message: 'none' }] },
        },
      })
      expect(failure).not.toHaveProperty('structuredContent')
      const hidden = await client.callTool({ name: 'move_funds', arguments: { amount: '1' } })
      expect(hidden).toMatchObject({ isError: true, _meta: { 'svc/error': { code: 'INSUFFICIENT_KEY_TIER' } } })
      await client.close()
    })
  }
})
