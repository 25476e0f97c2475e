import { chains } from '@svc/wallet/core'
import { expect, test } from 'vitest'
import { createRpcPool } from '../../adapters/rpc/create-rpc-pool.ts'
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
  expect(notes).toEqual([expect.stringContaining('includeTestnets')])
})

test('list_supported_chains shows every chain on request, with the versions that stand there', async () => {
  const { items, notes } = await list({ includeTestnets: true })
  expect(items).toHaveLength(chains.length)
  expect(notes).toEqual([])
  for (const item of items) {
    const chain = chains.find((candidate) => candidate.id === item.id)
    expect(item.versions).toEqual((['v2', 'v3', 'v4'] as const).filter((version) => chain?.amm[version] !== undefined))
  }
})

test('list_supported_chains answers when no endpoint does, and says so without naming it', async () => {
  const answer = await list({})
  expect(answer.items.every((item) => !item.rpcHealthy && item.problem !== null)).toBe(true)
  expect(JSON.stringify(answer)).not.toContain('127.0.0.1')
})
