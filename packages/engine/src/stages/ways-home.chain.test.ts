import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { useDevnet } from '@svc/devnet/testing'
import { getAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import type { Intent, PairShare } from '@svc/amm'
import { createCircuitBreaker, type OpenedBy } from '../switches/circuit-breaker.ts'
import { expectRefused } from '../fixtures/expect-refused.fixture.ts'
import {
  newestPosition,
  planAdd,
  planIncrease,
  removal,
} from '../../../tool-server/src/fair-value/deposit-plans.fixture.ts'
import { chainDeadline, lenient } from '../../../tool-server/src/fair-value/plans.fixture.ts'
import { approveIntent, swapIntent, wrapIntent } from '../fixtures/intents.fixture.ts'
import { pause } from '../switches/kill-switch.ts'
import { methodsIn, rewriting } from '../fixtures/network.fixture.ts'
import type { Pipeline } from '../fixtures/open-pipeline.fixture.ts'
import { parsePolicy } from '../policy/policy.ts'
import { moveThePrice, plannedOf } from '../fixtures/pipeline-facts.fixture.ts'
import { usePipelines } from '../fixtures/use-pipelines.fixture.ts'

const devnet = useDevnet()
const { open } = usePipelines(devnet)

const breakerOf = ({ dataDir }: Pipeline) =>
  createCircuitBreaker({ dataDir, limits: () => parsePolicy({}, { production: false }).breaker, now: Date.now })

const code = 'CIRCUIT_BREAKER_OPEN'
const entry = { pair: ['WETH', 'USDC'], fee: 500, amount0: '1' } as const

async function openWithPosition(version: 'v2' | 'v3' = 'v3', policy: object = {}): Promise<Pipeline> {
  const pipeline = await open({ policy: { ...lenient, ...policy } })
  await pipeline.run(await planAdd(pipeline, { ...entry, version }))
  pipeline.trace.length = 0
  return pipeline
}

async function ofShares(pipeline: Pipeline, recipient = pipeline.wallet): Promise<Intent> {
  const { items } = await pipeline.liquidity.positionsByOwner(pipeline.chain, pipeline.wallet, ['v2'])
  const share = items.find((item): item is PairShare => item.version === 'v2')!
  const deadline = Number(await chainDeadline(pipeline))
  const asked = { percentage: 100, collectFees: true, slippageBps: 50, deadline, recipient }
  return (await pipeline.liquidity.planRemove(pipeline.chain, share, asked)).intent
}

async function collecting(pipeline: Pipeline): Promise<Intent> {
  const deadline = Number(await chainDeadline(pipeline))
  return (
    await pipeline.liquidity.planCollect(pipeline.chain, await newestPosition(pipeline), {
      deadline,
      recipient: pipeline.wallet,
    })
  ).intent
}

describe('G9: a breaker that failures or a balance opened', () => {
  it.each(['failures', 'balance'] as const)('stops all but what brings funds home: %s', async (openedBy) => {
    const pipeline = await openWithPosition()
    await breakerOf(pipeline).trip('a drill', openedBy)
    const position = await newestPosition(pipeline)
    const weth = pipeline.token('WETH')
    await expectRefused(pipeline, swapIntent(pipeline, '1'), code)
    await expectRefused(pipeline, await planAdd(pipeline, entry), code)
    await expectRefused(pipeline, await planIncrease(pipeline, position, { amount0: 10n ** 15n, amount1: null }), code)
    // What trades or deposits is not even simulated.
    expect(pipeline.trace).not.toContain('rpc eth_simulateV1')
    await expectRefused(pipeline, approveIntent(pipeline, pipeline.chain.amm.v3!.swapRouter02, '1'), code)
    await expectRefused(pipeline, wrapIntent(pipeline, '0xd0e30db0', 10n ** 15n, [pipeline.token('ETH'), weth]), code)
    for (const intent of [
      swapIntent(pipeline, '1'),
      approveIntent(pipeline, pipeline.chain.amm.v3!.swapRouter02, '1'),
    ]) {
      const { policy } = plannedOf(await pipeline.run(intent, { dryRun: true })).plan
      expect(policy.refusals.map((one) => one.code)).toEqual([code])
    }
    await pipeline.run(await removal(pipeline))
    expect((await newestPosition(pipeline)).liquidity).toBe(0n)
    expect(await breakerOf(pipeline).stops()).toBe('all-but-ways-home')
  })

  it('lets the allowance pass that shares of a pair need on their way home, and takes it back', async () => {
    const pipeline = await openWithPosition('v2')
    await breakerOf(pipeline).trip('a drill', 'balance')
    const intent = await ofShares(pipeline)
    const [{ token, spender }] = intent.approvals as [Intent['approvals'][number]]
    await pipeline.run(intent)
    const share = { address: token, abi: [allowanceAbi, balanceAbi] as const }
    const client = pipeline.rpc.client(pipeline.chain)
    expect(await client.readContract({ ...share, functionName: 'balanceOf', args: [pipeline.wallet] })).toBe(0n)
    expect(await client.readContract({ ...share, functionName: 'allowance', args: [pipeline.wallet, spender] })).toBe(
      0n,
    )
  })

  it('stops what pays somebody else, also one whom the operator lists, and what may do so unread', async () => {
    const friend = getAddress('0x00000000000000000000000000000000000f41e4')
    const listed = { [`${devnet().chainId}`]: [friend] }
    const pipeline = await openWithPosition('v2', { recipients: listed, contracts: listed })
    await pipeline.run(await planAdd(pipeline, entry))
    await moveThePrice(pipeline)
    await breakerOf(pipeline).trip('a drill', 'failures')
    pipeline.trace.length = 0
    await expectRefused(pipeline, { ...(await collecting(pipeline)), recipients: [friend] }, code)
    await expectRefused(pipeline, { ...(await ofShares(pipeline, friend)), recipients: [pipeline.wallet] }, code)
    const unread = { to: friend, data: '0x12345678', valueWei: 0n, label: 'claim' } as const
    const claim = { ...(await collecting(pipeline)), calls: [unread], receives: [] }
    await expectRefused(pipeline, claim, code)
    expect(pipeline.trace).not.toContain('rpc eth_simulateV1')
  })

  it('stops what began as a way home and is none when it is played again', async () => {
    const pipeline = await openWithPosition()
    await moveThePrice(pipeline)
    await breakerOf(pipeline).trip('a drill', 'balance')
    const intent = { ...(await collecting(pipeline)), receives: [] }
    let simulated = 0
    const silent = rewriting('eth_simulateV1', (answer) => ({ ...answer, result: withoutLogs(answer.result) }))
    pipeline.network.fetch = (input, init) => {
      if (!methodsIn(typeof init?.body === 'string' ? init.body : '').includes('eth_simulateV1'))
        return fetch(input, init)
      // Too old for its first signature, and then nothing arrives any more.
      pipeline.clock.offsetMs += 20_000
      return ++simulated === 1 ? fetch(input, init) : silent(input, init)
    }
    const nonce = await pipeline.nonce()
    await expect(pipeline.run(intent)).rejects.toMatchObject({ code })
    expect(simulated).toBe(2)
    expect(pipeline.trace).not.toContain('audit tx.intent')
    expect(await pipeline.nonce()).toBe(nonce)
    expect(await pipeline.store.ledger.open()).toEqual([])
    pipeline.network.fetch = fetch
    await pipeline.run(intent)
  })
})

describe('G9: what stops ways home too', () => {
  const cases: readonly (readonly [string, (pipeline: Pipeline) => Promise<unknown>])[] = [
    ['a call that ended worse than simulated', (pipeline) => trip(pipeline, 'drift')],
    [
      'the same while failures had it open',
      async (pipeline) => [await trip(pipeline, 'failures'), await trip(pipeline, 'drift')],
    ],
    ['a file of a version that did not say what opened it', (pipeline) => writeBreaker(pipeline, before)],
    ['a file that cannot be read', (pipeline) => writeBreaker(pipeline, 'garbage')],
  ]

  it.each(cases)('%s', async (_what, stop) => {
    const pipeline = await openWithPosition()
    await stop(pipeline)
    await expectRefused(pipeline, await removal(pipeline), code)
    expect(pipeline.trace).not.toContain('rpc eth_simulateV1')
  })

  it('the kill switch, whatever the breaker lets pass', async () => {
    const pipeline = await openWithPosition()
    await trip(pipeline, 'failures')
    await pause(pipeline, { by: 'operator:ada', at: new Date().toISOString(), reason: null })
    await expectRefused(pipeline, await removal(pipeline), 'SERVER_PAUSED')
  })
})

const before = JSON.stringify({ consecutiveFailures: 5, openedAt: '2026-01-01T00:00:00.000Z', cause: 'five in a row' })

function trip(pipeline: Pipeline, openedBy: OpenedBy): Promise<boolean> {
  return breakerOf(pipeline).trip('a drill', openedBy)
}

function writeBreaker({ dataDir }: Pipeline, text: string): Promise<void> {
  return writeFile(join(dataDir, 'breaker.json'), text)
}

function withoutLogs(result: unknown): unknown {
  return JSON.parse(JSON.stringify(result), (key, value: unknown) => (key === 'logs' ? [] : value))
}

const uint256 = [{ type: 'uint256', name: '' }] as const
const address = { type: 'address', name: '' } as const
const viewing = { type: 'function', stateMutability: 'view', outputs: uint256 } as const
const allowanceAbi = { ...viewing, name: 'allowance', inputs: [address, address] } as const
const balanceAbi = { ...viewing, name: 'balanceOf', inputs: [address] } as const
