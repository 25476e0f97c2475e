import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { useDevnet } from '@svc/devnet/testing'
import { createTestClient, createWalletClient, http, parseUnits } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { expectRefused } from '../expect-refused.fixture.ts'
import { swapIntent } from '../intents.fixture.ts'
import { mineNothing } from '../mining.fixture.ts'
import { afterSending, answering, beforeSending, mangling } from '../network.fixture.ts'
import type { Road } from '../open-road.fixture.ts'
import { createOwedAllowances } from '../owed-allowances.ts'
import { plannedOf, settledOf, tellTroubles, testClient, used } from '../road-facts.fixture.ts'
import { simulationHash } from '../simulation-hash.ts'
import { storeEngines } from '../store-engines.fixture.ts'
import { useRoads } from '../use-roads.fixture.ts'

const devnet = useDevnet()

afterEach(async () => {
  const node = createTestClient({ mode: 'anvil', transport: http(devnet().rpcUrl) })
  await node.request({ method: 'anvil_dropAllTransactions' } as never)
  await node.setAutomine(true)
})

describe.each(storeEngines)('on $engine', ({ usePlaces }) => {
  const { open, close } = useRoads(devnet, usePlaces())

  it('G2: what is sent stands in journal, ledger and audit log before its first byte leaves', async () => {
    const road = await open()
    const held: unknown[] = []
    beforeSending(road, 2, async () => {
      const [entry] = await road.store.journal.open(road.chain.id, road.wallet)
      const [reservation] = await road.store.ledger.open()
      const intents = (await road.auditLines()).filter(({ event }) => event === 'tx.intent').length
      held.push({ state: entry?.state, draws: entry?.reservationId === reservation?.id, intents })
    })
    await road.run(swapIntent(road, '100'))
    expect(held).toEqual([{ state: 'signed', draws: true, intents: 2 }])
  })

  it('G3: a nonce that somebody else took with the same key leaves no gap, and the next write goes through', async () => {
    const road = await open()
    const account = privateKeyToAccount(road.privateKey)
    const elsewhere = createWalletClient({ account, transport: http(road.devnet.rpcUrl) })
    await elsewhere.sendTransaction({ chain: null, to: account.address, value: 1n })
    expect(settledOf(await road.run(swapIntent(road, '100'))).transactions).toHaveLength(2)
    expect([await road.nonce(), await road.store.journal.nextNonce(road.chain.id, road.wallet)]).toEqual([3, 3])
  })

  it('G9: an open breaker stops signing, stays open over a restart, and only the operator closes it', async () => {
    const road = await open()
    const state = { consecutiveFailures: 5, openedAt: '2026-01-01T00:00:00.000Z', cause: 'a drop' }
    await writeFile(join(road.dataDir, 'breaker.json'), JSON.stringify(state))
    await expectRefused(road, swapIntent(road, '1'), 'CIRCUIT_BREAKER_OPEN')
    await close(road)
    const again = await open({ dataDir: road.dataDir, privateKey: road.privateKey })
    await expectRefused(again, swapIntent(again, '1'), 'CIRCUIT_BREAKER_OPEN')
    await rm(join(road.dataDir, 'breaker.json'))
    await again.run(swapIntent(again, '1'))
  })

  describe('G10: nothing is signed unsimulated', () => {
    const strict = { allowlist: { mode: 'strict' }, approvalThresholdUsd: null } as const

    it('an endpoint that cannot simulate, or answers nonsense, gets no signature', async () => {
      const road = await open({ policy: strict })
      road.network.fetch = answering('eth_simulateV1', { code: -32601, message: 'the method does not exist' })
      await expectRefused(road, swapIntent(road, '1'), 'SIMULATION_UNAVAILABLE')
      road.network.fetch = mangling('eth_simulateV1', () => [{ calls: [] }])
      await expectRefused(road, swapIntent(road, '1'), 'SIMULATION_UNAVAILABLE')
    })

    it('the audit line of each signature names the block it was simulated at', async () => {
      const road = await open({ policy: strict })
      await road.run(swapIntent(road, '1'))
      const intents = (await road.auditLines()).filter(({ event }) => event === 'tx.intent')
      expect(intents.map(({ simulatedAtBlock }) => Number(simulatedAtBlock) > 0)).toEqual([true, true])
    })

    it('the hash of its result stands in the line before each signature, and anybody can work it out again', async () => {
      const road = await open({ policy: strict })
      await road.run(swapIntent(road, '1'))
      const lines = await road.auditLines()
      const intents = lines.filter(({ event }) => event === 'tx.intent')
      const played = lines.filter(({ event }) => event === 'tx.simulated')
      expect(intents).toHaveLength(2)
      for (const { seq, simulatedAtBlock, simulationHash: named } of intents) {
        const before = played.filter((line) => line['block'] === simulatedAtBlock && Number(line['seq']) < Number(seq))
        expect(before.map(hashOfLine)).toContain(named)
      }
    })

    it('the hash of its result stands in a plan that is stored, and in the line that asks for a person', async () => {
      const road = await open({ policy: { approvalThresholdUsd: '5' } })
      const { plan } = plannedOf(await road.run(swapIntent(road, '1'), { dryRun: true }))
      expect(plan.simulationHash).toMatch(/^0x[0-9a-f]{64}$/)
      expect(await storedHash(road, plan.planId)).toBe(plan.simulationHash)
      await expect(road.run(swapIntent(road, '6'))).rejects.toMatchObject({ code: 'APPROVAL_REQUIRED' })
      const asked = (await road.auditLines()).find(({ event }) => event === 'tx.approval.requested')
      expect(asked?.['simulationHash']).toMatch(/^0x[0-9a-f]{64}$/)
      expect(asked?.['simulationHash']).toBe(await storedHash(road, String(asked?.['operationId'])))
    })
  })

  describe.each([1, 2, 3])('G11: a reorg %s deep is no success and no failure', (depth) => {
    it.each(['waits in the pool', 'is in a block', 'was seen in a block'])(
      'the same bytes are mined once in the end, and the approval is taken back by what %s',
      async (place) => {
        const road = await open({ chain: { confirmations: 5 } })
        tellTroubles(road)
        const client = testClient(road)
        const before = await road.balance('USDC')
        // So that no reorg takes the money away that the wallet began with.
        await client.mine({ blocks: depth })
        // Blocks come on command: one that anvil mines by itself during a reorg outlives it, without the state before it.
        await mineNothing(road)
        afterSending(road, 1, () => client.mine({ blocks: 1 }))
        await expect(road.run(swapIntent(road, '100'))).rejects.toMatchObject({ code: 'TRANSACTION_PENDING' })
        if (place !== 'waits in the pool') await client.mine({ blocks: 1 })
        if (place === 'was seen in a block') await road.executor.reconcile()
        expect(await road.nonce()).toBe(place === 'waits in the pool' ? 1 : 2)
        await client.request({ method: 'anvil_reorg', params: [depth, []] } as never)
        await expect.poll(() => endsAfterMining(road)).toBe(true)
        for (const nonce of [0, 1]) {
          const attempts = await road.store.journal.byNonce(road.chain.id, road.wallet, nonce)
          expect(attempts).toMatchObject([{ state: 'final', attempt: 0 }])
        }
        expect(await road.balance('USDC')).toBe(before)
        expect(await road.allowance('USDC', road.chain.amm.v3!.swapRouter02)).toBe(0n)
        expect(await used(road)).toBe(0n)
        await road.executor.reconcile()
        expect([await road.nonce(), await createOwedAllowances(road.dataDir).list()]).toEqual([2, []])
      },
    )
  })

  describe('G12: the kill switch', () => {
    it('stops a call between two of its signatures, and lets it go on when it is lifted', async () => {
      const road = await open()
      afterSending(road, 1, () => writeFile(join(road.dataDir, 'paused'), ''))
      await expect(road.run(swapIntent(road, '300'))).rejects.toMatchObject({ code: 'SERVER_PAUSED' })
      expect([await road.nonce(), await road.balance('USDC')]).toEqual([1, parseUnits('20000', 6)])
      await rm(join(road.dataDir, 'paused'))
      await road.run(swapIntent(road, '300'))
    })
  })
})

