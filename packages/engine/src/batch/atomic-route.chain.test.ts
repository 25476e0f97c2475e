import { useDevnet } from '@svc/devnet/testing'
import { type Address, createPublicClient, type Hex, http, type PublicClient } from 'viem'
import { describe, expect, it } from 'vitest'
import { batchDelegate } from '../calldata/contracts.gen.ts'
import type { Pipeline, PipelineOptions } from '../fixtures/open-pipeline.fixture.ts'
import { usePipelines } from '../fixtures/use-pipelines.fixture.ts'
import { devnetPolicy } from '../policy/policy.ts'
import { type AtomicRoute, delegationTo, readAtomicRoute, requireRoute } from './atomic-route.ts'
import { batchOf, naming, nodeOf, runBatch as run, thief } from './batch.fixture.ts'

const devnet = useDevnet()
const pipelines = usePipelines(devnet)

describe('without an atomic route nothing is signed', () => {
  it.each<readonly [string, () => Promise<PipelineOptions>, RegExp]>([
    ['no delegate is named', async () => ({ policy: devnetPolicy() }), /names no batch delegate/],
    [
      'the delegate holds other code',
      async () => ({ policy: naming(devnet(), await other()) }),
      /does not hold the code/,
    ],
    ['the delegate is no contract', async () => ({ policy: naming(devnet(), thief) }), /does not hold the code/],
    ['the signer has no way to delegate', async () => ({ engine: { signsAuthorizations: false } }), /no way to sign/],
  ])('%s', async (_what, options, message) => {
    const pipeline = await open(await options())
    const refused = pipeline.run(batchOf(pipeline, [{}, {}]))
    await expect(refused).rejects.toMatchObject({ code: 'ATOMIC_EXECUTION_UNAVAILABLE' })
    await expect(refused).rejects.toThrow(message)
    expect(await pipeline.nonce()).toBe(0)
  })

  it('the wallet runs other code', async () => {
    const pipeline = await open()
    await nodeOf(devnet()).setCode({ address: pipeline.wallet, bytecode: `0xef0100${thief.slice(2)}` })
    const refused = pipeline.run(batchOf(pipeline, [{}, {}]))
    await expect(refused).rejects.toMatchObject({ code: 'ATOMIC_EXECUTION_UNAVAILABLE' })
    expect(await pipeline.nonce()).toBe(0)
  })

  it('the wallet is delegated and its signer signs transactions alone: it goes on', async () => {
    const first = await open()
    await run(first, batchOf(first, [{}, {}]))
    const { privateKey, dataDir } = first
    await pipelines.close(first)
    const later = await open({ privateKey, dataDir, engine: { signsAuthorizations: false } })
    await run(later, batchOf(later, [{}, {}]))
    expect(await later.nonce()).toBe(3)
  })
})

describe('the route that a batch was simulated on is looked up again before its signature', () => {
  const wallet: Address = '0x0000000000000000000000000000000000000a11'
  const delegate: Address = '0x0000000000000000000000000000000000000de1'
  const planned = { by: 'batch-7702', delegate, isDelegated: false, refusal: null } as const
  const ask = (own: Hex | undefined, there: Hex | undefined, route: AtomicRoute = planned): Promise<void> => {
    const client = {
      getCode: async ({ address }: { readonly address: Address }) => (address === wallet ? own : there),
    } satisfies Partial<PublicClient>
    const chain = { id: 1, name: 'a chain' }
    const policy = { batchDelegate: { '1': delegate } }
    return requireRoute({ client, chain, policy, wallet }, route)
  }

  it('and stands where nothing has changed', async () => {
    await ask(undefined, batchDelegate.runtime)
    await ask(delegationTo(delegate), batchDelegate.runtime, { ...planned, isDelegated: true })
  })

  it.each<readonly [string, Hex | undefined, Hex | undefined, string]>([
    ['the delegate holds other code now', undefined, '0x00', 'ATOMIC_EXECUTION_UNAVAILABLE'],
    [
      'the wallet was delegated elsewhere',
      `0xef0100${'11'.repeat(20)}`,
      batchDelegate.runtime,
      'ATOMIC_EXECUTION_UNAVAILABLE',
    ],
    ['the wallet was delegated meanwhile', delegationTo(delegate), batchDelegate.runtime, 'SIMULATION_DRIFT'],
  ])('%s: refused', async (_what, own, there, code) => {
    await expect(ask(own, there)).rejects.toMatchObject({ code })
  })
})

describe('where a bundler and a paymaster are configured', () => {
  const wallet: Address = '0x0000000000000000000000000000000000000a11'
  const delegate: Address = '0x0000000000000000000000000000000000000de1'
  const routeOf = async (
    own: 'nothing' | 'account' | 'batches' | 'other',
    named: 'account' | 'batches' | 'nothing',
  ) => {
    const { rpcUrl, simple7702Account: account, chainId: id } = devnet()
    const node = createPublicClient({ transport: http(rpcUrl) })
    const runs = {
      nothing: '0x',
      account: delegationTo(account),
      batches: delegationTo(delegate),
      other: '0xef',
    } as const
    const client = {
      getCode: async ({ address }: { readonly address: Address }): Promise<Hex | undefined> =>
        address === wallet ? runs[own] : address === delegate ? batchDelegate.runtime : node.getCode({ address }),
    }
    const names = named === 'nothing' ? {} : { [id]: named === 'account' ? account : delegate }
    return readAtomicRoute({
      client,
      chain: { id, name: 'a chain' },
      policy: { batchDelegate: names },
      wallet,
      account,
    })
  }

  it.each([
    ['nothing', 'batches', 'batch-7702', false],
    ['batches', 'batches', 'batch-7702', true],
    ['account', 'batches', 'user-operation', true],
    ['account', 'nothing', 'user-operation', true],
    ['nothing', 'account', 'user-operation', false],
    ['nothing', 'nothing', null, undefined],
    ['batches', 'account', null, undefined],
    ['other', 'account', null, undefined],
  ] as const)('a wallet that runs %s, with %s named by the policy: %s', async (own, named, by, isDelegated) => {
    const route = await routeOf(own, named)
    expect([route.by, route.refusal === null ? route.isDelegated : undefined]).toEqual([by, isDelegated])
  })
})

function open(options: PipelineOptions = {}): Promise<Pipeline> {
  return pipelines.open({ policy: naming(devnet()), ...options })
}

/** A contract that is the delegate but for its last byte. */
async function other(): Promise<Address> {
  const address: Address = '0x000000000000000000000000000000000000d1e0'
  const code: Hex = `${batchDelegate.runtime.slice(0, -2) as Hex}ff`
  await nodeOf(devnet()).setCode({ address, bytecode: code })
  return address
}
