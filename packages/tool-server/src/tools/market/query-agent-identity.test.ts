import type { RpcPool } from '@svc/amm'
import { registryOf } from '@svc/engine'
import { chains } from '@svc/wallet/core'
import { expect, test } from 'vitest'
import type { Identities } from '../../ports.ts'
import { describeRefusals, refusalOf, untouchedWorld } from '../refusals.fixture.ts'
import { createIdentities } from '../../identity/create-identities.ts'
import { noServices } from '../../identity/no-services.fixture.ts'
import { queryAgentIdentity } from './query-agent-identity.ts'

describeRefusals(
  queryAgentIdentity,
  { agentId: '8453:0', chain: 'base' },
  {
    agentId: 'agentId',
    chain: 'chain',
    address: 'address',
  },
)

test.each([
  ['the owner that is named', { address: '0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984' }],
  ['the agent wallet by default', {}],
] as const)('query_agent_identity looks up %s', async (_what, args) => {
  const asked: unknown[] = []
  const find = async (_chain: unknown, ...question: readonly unknown[]) => {
    asked.push(question)
    return { agents: [], complete: true }
  }
  const untouched = untouchedWorld()
  const rpc = { ...untouched.rpc, head: async () => ({ number: 7n }), seenHead: () => null } as unknown as RpcPool
  const world = { ...untouched, rpc, identities: { find, requireRegistry: () => {} } as unknown as Identities }
  const input = queryAgentIdentity.input.parse({ ...args, chain: 'base' })
  expect(await queryAgentIdentity.handle(input, world)).toMatchObject({
    agents: [],
    agentIds: [],
    complete: true,
    blockNumber: 7,
    blockAgeSeconds: null,
  })
  expect(asked).toEqual([['address' in args ? args.address : world.agentAddress, 7n]])
})

test('query_agent_identity says what it needs where there is no agent wallet', async () => {
  const refusal = await refusalOf(queryAgentIdentity, { chain: 'base' }, { ...untouchedWorld(), agentAddress: null })
  expect(refusal).toMatchObject({ code: 'VALIDATION_FAILED', details: [{ field: 'address' }] })
})

test.each([
  ['both', { agentId: '1', address: '0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984' }],
  ['the agent of another chain', { agentId: '1:1' }],
])('query_agent_identity refuses %s', async (_what, args) => {
  const refusal = await refusalOf(queryAgentIdentity, { ...args, chain: 'base' })
  expect(refusal).toMatchObject({ code: 'VALIDATION_FAILED', details: [{ field: 'agentId' }] })
})

test.each(chains.filter((chain) => registryOf(chain) === null).map(({ name, id }) => [name, `${id}`]))(
  'query_agent_identity says that %s has no registry, and asks no endpoint for it, whether one would answer or not',
  async (_name, chain) => {
    // Reaching for an endpoint throws.
    const world = untouchedWorld()
    const identities = createIdentities({ rpc: world.rpc, chains, upstream: noServices, isLive: async () => null })
    for (const agentId of ['1', undefined]) {
      const refusal = await refusalOf(queryAgentIdentity, { chain, agentId }, { ...world, identities })
      expect(refusal).toMatchObject({ code: 'VALIDATION_CHAIN_NOT_SUPPORTED', details: [{ field: 'chain' }] })
    }
  },
)
