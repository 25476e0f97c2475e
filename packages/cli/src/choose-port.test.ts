import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { choosePort, startOnPort } from './world-services.ts'
import type { ReadyLine } from './ready-line.ts'
import { publicIdSlips } from './commands/up.ts'
import { welcome } from './welcome.ts'

const takenPort = async () => (await listening(0)).port

async function listening(port: number): Promise<AddressInfo> {
  const server = createServer().listen(port, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return server.address() as AddressInfo
}

it('takes any other than the usual port where that is taken, and tells which one it was', async () => {
  const usual = await takenPort()
  expect(await choosePort('--mcp-port', undefined, usual)).toMatchObject({ port: 0, taken: usual })
  expect(await choosePort('--mcp-port', 0, usual)).toMatchObject({ port: 0, taken: null })
  await expect(choosePort('--mcp-port', usual, 3_000)).rejects.toThrow(`--mcp-port ${usual} cannot be had: another`)
})

it('starts on any other where the usual one was taken meanwhile; one that a flag asked for it refuses by the flag', async () => {
  const port = await takenPort()
  const chosen = { flag: '--rpc-port', port, taken: null, usual: port }
  const start = async (on: number) => (await listening(on)).port
  const { started, taken } = await startOnPort({ ...chosen, asked: undefined }, start)
  expect([started === port, taken]).toEqual([false, port])
  await expect(startOnPort({ ...chosen, asked: port }, start)).rejects.toThrow(
    `--rpc-port ${port} cannot be had: another program listens there. Choose another, or 0 for any free one.`,
  )
  const starts: number[] = []
  const broken = async (on: number) => {
    starts.push(on)
    throw new Error('Something else is wrong.')
  }
  await expect(startOnPort({ ...chosen, port: 0, asked: 0 }, broken)).rejects.toThrow('Something else')
  expect(starts).toEqual([0])
})

it('says in the banner which usual ports were taken, nothing of the others, and what a pause that was left stops', () => {
  const address = '0x00000000000000000000000000000000000000bb'
  const fot = '0x00000000000000000000000000000000000000f0'
  const pool = {
    version: 'v4',
    id: '0x0a',
    token0: address,
    token1: address,
    fee: 3_000,
    tickSpacing: 60,
    label: 'A/B 0.3 %',
  } as const
  const ready: ReadyLine = {
    ready: true,
    mcp: { url: 'http://127.0.0.1:41000/mcp', keys: { read: 'r', feedback: 'f', write: 'w' } },
    rpc: { url: 'http://127.0.0.1:8545', chainId: 31_337 },
    wallet: { address },
    api: { url: 'http://127.0.0.1:42000', appId: 'app' },
    orders: { url: 'http://127.0.0.1:4', reactor: '0x00000000000000000000000000000000000000bb' },
    crossChain: { url: 'http://127.0.0.1:44000', chainId: 31_338, chain: 'local-2', settler: address },
    registry: { address },
    rewards: { url: 'http://127.0.0.1:43000', distributor: address },
    tokens: [{ symbol: 'FOT', address: fot, decimals: 18 }],
    pools: [{ ...pool, label: 'FOT/B 0.3 %', token1: fot, hooks: address }],
    twamm: { hook: address, pool: { ...pool, hooks: address } },
    vaults: [{ label: 'Dollars', address, asset: fot }],
  }
  const settings = {
    dataDir: '/d',
    isTemporary: true,
    chainsPath: '/d/chains.json',
    policyPath: '/d/policy.json',
    policyIsNew: true,
    pausedSince: null,
    environment: {},
  }
  const said = welcome({ ready, settings, takenPorts: { mcp: 3_000, rpc: null, api: 8_080 } })
  expect(said).toContain('  MCP server   http://127.0.0.1:41000/mcp (not 3000, where another program listens)\n')
  expect(said).toMatch(/ {2}support API .*42000.* \(not 8080, where another program listens\)\n/)
  expect(said.match(/another program listens/g)).toHaveLength(2)
  expect(said).not.toContain('PAUSED')
  expect(said).toContain(`  vaults       ${address}, Dollars\n`)
  expect(said).toContain('  second chain http://127.0.0.1:44000 (chain id 31338; "local-2"), where')
  expect(said).toContain(`  cross-chain  ${address}, on both chains: `)
  expect(said).toContain(`  v4  FOT/B 0.3 %        0x0a (FOT ${fot})\n`)
  const paused = { ...settings, pausedSince: '2026-01-31T08:00:00.000Z' }
  expect(welcome({ ready, settings: paused, takenPorts: { mcp: null, rpc: null, api: null } })).toContain(
    '  signing      PAUSED since 2026-01-31T08:00:00.000Z: svc resume --data-dir /d\n',
  )
})

it('warns of a chain id that a public chain has', async () => {
  expect(await publicIdSlips(31_337)).toEqual([])
  expect(await publicIdSlips(8_453)).toEqual([
    expect.stringMatching(/^--chain-id 8453 is that of base, .* valid there/),
  ])
})
