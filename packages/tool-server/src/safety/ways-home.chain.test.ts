import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { useDevnet } from '@svc/devnet/testing'
import { getAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import type { Intent } from '../intent.ts'
import type { PairShare } from '../ports/liquidity.ts'
import { createCircuitBreaker, type OpenedBy } from './circuit-breaker.ts'
import { expectRefused } from './expect-refused.fixture.ts'
import { newestPosition, planAdd, planIncrease, removal } from './fair-value/deposit-plans.fixture.ts'
import { chainDeadline, lenient } from './fair-value/plans.fixture.ts'
import { approveIntent, swapIntent, wrapIntent } from './intents.fixture.ts'
import { pause } from './kill-switch.ts'
import { methodsIn, rewriting } from './network.fixture.ts'
import type { Road } from './open-road.fixture.ts'
import { parsePolicy } from './policy.ts'
import { moveThePrice, plannedOf } from './road-facts.fixture.ts'
import { useRoads } from './use-roads.fixture.ts'

const devnet = useDevnet()
const { open } = useRoads(devnet)

const breakerOf = ({ dataDir }: Road) =>
  createCircuitBreaker({ dataDir, limits: () => parsePolicy({}, { production: false }).breaker, now: Date.now })

const code = 'CIRCUIT_BREAKER_OPEN'
const entry = { pair: ['WETH', 'USDC'], fee: 500, amount0: '1' } as const

async function openWithPosition(version: 'v2' | 'v3' = 'v3', policy: object = {}): Promise<Road> {
  const road = await open({ policy: { ...lenient, ...policy } })
  await road.run(await planAdd(road, { ...entry, version }))
  road.trace.length = 0
  return road
}

async function ofShares(road: Road, recipient = road.wallet): Promise<Intent> {
  const { items } = await road.liquidity.positionsByOwner(road.chain, road.wallet, ['v2'])
  const share = items.find((item): item is PairShare => item.version === 'v2')!
  const deadline = Number(await chainDeadline(road))
  const asked = { percentage: 100, collectFees: true, slippageBps: 50, deadline, recipient }
  return (await road.liquidity.planRemove(road.chain, share, asked)).intent
}

async function collecting(road: Road): Promise<Intent> {
  const deadline = Number(await chainDeadline(road))
  return (
    await road.liquidity.planCollect(road.chain, await newestPosition(road), { deadline, recipient: road.wallet })
  ).intent
}

describe('G9: a breaker that failures or a balance opened', () => {
  it.each(['failures', 'balance'] as const)('stops all but what brings funds home: %s', async (openedBy) => {
    const road = await openWithPosition()
    await breakerOf(road).trip('a drill', openedBy)
    const position = await newestPosition(road)
    const weth = road.token('WETH')
    await expectRefused(road, swapIntent(road, '1'), code)
    await expectRefused(road, await planAdd(road, entry), code)
    await expectRefused(road, await planIncrease(road, position, { amount0: 10n ** 15n, amount1: null }), code)
    // What trades or deposits is not even simulated.
    expect(road.trace).not.toContain('rpc eth_simulateV1')
    await expectRefused(road, approveIntent(road, road.chain.amm.v3!.swapRouter02, '1'), code)
    await expectRefused(road, wrapIntent(road, '0xd0e30db0', 10n ** 15n, [road.token('ETH'), weth]), code)
    for (const intent of [swapIntent(road, '1'), approveIntent(road, road.chain.amm.v3!.swapRouter02, '1')]) {
      const { policy } = plannedOf(await road.run(intent, { dryRun: true })).plan
      expect(policy.refusals.map((one) => one.code)).toEqual([code])
    }
    await road.run(await removal(road))
    expect((await newestPosition(road)).liquidity).toBe(0n)
    expect(await breakerOf(road).stops()).toBe('all-but-ways-home')
  })

  it('lets the allowance pass that shares of a pair need on their way home, and takes it back', async () => {
    const road = await openWithPosition('v2')
    await breakerOf(road).trip('a drill', 'balance')
    const intent = await ofShares(road)
    const [{ token, spender }] = intent.approvals as [Intent['approvals'][number]]
    await road.run(intent)
    const share = { address: token, abi: [allowanceAbi, balanceAbi] as const }
    const client = road.rpc.client(road.chain)
    expect(await client.readContract({ ...share, functionName: 'balanceOf', args: [road.wallet] })).toBe(0n)
    expect(await client.readContract({ ...share, functionName: 'allowance', args: [road.wallet, spender] })).toBe(0n)
  })

  it('stops what pays somebody else, also one whom the operator lists, and what may do so unread', async () => {
    const friend = getAddress('0x00000000000000000000000000000000000f41e4')
    const listed = { [`${devnet().chainId}`]: [friend] }
    const road = await openWithPosition('v2', { recipients: listed, contracts: listed })
    await road.run(await planAdd(road, entry))
    await moveThePrice(road)
    await breakerOf(road).trip('a drill', 'failures')
    road.trace.length = 0
    await expectRefused(road, { ...(await collecting(road)), recipients: [friend] }, code)
    await expectRefused(road, { ...(await ofShares(road, friend)), recipients: [road.wallet] }, code)
    const unread = { to: friend, data: '0x12345678', valueWei: 0n, label: 'claim' } as const
    const claim = { ...(await collecting(road)), calls: [unread], receives: [] }
    await expectRefused(road, claim, code)
    expect(road.trace).not.toContain('rpc eth_simulateV1')
  })

  it('stops what began as a way home and is none when it is played again', async () => {
    const road = await openWithPosition()
    await moveThePrice(road)
    await breakerOf(road).trip('a drill', 'balance')
    const intent = { ...(await collecting(road)), receives: [] }
    let played = 0
    const silent = rewriting('eth_simulateV1', (answer) => ({ ...answer, result: withoutLogs(answer.result) }))
    road.network.fetch = (input, init) => {
      if (!methodsIn(typeof init?.body === 'string' ? init.body : '').includes('eth_simulateV1'))
        return fetch(input, init)
      // Too old for its first signature, and then nothing arrives any more.
      road.clock.offsetMs += 20_000
      return ++played === 1 ? fetch(input, init) : silent(input, init)
    }
    const nonce = await road.nonce()
    await expect(road.run(intent)).rejects.toMatchObject({ code })
    expect(played).toBe(2)
    expect(road.trace).not.toContain('audit tx.intent')
    expect(await road.nonce()).toBe(nonce)
    expect(await road.store.ledger.open()).toEqual([])
    road.network.fetch = fetch
    await road.run(intent)
  })
})

describe('G9: what stops ways home too', () => {
  const cases: readonly (readonly [string, (road: Road) => Promise<unknown>])[] = [
    ['a call that ended worse than simulated', (road) => trip(road, 'drift')],
    ['the same while failures had it open', async (road) => [await trip(road, 'failures'), await trip(road, 'drift')]],
    ['a file of a version that did not say what opened it', (road) => writeBreaker(road, before)],
    ['a file that cannot be read', (road) => writeBreaker(road, 'garbage')],
  ]

  it.each(cases)('%s', async (_what, stop) => {
    const road = await openWithPosition()
    await stop(road)
    await expectRefused(road, await removal(road), code)
    expect(road.trace).not.toContain('rpc eth_simulateV1')
  })

  it('the kill switch, whatever the breaker lets pass', async () => {
    const road = await openWithPosition()
    await trip(road, 'failures')
    await pause(road.dataDir, { by: 'operator:ada', at: new Date().toISOString(), reason: null })
    await expectRefused(road, await removal(road), 'SERVER_PAUSED')
  })
})

const before = JSON.stringify({ consecutiveFailures: 5, openedAt: '2026-01-01T00:00:00.000Z', cause: 'five in a row' })

function trip(road: Road, openedBy: OpenedBy): Promise<boolean> {
  return breakerOf(road).trip('a drill', openedBy)
}

function writeBreaker({ dataDir }: Road, text: string): Promise<void> {
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
