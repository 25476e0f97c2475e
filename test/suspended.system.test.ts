import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { useDevnet } from '@svc/devnet/testing'
import { devnetPolicy } from '@svc/engine'
import { ServiceWallet } from '@svc/wallet/service-wallet'
import { createPublicClient, createTestClient, erc20Abi, http } from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openShiftedClock } from '../bench/parts/shifted-clock.mjs'
import { connectFirst } from '../packages/tool-server/src/test-server.fixture.ts'

// What platforms do that put a machine to sleep: the process is stopped where it stands and goes on when a request comes (fly.io), or is ended
// and started anew (Render). Meanwhile the world goes on for twelve minutes.
const sleptSeconds = 12 * 60
const delaySeconds = 600
const devnet = useDevnet()
let place: Place
let running: ChildProcess

beforeEach(async () => {
  place = await newPlace()
})
afterEach(async () => {
  if (running.exitCode === null && running.signalCode === null) {
    running.kill('SIGKILL')
    await once(running, 'close')
  }
  rmSync(place.dataDir, { recursive: true, force: true })
})

describe('a server that slept for twelve minutes', () => {
  test('answers at its session, and carries out what came due meanwhile, once', async () => {
    const client = await start()
    const id = await schedule(client)
    const sentBefore = await sent()
    running.kill('SIGSTOP')
    await sleepTwelveMinutes()
    expect(await sent()).toBe(sentBefore)
    running.kill('SIGCONT')
    expect(['scheduled', 'running', 'done']).toContain(await stateOf(client, id))
    await expect.poll(() => stateOf(client, id), { timeout: 30_000 }).toBe('done')
    expect(await usdc()).toBe(fundedUsdc - 300_000_000n)
    const sentAfter = await sent()
    running.kill('SIGSTOP')
    await sleepTwelveMinutes()
    running.kill('SIGCONT')
    expect(await stateOf(client, id)).toBe('done')
    expect([await sent(), await usdc()]).toEqual([sentAfter, fundedUsdc - 300_000_000n])
  })

  test('and was ended for it carries out what came due meanwhile, once', async () => {
    const id = await schedule(await start())
    running.kill('SIGTERM')
    expect(await once(running, 'close')).toEqual([0, null])
    await sleepTwelveMinutes()
    const client = await start()
    await expect.poll(() => stateOf(client, id), { timeout: 30_000 }).toBe('done')
    expect(await usdc()).toBe(fundedUsdc - 300_000_000n)
  })

  test('spends at most half a second of CPU on waking and its first answer', async () => {
    const client = await start()
    const spent: number[] = []
    for (let round = 0; round < 5; round += 1) {
      running.kill('SIGSTOP')
      await sleepTwelveMinutes()
      const before = cpuMs()
      running.kill('SIGCONT')
      await call(client, 'get_gas_price', { chain: chain() })
      spent.push(cpuMs() - before)
    }
    expect(spent.toSorted((one, other) => one - other)[2]).toBeLessThanOrEqual(500)
  })
})

type Client = Awaited<ReturnType<typeof connectFirst>>['client']

const token = 'b3BlbnNzbC1yYW5kLWJhc2U2NC0zMi1ieXRlcy1sb25nLWVub3VnaA'
const chain = () => String(devnet().chainId)
const fundedUsdc = 50_000_000_000n
const program = fileURLToPath(new URL('../packages/tool-server/dist/main.js', import.meta.url))

type Place = Awaited<ReturnType<typeof newPlace>>

/** The settings of a server that signs, whose swaps wait for ten minutes, and the clock it goes by. */
async function newPlace() {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-asleep-'))
  const privateKey = generatePrivateKey()
  const { address } = new ServiceWallet({ mode: 'local', privateKey })
  await devnet().fund(address, { ETH: '10', USDC: '50000' })
  const chainsFile = join(dataDir, 'chains.json')
  writeFileSync(chainsFile, JSON.stringify([devnet().chain]))
  const waits = { approvalThresholdUsd: null, proxyDelay: true, delaySeconds: { routine: delaySeconds } }
  writeFileSync(join(dataDir, 'policy.json'), JSON.stringify({ ...devnetPolicy(), ...waits }), { mode: 0o600 })
  // The chain has seen earlier nights.
  const { timestamp } = await reader().getBlock()
  const clock = openShiftedClock(join(dataDir, 'clock'), Math.max(0, Number(timestamp) * 1_000 - Date.now()))
  const env = {
    SVC_DATA_DIR: dataDir,
    SVC_CHAINS_FILE: chainsFile,
    SVC_LISTEN: '127.0.0.1:0',
    SVC_MCP_PROFILE: 'full',
    MCP_AUTH_TOKEN: token,
    PRIVATE_KEY: privateKey,
    [`SVC_RPC_URL_${devnet().chainId}`]: devnet().rpcUrl,
    NODE_OPTIONS: clock.nodeOptions,
  }
  return { dataDir, address, clock, env }
}

async function start(): Promise<Client> {
  running = spawn(process.execPath, [program, '--transport', 'http'], {
    env: place.env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  for await (const line of createInterface({ input: running.stderr ?? process.stdin })) {
    const url = /listens on (\S+)/.exec(line)?.[1]
    if (url !== undefined) {
      // Nobody reads on, and a pipe that is full would hold the server up.
      running.stderr?.resume()
      return (await connectFirst(url, token)).client
    }
    said += `${line}\n`
  }
  throw new Error(said)
}

async function call(client: Client, name: string, input: Readonly<Record<string, unknown>>) {
  const { isError, structuredContent, content } = await client.callTool({
    name,
    arguments: input,
  })
  if (isError === true) throw new Error(JSON.stringify(content))
  return structuredContent as Record<string, unknown>
}

async function schedule(client: Client): Promise<string> {
  const answer = await call(client, 'execute_swap', {
    chain: chain(),
    tokenIn: 'USDC',
    tokenOut: 'WETH',
    amount: '300',
  })
  expect(answer['status']).toBe('scheduled')
  return String(answer['operationId'])
}

const stateOf = async (client: Client, operationId: string) =>
  (await call(client, 'get_operation', { operationId }))['state']

/** On the wall, and on the chain, which has a block now. */
async function sleepTwelveMinutes(): Promise<void> {
  place.clock.putOn(sleptSeconds * 1_000)
  const node = createTestClient({ mode: 'anvil', transport: http(devnet().rpcUrl) })
  await node.increaseTime({ seconds: sleptSeconds })
  await node.mine({ blocks: 1 })
}

const reader = () => createPublicClient({ transport: http(devnet().rpcUrl) })
const sent = () => reader().getTransactionCount({ address: place.address })

async function usdc(): Promise<bigint> {
  const { address } = devnet().tokens.find(({ symbol }) => symbol === 'USDC')!
  return reader().readContract({ address, abi: erc20Abi, functionName: 'balanceOf', args: [place.address] })
}

/** User and system time of the server, in steps of 10 ms. */
function cpuMs(): number {
  const fields = readFileSync(`/proc/${running.pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}
