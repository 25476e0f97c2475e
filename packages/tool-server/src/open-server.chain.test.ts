import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { useDevnet } from '@svc/devnet/testing'
import { ServiceWallet } from '@svc/wallet/service-wallet'
import { createPublicClient, http, type Hash } from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import { afterEach, describe, expect, it } from 'vitest'
import { provisionKeys } from './auth/provision-keys.ts'
import { readConfig } from './config.ts'
import { openServer } from './open-server.ts'
import { devnetPolicy } from './safety/devnet-policy.ts'
import type { ToolServer } from './server.ts'
import { connectFirst, connectModern } from './test-server.fixture.ts'

const devnet = useDevnet()
const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})

/** The whole server on the local chain, from its configuration alone, as an operator starts it. */
async function start() {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-whole-'))
  const privateKey = generatePrivateKey()
  const { address } = new ServiceWallet({ mode: 'local', privateKey })
  await devnet().fund(address, { ETH: '10', WETH: '10', USDC: '50000' })
  const chainsFile = join(dataDir, 'chains.json')
  writeFileSync(chainsFile, JSON.stringify([devnet().chain]))
  writeFileSync(join(dataDir, 'policy.json'), JSON.stringify(devnetPolicy()), { mode: 0o600 })
  const environment = {
    SVC_DATA_DIR: dataDir,
    SVC_CHAINS_FILE: chainsFile,
    SVC_LISTEN: '127.0.0.1:0',
    LOG_LEVEL: 'silent',
    PRIVATE_KEY: privateKey,
    [`SVC_RPC_URL_${devnet().chainId}`]: devnet().rpcUrl,
  }
  const keys = provisionKeys(readConfig(environment), (size) => crypto.getRandomValues(new Uint8Array(size)))
  const server: ToolServer = await openServer(readConfig(environment))
  closers.push(() => server.close())
  return { url: (await server.listen()).url, keys, address, environment }
}

const chain = () => String(devnet().chainId)
const range = { priceLower: 1_000, priceUpper: 9_000 }

describe('the server on a chain', () => {
  it('adds and takes back liquidity for clients of both SDK generations and both eras', async () => {
    const { url, keys } = await start()
    const key = keys.write.reveal()
    const clients = [
      (await connectFirst(url, key)).client,
      (await connectModern(url, key, 'legacy')).client,
      (await connectModern(url, key, 'modern')).client,
    ]
    for (const client of clients) {
      closers.push(() => client.close())
      await client.listTools()
      const call = async (name: string, args: Record<string, unknown>) => {
        const result = await client.callTool({ name, arguments: { chain: chain(), ...args } })
        expect(result).not.toHaveProperty('isError')
        return result.structuredContent as Record<string, unknown>
      }
      const deposit = { token0: 'WETH', token1: 'USDC', fee: 3000, amount0: '0.5', ...range }
      const planned = await call('add_liquidity', { ...deposit, dryRun: true })
      expect(planned).toMatchObject({ status: 'planned', plan: { policy: { allowed: true } } })
      const added = await call('add_liquidity', deposit)
      expect(added).toMatchObject({ status: 'success', safetyChecks: { simulationPassed: true } })
      const removed = await call('remove_liquidity', { positionId: added['positionId'] })
      expect(removed).toMatchObject({ status: 'success', percentageRemoved: 100 })
      const reader = createPublicClient({ transport: http(devnet().rpcUrl) })
      for (const { txHash } of [added, removed]) {
        expect((await reader.getTransactionReceipt({ hash: txHash as Hash })).status).toBe('success')
      }
    }
  })

  it('sends once for a key, over a restart too', async () => {
    const { url, keys, environment } = await start()
    const swap = { chain: chain(), tokenIn: 'WETH', tokenOut: 'USDC', amount: '0.1', idempotencyKey: 'swap-1' }
    const { client } = await connectFirst(url, keys.write.reveal())
    const first = await client.callTool({ name: 'execute_swap', arguments: swap })
    expect(first).toMatchObject({ structuredContent: { status: 'success' } })
    expect(await client.callTool({ name: 'execute_swap', arguments: swap })).toEqual(first)
    await client.close()
    await closers.splice(0)[0]?.()
    const again = await openServer(readConfig(environment))
    closers.push(() => again.close())
    const { client: later } = await connectFirst((await again.listen()).url, keys.write.reveal())
    expect(await later.callTool({ name: 'execute_swap', arguments: swap })).toEqual(first)
    const other = await later.callTool({ name: 'execute_swap', arguments: { ...swap, amount: '0.2' } })
    expect(other).toMatchObject({ _meta: { 'svc/error': { code: 'IDEMPOTENCY_CONFLICT' } } })
    await later.close()
  })

  it('reports on itself, to a read key without amounts', async () => {
    const { url, keys, address, environment } = await start()
    const reader = (await connectFirst(url, keys.read.reveal())).client
    const writer = (await connectFirst(url, keys.write.reveal())).client
    const health = await reader.callTool({ name: 'check_setup_health', arguments: { verbose: true } })
    const { checks } = health.structuredContent as { checks: { id: string; status: string; message: string }[] }
    expect(checks.map(({ id, status }) => [id, status])).toEqual([
      ['config', 'pass'],
      ['wallet', 'pass'],
      ['data-dir', 'pass'],
      ['policy', 'pass'],
      [`rpc-${devnet().chain.name}`, 'pass'],
    ])
    expect(JSON.stringify(health)).toContain(address)
    expect(JSON.stringify(health)).not.toContain(environment.PRIVATE_KEY.slice(2))
    const seen = await writer.callTool({ name: 'check_safety_status', arguments: {} })
    expect(JSON.stringify(seen.structuredContent)).toContain('50000')
    const redacted = await reader.callTool({ name: 'check_safety_status', arguments: {} })
    expect(redacted.isError).toBeUndefined()
    expect(JSON.stringify(redacted.structuredContent)).not.toContain('50000')
    await reader.close()
    await writer.close()
  })

  it('is the only server of its data directory', async () => {
    const { environment } = await start()
    await expect(openServer(readConfig(environment))).rejects.toThrow('Another server')
  })
})
