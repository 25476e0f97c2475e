import { readdirSync } from 'node:fs'
import { useDevnet } from '@svc/devnet/testing'
import { parseUnits } from 'viem'
import { describe, expect, it } from 'vitest'
import { swapIntent } from '../fixtures/intents.fixture.ts'
import { methodsIn } from '../fixtures/network.fixture.ts'
import type { Pipeline } from '../fixtures/open-pipeline.fixture.ts'
import { principalOf, used } from '../fixtures/pipeline-facts.fixture.ts'
import { type SmallDisk, smallDisks } from '../fixtures/small-disk.fixture.ts'
import { usePipelines } from '../fixtures/use-pipelines.fixture.ts'
import { verifyAuditLog } from '../audit/read-audit-log.ts'

const devnet = useDevnet()
const { open, close } = usePipelines(devnet)

describe('G2: a full disk', () => {
  it.each(smallDisks())(
    'stops writes and nothing else, tears no file, and is forgotten once there is room (%s)',
    async (_name, make) => {
      const disk = make()
      try {
        await fillAndFree(disk)
      } finally {
        disk.dispose()
      }
    },
    120_000,
  )
})

async function fillAndFree(disk: SmallDisk): Promise<void> {
  const pipeline = await open({ dataDir: disk.path })
  await pipeline.run(swapIntent(pipeline, '100'))
  const before = { nonce: await pipeline.nonce(), requests: pipeline.network.requests.length }
  disk.fill()
  const refused = await pipeline.run(swapIntent(pipeline, '100')).catch((error: unknown) => error)
  expect(refused).toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
  expect(await pipeline.nonce()).toBe(before.nonce)
  expect(sendsOf(pipeline, before.requests)).toBe(0)
  // What only reads goes on.
  expect(await pipeline.executor.safetyReport(principalOf())).toMatchObject({ paused: false })
  expect(await pipeline.balance('USDC')).toBe(parseUnits('19900', 6))
  // As room comes back bit by bit, a write may get further; what is signed always has its line in the audit log. What is sent and
  // cannot be noted as mined is waited for until patience ends, for there is no room before.
  pipeline.patience.isShort = true
  for (const pages of [1, 2, 4, 7, 12]) {
    disk.leave(pages * 4_096)
    const code = await pipeline.run(swapIntent(pipeline, '10')).then(
      () => 'done',
      (error: { code?: string }) => error.code,
    )
    expect(honest).toContain(code)
    disk.fill()
    expect(await signedWithoutAudit(pipeline)).toEqual([])
  }
  pipeline.patience.isShort = false
  disk.leave(2 * 1_024 * 1_024)
  await pipeline.run(swapIntent(pipeline, '100'))
  expect(await pipeline.allowance('USDC', pipeline.chain.amm.v3!.swapRouter02)).toBe(0n)
  expect(await used(pipeline)).toBe(parseUnits('20000', 6) - (await pipeline.balance('USDC')))
  expect(await pipeline.store.ledger.open()).toEqual([])
  expect(await pipeline.store.pendingRevocations.list()).toEqual([])
  await close(pipeline)
  expect(await verifyAuditLog(disk.path)).toMatchObject({ broken: null })
  expect(readdirSync(disk.path).filter((name) => name.endsWith('.tmp'))).toEqual([])
}

/** None of them says that nothing happened where something did. */
const honest = ['done', 'STORAGE_UNAVAILABLE', 'OPERATION_INCOMPLETE', 'TRANSACTION_PENDING', 'WALLET_BUSY']

function sendsOf(pipeline: Pipeline, since: number): number {
  return pipeline.network.requests
    .slice(since)
    .flatMap(methodsIn)
    .filter((method) => method === 'eth_sendRawTransaction').length
}

/** Nonces the journal holds, less the lines that were on disk before each signature. */
async function signedWithoutAudit(pipeline: Pipeline): Promise<readonly number[]> {
  const lines = (await pipeline.auditLines()).filter(({ event }) => event === 'tx.intent').length
  const next = (await pipeline.store.journal.nextNonce(pipeline.chain.id, pipeline.wallet)) ?? 0
  return next <= lines ? [] : [next, lines]
}
