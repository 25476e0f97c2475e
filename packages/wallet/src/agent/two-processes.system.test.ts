import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { useDevnet } from '@svc/devnet/testing'
import { createPublicClient, createTestClient, http, parseEther } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { expect, test } from 'vitest'
import { identityRegistryAbi as abi } from './registry/identity-registry.ts'

const devnet = useDevnet()

test('two processes that share journal and records register once, however slow the pin is', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'two-processes-'))
  const privateKey = generatePrivateKey()
  const owner = privateKeyToAddress(privateKey)
  const node = createTestClient({ mode: 'anvil', transport: http(devnet().rpcUrl) })
  await node.setBalance({ address: owner, value: parseEther('1') })
  const pins: Promise<void>[] = []
  const pinService = createServer((_request, response) => {
    // What it answers is no matter: the file goes into the URI then.
    pins.push(pins[0] === undefined ? slowly() : Promise.resolve())
    void pins.at(-1)?.then(() => response.writeHead(503).end())
  }).listen(0, '127.0.0.1')
  await once(pinService, 'listening')
  const address = pinService.address()
  const apiUrl = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  const begin = () => registering({ privateKey, apiUrl, folder, rpcUrl: devnet().rpcUrl, chain: devnet().chain })
  const second: Registering[] = []
  async function slowly() {
    second.push(begin())
    await second[0]?.isAtWork
    // The time in which the second would pin as well, and go on to sign.
    await pause(1_500)
  }
  try {
    const first = await begin().answer
    const other = await second[0]?.answer
    expect(first).toMatchObject({ status: 'registered', alreadyRegistered: false })
    expect(other).toMatchObject({ status: 'registered', alreadyRegistered: true, agentId: first['agentId'] })
    expect(pins).toHaveLength(1)
    const client = createPublicClient({ transport: http(devnet().rpcUrl) })
    const read = { address: devnet().registry.identity, abi, functionName: 'balanceOf', args: [owner] } as const
    expect(await client.readContract(read)).toBe(1n)
  } finally {
    pinService.closeAllConnections()
    pinService.close()
    await rm(folder, { recursive: true })
  }
})

type Registering = {
  /** Resolves when the process is about to register. */
  readonly isAtWork: Promise<unknown>
  readonly answer: Promise<Readonly<Record<string, unknown>>>
}

/** A process of its own that registers, with what it must remember in the folder. */
function registering({ folder, ...given }: Readonly<Record<string, unknown>>): Registering {
  const built = new URL('../../dist/index.js', import.meta.url).href
  const program = `
import { createFileJournal, createFileRegistrationRecords, registerAgent, ServiceWallet } from ${JSON.stringify(built)}
const { privateKey, apiUrl, rpcUrl, chain } = ${JSON.stringify(given)}
const wallet = new ServiceWallet({ mode: 'local', privateKey, chainId: chain.id, rpcUrls: { [chain.id]: rpcUrl }, appId: 'app' })
const journal = createFileJournal(${JSON.stringify(`${String(folder)}/journal.jsonl`)})
const records = createFileRegistrationRecords(${JSON.stringify(`${String(folder)}/registrations.json`)})
console.log('{}')
const answer = await registerAgent(wallet, {
  name: 'Ada', role: 'vault_manager', ipfsMode: 'proxy', apiUrl, chains: [chain], journal, records, env: {},
}).catch(({ code, message }) => ({ code, message }))
await journal.close()
console.log(JSON.stringify(answer))`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines: string[] = []
  const isAtWork = new Promise<void>((resolve) => {
    createInterface(child.stdout).on('line', (line) => {
      lines.push(line)
      resolve()
    })
    child.once('exit', () => resolve())
  })
  const answer = once(child, 'close').then(() => JSON.parse(lines.at(-1) ?? '{}') as Readonly<Record<string, unknown>>)
  return { isAtWork, answer }
}