/** The hash of a simulation, from nothing but what its line says. */
function hashOfLine(line: Readonly<Record<string, unknown>>): string {
  const { chainId, wallet, block, atSeconds, steps, simulation } = lineSchema.parse(line)
  return simulationHash({
    chainId,
    wallet,
    block,
    atSeconds,
    steps,
    deltas: new Map(Object.entries(simulation.deltas)),
  })
}

const whole = z.string().transform(BigInt)
const hex = z.custom<`0x${string}`>((value) => typeof value === 'string' && value.startsWith('0x'))
const lineSchema = z.object({
  chainId: z.int(),
  wallet: hex,
  block: whole,
  atSeconds: z.int(),
  steps: z.array(z.object({ to: hex, data: hex, valueWei: whole })),
  simulation: z.object({ deltas: z.record(z.string(), whole) }),
})

async function storedHash(road: Road, id: string): Promise<unknown> {
  const operation = await road.store.operations.byId(id)
  return z.object({ simulationHash: z.string() }).parse(JSON.parse(operation!.plan)).simulationHash
}

/** One block more, and what the server makes of it. */
async function endsAfterMining(road: Road): Promise<boolean> {
  await testClient(road).mine({ blocks: 1 })
  await road.executor.reconcile()
  const open = await road.store.journal.open(road.chain.id, road.wallet)
  return open.length === 0 && (await road.store.ledger.open()).length === 0
}
