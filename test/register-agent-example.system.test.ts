import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { useDevnet } from '@svc/devnet/testing'
import { createPublicClient, type Hex, http, parseAbi, verifyMessage } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startSupportApi } from '../packages/cli/src/world-services.ts'
import type { ReadyLine } from '../packages/cli/src/ready-line.ts'

// The examples run as a reader runs them, as processes over what `npm run build` made.
const devnet = useDevnet()
const root = join(import.meta.dirname, '..')
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-examples-'))
})

afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

test('examples/register-agent.mjs registers an agent once, and finds it the second time', async () => {
  const { rpcUrl, chainId, registry } = devnet()
  const line: Pick<ReadyLine, 'ready' | 'rpc' | 'registry'> = {
    ready: true,
    rpc: { url: rpcUrl, chainId },
    registry: { address: registry.identity },
  }
  const world = join(folder, 'world.txt')
  await writeFile(world, `\n> svc@0.2.0 start\n\n${JSON.stringify(line)}\n`)

  const first = await example('register-agent.mjs', '--folder', join(folder, 'agent'), '--world', world)
  expect(first).toMatch(/^check-chain +Looking at the registry/m)
  expect(first).toMatch(/^send +/m)
  const [, tokenId = '', owner] = /^Agent 31337:(\d+) of (0x\w{40}) is registered now/m.exec(first) ?? []
  expect(first).toContain('it is a vault_manager, reached at https://agent.example/mcp')
  const client = createPublicClient({ transport: http(rpcUrl) })
  const abi = parseAbi(['function ownerOf(uint256) view returns (address)'])
  const ownerOf = { address: registry.identity, abi, functionName: 'ownerOf', args: [BigInt(tokenId)] } as const
  expect(await client.readContract(ownerOf)).toBe(owner)
  expect((await stat(join(folder, 'agent/keystore.json'))).mode & 0o777).toBe(0o600)

  const second = await example('register-agent.mjs', '--folder', join(folder, 'agent'), '--world', world)
  expect(second).toContain(`Agent 31337:${tokenId} of ${owner} was registered before.`)
})

test('examples/register-through-api.mjs makes an agent of a wallet that holds nothing', async () => {
  const { rpcUrl, chainId, registry, chain } = devnet()
  const chainsPath = join(folder, 'chains.json')
  await writeFile(chainsPath, JSON.stringify([chain]))
  const api = await startSupportApi({ devnet: devnet(), dataDir: folder, chainsPath, port: 0, logLevel: 'silent' })
  try {
    const line: Pick<ReadyLine, 'ready' | 'rpc' | 'registry' | 'api'> = {
      ready: true,
      rpc: { url: rpcUrl, chainId },
      registry: { address: registry.identity },
      api: { url: api.url, appId: api.appId },
    }
    const world = join(folder, 'world-with-api.txt')
    await writeFile(world, JSON.stringify(line))
    const said = await example('register-through-api.mjs', '--world', world)
    expect(said).toMatch(/^faucet +Asking the faucet/m)
    expect(said).toMatch(/^Agent 31337:\d+ is registered \(sdk-ipfs\); its gas came by way of: faucet\.$/m)
    expect(said).toMatch(/^ipfs:\/\/bafkrei\w+ holds the file of Ada\.$/m)

    // Hashes and ids of claims are of the reader's run, and cut short on the page.
    const page = await readFile(join(root, 'docs/support-api.md'), 'utf8')
    const asked = [...page.matchAll(/^(curl [^{]*-d '[^']*')\n(\{[^]*?\})$/gm)]
    expect(asked).toHaveLength(2)
    for (const [, command = '', answer = ''] of asked) {
      const text = (await requestOf(command, api.url)).replaceAll(api.url, 'http://127.0.0.1:8080')
      const reported = Object.entries(JSON.parse(text) as object)
      const shown = Object.entries(JSON.parse(answer) as Record<string, unknown>)
      expect(reported.map(([name]) => name)).toEqual(shown.map(([name]) => name))
      for (const [i, [, value]] of shown.entries()) expect(String(reported[i]?.[1])).toMatch(formOf(String(value)))
    }
  } finally {
    await api.stop()
  }
})

test('the first program of the wallet package registers an agent, reads and updates it, sends and signs', async () => {
  const { rpcUrl, registry } = devnet()
  const readme = await readFile(join(root, 'packages/wallet/README.md'), 'utf8')
  const [, program = ''] = /```js\n(.*?)```/s.exec(readme) ?? []
  // Of nobody, so that the program must see to its gas.
  const privateKey = generatePrivateKey()
  const env = { ...process.env, PRIVATE_KEY: privateKey, RPC_URL: rpcUrl, REGISTRY: registry.identity }
  const words = ['--input-type=module', '-e', program]
  const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: root, env, timeout: 120_000 })
  expect(stdout).toMatch(/^31337:\d+\nupdated\nLooks after one vault\. \{/)
  const [signature, status] = stdout.trim().split('\n').toReversed()
  expect(status).toBe('success')
  const isOwn = { address: privateKeyToAddress(privateKey), message: 'I am Ada.', signature: signature as Hex }
  expect(await verifyMessage(isOwn)).toBe(true)
})

async function example(name: string, ...words: readonly string[]): Promise<string> {
  const run = promisify(execFile)
  return (await run(process.execPath, [join(root, 'examples', name), ...words], { cwd: folder, timeout: 120_000 }))
    .stdout
}

/** What a `curl` command of a page asks of the service at `url`; its answer. */
async function requestOf(command: string, url: string): Promise<string> {
  const [, path = ''] = /http:\/\/127\.0\.0\.1:8080(\S+)/.exec(command) ?? []
  const headers = [...command.matchAll(/-H '([\w-]+): ([^']*)'/g)].map(
    ([, name = '', value = '']) => [name, value] as const,
  )
  const [, body = ''] = /-d '([^']*)'/.exec(command) ?? []
  return (await fetch(`${url}${path}`, { method: 'POST', headers: Object.fromEntries(headers), body })).text()
}

/**
 * A value as another run says it: an id of a claim is any, a payment may still be on its way, what a page cuts short goes on, and all
 * else is as it stands.
 */
function formOf(value: string): RegExp {
  if (value === 'confirmed') return /^(?:sent|confirmed)$/
  if (/^[\da-f]{8}-/.test(value)) return /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/
  const [start = '', end] = value.replace(/^0x\w+\.\.\.$/, '0x...').split('...')
  return new RegExp(end === undefined ? `^${start}$` : `^${start}\\w+${end}$`)
}
