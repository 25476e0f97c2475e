import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { useDevnet } from '@svc/devnet/testing'
import { createTestClient, createWalletClient, http, parseUnits } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { expectRefused } from '../fixtures/expect-refused.fixture.ts'
import { swapIntent } from '../fixtures/intents.fixture.ts'
import { mineNothing } from '../fixtures/mining.fixture.ts'
import { afterSending, answering, beforeSending, mangling } from '../fixtures/network.fixture.ts'
import type { Pipeline } from '../fixtures/open-pipeline.fixture.ts'
import { plannedOf, settledOf, tellTroubles, testClient, used } from '../fixtures/pipeline-facts.fixture.ts'
import { simulationHash } from '../simulation/asset-changes.ts'
import { storeEngines } from '../fixtures/store-engines.fixture.ts'
import { usePipelines } from '../fixtures/use-pipelines.fixture.ts'

const devnet = useDevnet()

afterEach(async () => {
  const node = createTestClient({ mode: 'anvil', transport: http(devnet().rpcUrl) })
  await node.request({ method: 'anvil_dropAllTransactions' } as never)
  await node.setAutomine(true)
})

describe.each(storeEngines)('on $engine', ({ usePlaces }) => {
  const { open, close } = usePipelines(devnet, usePlaces())

  it('G2: what is sent stands in journal, ledger and audit log before its first byte leaves, and what is owed for it', async () => {
    const pipeline = await open()
    const held: unknown[] = []
    beforeSending(pipeline, 2, async () => {
      const [entry] = await pipeline.store.journal.open(pipeline.chain.id, pipeline.wallet)
      const [reservation] = await pipeline.store.ledger.open()
      const intents = (await pipeline.auditLines()).filter(({ event }) => event === 'tx.intent').length
      const owed = await pipeline.store.pendingRevocations.list()
      held.push({
        state: entry?.state,
        draws: entry?.reservationId === reservation?.id,
        intents,
        owed: owed.map(({ token }) => token),
      })
    })
    await pipeline.run(swapIntent(pipeline, '100'))
    expect(held).toEqual([{ state: 'signed', draws: true, intents: 2, owed: [pipeline.token('USDC')] }])
  })

  it('G3: a nonce that somebody else took with the same key leaves no gap, and the next write goes through', async () => {
    const pipeline = await open()
    const account = privateKeyToAccount(pipeline.privateKey)
    const elsewhere = createWalletClient({ account, transport: http(pipeline.devnet.rpcUrl) })
    await elsewhere.sendTransaction({ chain: null, to: account.address, value: 1n })
    expect(settledOf(await pipeline.run(swapIntent(pipeline, '100'))).transactions).toHaveLength(2)
    expect([
      await pipeline.nonce(),
      await pipeline.store.journal.nextNonce(pipeline.chain.id, pipeline.wallet),
    ]).toEqual([3, 3])
  })

  it('G9: an open breaker stops signing, stays open over a restart, and only the operator closes it', async () => {
    const pipeline = await open()
    const state = { consecutiveFailures: 5, openedAt: '2026-01-01T00:00:00.000Z', cause: 'a drop' }
    await writeFile(join(pipeline.dataDir, 'breaker.json'), JSON.stringify(state))
    await expectRefused(pipeline, swapIntent(pipeline, '1'), 'CIRCUIT_BREAKER_OPEN')
    await close(pipeline)
    const again = await open({ dataDir: pipeline.dataDir, privateKey: pipeline.privateKey })
    await expectRefused(again, swapIntent(again, '1'), 'CIRCUIT_BREAKER_OPEN')
    await rm(join(pipeline.dataDir, 'breaker.json'))
    await again.run(swapIntent(again, '1'))
  })

  describe('G10: nothing is signed unsimulated', () => {
    const strict = { allowlist: { mode: 'strict' }, approvalThresholdUsd: null } as const

    it('an endpoint that cannot simulate, or answers nonsense, gets no signature', async () => {
      const pipeline = await open({ policy: strict })
      pipeline.network.fetch = answering('eth_simulateV1', { code: -32601, message: 'the method does not exist' })
      await expectRefused(pipeline, swapIntent(pipeline, '1'), 'SIMULATION_UNAVAILABLE')
      pipeline.network.fetch = mangling('eth_simulateV1', () => [{ calls: [] }])
      await expectRefused(pipeline, swapIntent(pipeline, '1'), 'SIMULATION_UNAVAILABLE')
    })

    it('the audit line of each signature names the block it was simulated at', async () => {
      const pipeline = await open({ policy: strict })
      await pipeline.run(swapIntent(pipeline, '1'))
      const intents = (await pipeline.auditLines()).filter(({ event }) => event === 'tx.intent')
      expect(intents.map(({ simulatedAtBlock }) => Number(simulatedAtBlock) > 0)).toEqual([true, true])
    })

    it('the hash of its result stands in the line before each signature, and anybody can work it out again', async () => {
      const pipeline = await open({ policy: strict })
      await pipeline.run(swapIntent(pipeline, '1'))
      const lines = await pipeline.auditLines()
      const intents = lines.filter(({ event }) => event === 'tx.intent')
      const simulated = lines.filter(({ event }) => event === 'tx.simulated')
      expect(intents).toHaveLength(2)
      for (const { seq, simulatedAtBlock, simulationHash: named } of intents) {
        const before = simulated.filter(
          (line) => line['block'] === simulatedAtBlock && Number(line['seq']) < Number(seq),
        )
        expect(before.map(hashOfLine)).toContain(named)
      }
    })

    it('the hash of its result stands in a plan that is stored, and in the line that asks for a person', async () => {
      const pipeline = await open({ policy: { approvalThresholdUsd: '5' } })
      const { plan } = plannedOf(await pipeline.run(swapIntent(pipeline, '1'), { dryRun: true }))
      expect(plan.simulationHash).toMatch(/^0x[0-9a-f]{64}$/)
      expect(await storedHash(pipeline, plan.planId)).toBe(plan.simulationHash)
      await expect(pipeline.run(swapIntent(pipeline, '6'))).rejects.toMatchObject({ code: 'APPROVAL_REQUIRED' })
      const asked = (await pipeline.auditLines()).find(({ event }) => event === 'tx.approval.requested')
      expect(asked?.['simulationHash']).toMatch(/^0x[0-9a-f]{64}$/)
      expect(asked?.['simulationHash']).toBe(await storedHash(pipeline, String(asked?.['operationId'])))
    })
  })

  describe.each([1, 2, 3])('G11: a reorg %s deep is no success and no failure', (depth) => {
    it.each(['waits in the pool', 'is in a block', 'was seen in a block'])(
      'the same bytes are mined once in the end, and the approval is taken back by what %s',
      async (place) => {
        const pipeline = await open({ chain: { confirmations: 5 } })
        tellTroubles(pipeline)
        const client = testClient(pipeline)
        const before = await pipeline.balance('USDC')
        // So that no reorg takes the money away that the wallet began with.
        await client.mine({ blocks: depth })
        // Blocks come on command: one that anvil mines by itself during a reorg outlives it, without the state before it.
        await mineNothing(pipeline)
        afterSending(pipeline, 1, () => client.mine({ blocks: 1 }))
        await expect(pipeline.run(swapIntent(pipeline, '100'))).rejects.toMatchObject({ code: 'TRANSACTION_PENDING' })
        if (place !== 'waits in the pool') await client.mine({ blocks: 1 })
        if (place === 'was seen in a block') await pipeline.executor.reconcile()
        expect(await pipeline.nonce()).toBe(place === 'waits in the pool' ? 1 : 2)
        await client.request({ method: 'anvil_reorg', params: [depth, []] } as never)
        await expect.poll(() => endsAfterMining(pipeline)).toBe(true)
        for (const nonce of [0, 1]) {
          const attempts = await pipeline.store.journal.byNonce(pipeline.chain.id, pipeline.wallet, nonce)
          expect(attempts).toMatchObject([{ state: 'final', attempt: 0 }])
        }
        expect(await pipeline.balance('USDC')).toBe(before)
        expect(await pipeline.allowance('USDC', pipeline.chain.amm.v3!.swapRouter02)).toBe(0n)
        expect(await used(pipeline)).toBe(0n)
        await pipeline.executor.reconcile()
        expect([await pipeline.nonce(), await pipeline.store.pendingRevocations.list()]).toEqual([2, []])
      },
    )
  })

  describe('G12: the kill switch', () => {
    it('stops a call between two of its signatures, and lets it go on when it is lifted', async () => {
      const pipeline = await open()
      afterSending(pipeline, 1, () => writeFile(join(pipeline.dataDir, 'paused'), ''))
      await expect(pipeline.run(swapIntent(pipeline, '300'))).rejects.toMatchObject({ code: 'SERVER_PAUSED' })
      expect([await pipeline.nonce(), await pipeline.balance('USDC')]).toEqual([1, parseUnits('20000', 6)])
      await rm(join(pipeline.dataDir, 'paused'))
      await pipeline.run(swapIntent(pipeline, '300'))
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

async function storedHash(pipeline: Pipeline, id: string): Promise<unknown> {
  const operation = await pipeline.store.operations.byId(id)
  return z.object({ simulationHash: z.string() }).parse(JSON.parse(operation!.plan)).simulationHash
}

/** One block more, and what the server makes of it. */
async function endsAfterMining(pipeline: Pipeline): Promise<boolean> {
  await testClient(pipeline).mine({ blocks: 1 })
  await pipeline.executor.reconcile()
  const open = await pipeline.store.journal.open(pipeline.chain.id, pipeline.wallet)
  return open.length === 0 && (await pipeline.store.ledger.open()).length === 0
}
