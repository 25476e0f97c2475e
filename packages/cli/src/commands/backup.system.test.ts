import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@modelcontextprotocol/client'
import { type Devnet, startDevnet } from '@svc/devnet'
import { usePostgres } from '@svc/devnet/testing'
import { devnetPolicy } from '@svc/engine'
import { openStore } from '@svc/store'
import { privateKeyToAddress } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { askChain, call, connect } from '../clients.fixture.ts'
import { program, run, type Run, runToEnd } from '../processes.fixture.ts'

const privateKey = `0x${'5a'.repeat(32)}` as const
const wallet = privateKeyToAddress(privateKey)
const postgres = usePostgres()

let root: string
let devnet: Devnet
const opened: (() => unknown)[] = []
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'svc-backup-'))
  devnet = await startDevnet({ history: false })
  await devnet.fund(wallet, { ETH: '10', USDC: '100000' })
})
afterEach(async () => {
  for (const close of opened.splice(0).toReversed()) await close()
})
afterAll(async () => {
  await devnet.stop()
  rmSync(root, { recursive: true, force: true })
})

const swap = (idempotencyKey: string) => ({
  chain: 'local',
  tokenIn: 'USDC',
  tokenOut: 'WETH',
  amount: '5',
  idempotencyKey,
})
const nonce = async () =>
  Number(await askChain({ rpc: { url: devnet.rpcUrl } }, 'eth_getTransactionCount', wallet, 'latest'))

function newDirectory(name: string): string {
  const dataDir = join(root, name)
  mkdirSync(dataDir, { mode: 0o700 })
  writeFileSync(join(dataDir, 'policy.json'), JSON.stringify(devnetPolicy()), { mode: 0o600 })
  writeFileSync(join(dataDir, 'chains.json'), JSON.stringify([devnet.chain]), { mode: 0o600 })
  return dataDir
}

const settingsOf = (dataDir: string, database: Readonly<Record<string, string>>) => ({
  LOG_LEVEL: 'warn',
  SVC_DATA_DIR: dataDir,
  SVC_CHAINS_FILE: join(dataDir, 'chains.json'),
  SVC_LISTEN: '127.0.0.1:0',
  SVC_MCP_PROFILE: 'full',
  WALLET_TYPE: 'local',
  PRIVATE_KEY: privateKey,
  [`SVC_RPC_URL_${devnet.chainId}`]: devnet.rpcUrl,
  ...database,
})

async function serve(env: ReturnType<typeof settingsOf>): Promise<{ readonly server: Run; readonly client: Client }> {
  const server = run(process.execPath, [program, 'serve', '--transport', 'http'], { env })
  opened.push(() => server.end())
  const url = (await server.said(/^svc listens on http\S+$/m)).replace('svc listens on ', '')
  const keys = readFileSync(join(env.SVC_DATA_DIR, '.env'), 'utf8')
  const write = /^SVC_API_KEY_WRITE=(.*)$/m.exec(keys)?.[1] ?? ''
  const client = await connect({ mcp: { url, keys: { read: '', feedback: '', write } } })
  opened.push(() => client.close())
  return { server, client }
}

describe.each([
  { engine: 'SQLite', newDatabase: async () => ({}) },
  { engine: 'PostgreSQL', newDatabase: async () => ({ SVC_DATABASE_URL: await postgres().newSchema() }) },
])('a backup that is taken on $engine while the server writes', ({ engine, newDatabase }) => {
  it('comes back, after a restore that was killed too: paused, with what was done known and not done again', async () => {
    const dataDir = newDirectory(engine)
    const env = settingsOf(dataDir, await newDatabase())
    const { server, client } = await serve(env)
    const done = new Map<string, unknown>()
    const writing = { goesOn: true }
    const writer = (async () => {
      for (let index = 0; writing.goesOn; index += 1) {
        const { txHash } = await call(client, 'execute_swap', swap(`key-${index}`))
        done.set(`key-${index}`, txHash)
      }
    })()
    await expect.poll(() => done.size).toBeGreaterThan(2)
    const before = done.size
    const target = join(root, `${engine}-backup`)
    const made = await runToEnd(['backup', target], { env })
    expect(made).toMatchObject({ code: 0, stderr: '' })
    const known = new Map([...done].slice(0, before))
    await expect.poll(() => done.size).toBeGreaterThan(before + 2)
    writing.goesOn = false
    await writer
    server.child.kill('SIGKILL')
    await server.exited

    const again = join(root, `${engine}-restored`)
    const newPlace: Readonly<Record<string, string>> = await newDatabase()
    const restored = { ...settingsOf(again, newPlace), SVC_CHAINS_FILE: join(again, 'chains.json') }
    const isWhole = await killInTheMiddle(target, again, { ...restored, SVC_CHAINS_FILE: env.SVC_CHAINS_FILE })
    const put = isWhole ? { code: 0, stderr: '' } : await runToEnd(['restore', target], { env: restored })
    expect(put).toMatchObject({ code: 0, stderr: '' })
    expect(readdirSync(again)).not.toContain('restoring')
    const { client: later } = await serve(restored)
    const refused = await later.callTool({ name: 'execute_swap', arguments: swap('new') })
    expect(refused).toMatchObject({ isError: true, _meta: { 'svc/error': { code: 'SERVER_PAUSED' } } })
    expect(await call(later, 'check_safety_status', {})).toMatchObject({
      paused: true,
      pause: { reason: expect.stringMatching(/^restored from the backup of 20/) },
    })
    const counted = await nonce()
    for (const [key, txHash] of known) expect(await call(later, 'execute_swap', swap(key))).toMatchObject({ txHash })
    expect(await nonce()).toBe(counted)
    expect(await runToEnd(['resume'], { env: restored })).toMatchObject({ code: 0 })
    await call(later, 'execute_swap', swap('after'))
    expect(await nonce()).toBeGreaterThan(counted)
    expect(await runToEnd(['audit', 'verify', '--data-dir', again])).toMatchObject({ code: 0 })
    const url = newPlace['SVC_DATABASE_URL']
    const store = await openStore({
      ...(url === undefined ? { path: join(again, 'state.db') } : { url }),
      now: Date.now,
    })
    expect(await store.journal.open(devnet.chainId, wallet)).toEqual([])
    await store.close()
  })
})

/** Kills restores of the backup at one point after the other: each leaves nothing, or what no server starts on. Gives whether the last kill came too late. */
async function killInTheMiddle(target: string, dataDir: string, env: ReturnType<typeof settingsOf>): Promise<boolean> {
  const points = ['server.lock', 'restoring', 'restoring/policy.json', 'paused']
  for (const point of points) {
    const restoring = run(process.execPath, [program, 'restore', target], { env })
    while (!existsSync(join(dataDir, point)) && restoring.child.exitCode === null) await sleep(1)
    restoring.child.kill('SIGKILL')
    await restoring.exited
    await restoring.end()
    if (!existsSync(join(dataDir, 'restoring'))) continue
    const started = await runToEnd(['serve', '--transport', 'http'], { env })
    expect(started).toMatchObject({ code: 1, stderr: expect.stringContaining('RESTORE_UNFINISHED') })
  }
  return existsSync(join(dataDir, 'paused')) && !existsSync(join(dataDir, 'restoring'))
}
