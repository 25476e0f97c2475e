import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { useDevnet } from '@svc/devnet/testing'
import { devnetPolicy } from '@svc/engine'
import { ServiceWallet } from '@svc/wallet/service-wallet'
import { afterEach, expect, it } from 'vitest'
import { goneAfter, program, run, type Run } from '../processes.fixture.ts'

const devnet = useDevnet()
const opened: (() => unknown)[] = []
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close()
})

const key = `svc_write_${randomBytes(32).toString('base64url')}`

/** A receiver of webhooks that does with each what it is told to. */
async function openReceiver() {
  const received: { readonly id: unknown; readonly body: string; readonly response: ServerResponse }[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => received.push({ id: request.headers['webhook-id'], body, response }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  opened.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` }
}

async function openServer(
  env: Readonly<Record<string, string>>,
): Promise<{ readonly server: Run; readonly client: Client }> {
  const server = run(process.execPath, [program, 'serve', '--transport', 'http'], { env })
  opened.push(() => server.end())
  const url = (await server.said(/http:\/\/\S+\/mcp/)).trim()
  const client = new Client({ name: 'test', version: '1' })
  const headers = { Authorization: `Bearer ${key}` }
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
  opened.push(() => client.close())
  return { server, client }
}

it(
  'what a watch found is told once, also where the server is killed after its webhook was taken and before that is written down',
  { timeout: 300_000 },
  async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'svc-watches-'))
    opened.push(() => rmSync(dataDir, { recursive: true, force: true }))
    const privateKey = `0x${randomBytes(32).toString('hex')}` as const
    const { address } = new ServiceWallet({ mode: 'local', privateKey })
    await devnet().fund(address, { ETH: '10', USDC: '50000' })
    writeFileSync(join(dataDir, 'chains.json'), JSON.stringify([devnet().chain]))
    writeFileSync(join(dataDir, 'policy.json'), JSON.stringify(devnetPolicy()), { mode: 0o600 })
    const { received, url } = await openReceiver()
    const env = {
      PRIVATE_KEY: privateKey,
      [`SVC_RPC_URL_${devnet().chainId}`]: devnet().rpcUrl,
      SVC_API_KEY_WRITE: key,
      SVC_DATA_DIR: dataDir,
      SVC_CHAINS_FILE: join(dataDir, 'chains.json'),
      SVC_LISTEN: '127.0.0.1:0',
      SVC_WATCH_SECONDS: '15',
      SVC_WEBHOOK_URL: url,
      SVC_WEBHOOK_SECRET: `whsec_${randomBytes(32).toString('base64')}`,
      SVC_WEBHOOK_PRIVATE: 'allow',
    }
    const first = await openServer(env)
    const pair = { chain: 'local', version: 'v3', token0: 'ETH', token1: 'USDC', fee: 500, amount0: '0.1' }
    const added = await first.client.callTool({
      name: 'add_liquidity',
      arguments: { ...pair, priceLower: 10_000, priceUpper: 20_000 },
    })
    const { positionId } = added.structuredContent as { positionId: string }
    await first.client.callTool({ name: 'watch_position', arguments: { chain: 'local', version: 'v3', positionId } })
    await expect.poll(() => received.length, { timeout: 120_000 }).toBe(1)
    // Taken, and killed before it hears of that.
    process.kill(first.server.session, 'SIGKILL')
    await goneAfter(first.server)

    const { client } = await openServer(env)
    await expect.poll(() => received.length, { timeout: 120_000 }).toBe(2)
    received[1]?.response.writeHead(204).end()
    const found = async () => {
      const { structuredContent } = await client.callTool({ name: 'list_watches', arguments: {} })
      return (structuredContent as { events: { eventId: string; kind: string; webhook: string }[] }).events
    }
    await expect
      .poll(async () => (await found()).map(({ webhook }) => webhook), { timeout: 60_000 })
      .toEqual(['delivered'])
    const [event] = await found()
    expect(event?.kind).toBe('out_of_range')
    // The receiver can tell that both are one.
    expect(received.map(({ id }) => id)).toEqual([event?.eventId, event?.eventId])
    expect(received[1]?.body).toBe(received[0]?.body)
  },
)
