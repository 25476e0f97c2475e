import { chains } from '@svc/wallet/core'
import { expect, test } from 'vitest'
import { createRpcPool } from '@svc/amm/rpc'
import { createChainDirectory } from '@svc/amm/chains'
import type { RpcPool } from '@svc/amm'
import { describeRefusals, untouchedWorld } from '../refusals.fixture.ts'
import { listSupportedChains } from './list-supported-chains.ts'

describeRefusals(listSupportedChains, {}, { includeTestnets: 'flag' })

type Listed = {
  items: {
    id: number
    name: string
    testnet: boolean
    versions: string[]
    rpcHealthy: boolean
    problem: string | null
  }[]
  notes: string[]
}

/** Nothing listens on port 9 of this machine. */
async function list(args: Record<string, unknown>): Promise<Listed> {
  const rpc = createRpcPool({ urls: () => ['http://127.0.0.1:9'], now: Date.now, timeoutMs: 500 })
  const input = listSupportedChains.input.parse(args)
  const answer = await listSupportedChains.handle(input, { ...untouchedWorld(), rpc })
  return listSupportedChains.output.parse(answer) as Listed
}

test('list_supported_chains shows the eleven mainnets, and says what it leaves out', async () => {
  const { items, notes } = await list({})
  expect(items.map((item) => item.id).sort((a, b) => a - b)).toEqual([
    1, 10, 56, 130, 137, 324, 8453, 42161, 42220, 43114, 81457,
  ])
  expect(notes).toEqual([expect.any(String), expect.stringMatching(/public testnets.*includeTestnets/)])
})

test('list_supported_chains says once what is wrong with several chains alike', async () => {
  const { items, notes } = await list({})
  const [first = ''] = notes
  expect(first).toMatch(/^ethereum, .*base.*: The endpoint of the chain could not be reached/)
  for (const item of items) {
    expect(item.problem).toBe('see notes')
    expect(first).toContain(item.name)
  }
})

test('list_supported_chains shows every chain on request, with the versions that stand there', async () => {
  const { items, notes } = await list({ includeTestnets: true })
  expect(items).toHaveLength(chains.length)
  expect(notes).toHaveLength(1)
  for (const item of items) {
    const chain = chains.find((candidate) => candidate.id === item.id)
    expect(item.versions).toEqual((['v2', 'v3', 'v4'] as const).filter((version) => chain?.amm[version] !== undefined))
  }
})

test('list_supported_chains shows what the operator added unasked, and what answers first', async () => {
  const base = chains.find(({ id }) => id === 8453)!
  const local = { ...base, id: 31337, name: 'local', testnet: true }
  const own = { ...base, id: 4711, name: 'own', testnet: true }
  const listed = async (healthy: readonly number[]) => {
    const probe: RpcPool['probe'] = async ({ id }) => {
      const isHealthy = healthy.includes(id)
      return { healthy: isHealthy, headAgeSeconds: null, latencyMs: null, problem: isHealthy ? null : 'silent' }
    }
    const world = { ...untouchedWorld(), rpc: { probe } as RpcPool }
    const directory = createChainDirectory([...chains, local, own])
    const answer = await listSupportedChains.handle({ includeTestnets: false }, { ...world, chains: directory })
    return (listSupportedChains.output.parse(answer) as Listed).items.map(({ id }) => id)
  }
  expect((await listed([8453, 31337])).slice(0, 3)).toEqual([31337, 8453, 4711])
  expect((await listed([])).slice(0, 3)).toEqual([31337, 4711, chains.find(({ testnet }) => !testnet)!.id])
})

test('list_supported_chains answers when no endpoint does, and says so without naming it', async () => {
  const answer = await list({})
  expect(answer.items.every((item) => !item.rpcHealthy && item.problem !== null)).toBe(true)
  expect(JSON.stringify(answer)).not.toContain('127.0.0.1')
})
