import { cp, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { useDevnet } from '@svc/devnet/testing'
import { createPublicClient, http, isAddressEqual } from 'viem'
import { describe, expect, it } from 'vitest'
import { mintIntent, swapIntent } from '../fixtures/intents.fixture.ts'
import { beforeSending } from '../fixtures/network.fixture.ts'
import type { Pipeline } from '../fixtures/open-pipeline.fixture.ts'
import { replayAuditDay, type Replayed } from './replay-audit-day.ts'
import { moveThePrice, quoteOf } from '../fixtures/pipeline-facts.fixture.ts'
import { usePipelines } from '../fixtures/use-pipelines.fixture.ts'
import { verifyAuditLog } from './read-audit-log.ts'

const devnet = useDevnet()
const { open } = usePipelines(devnet)

/** What an agent may do in a day: trade, open a position, be refused, plan, and fail on chain. */
async function day(pipeline: Pipeline): Promise<void> {
  await pipeline.run(swapIntent(pipeline, '300'))
  await pipeline.run(await mintIntent(pipeline))
  await pipeline.run(swapIntent(pipeline, '5'), { dryRun: true })
  await expect(pipeline.run(swapIntent(pipeline, '5', { intent: { slippageBps: 9_000 } }))).rejects.toMatchObject({
    code: 'SLIPPAGE_TOO_HIGH',
  })
  const minimumOut = await quoteOf(pipeline, '10')
  beforeSending(pipeline, 2, () => moveThePrice(pipeline))
  await expect(pipeline.run(swapIntent(pipeline, '10', { minimumOut }))).rejects.toMatchObject({
    code: 'TRANSACTION_REVERTED',
  })
  pipeline.network.fetch = fetch
  await pipeline.run(swapIntent(pipeline, '1'))
}

type Line = Readonly<Record<string, unknown>> & {
  readonly transaction?: Readonly<Record<string, unknown>>
  readonly result?: Readonly<Record<string, unknown>>
}

/** Every transaction of the wallet that the chain holds, oldest first. */
async function history(pipeline: Pipeline) {
  const client = createPublicClient({ transport: http(pipeline.devnet.rpcUrl) })
  const newest = await client.getBlockNumber()
  const blocks = await Promise.all(
    Array.from({ length: Number(newest) + 1 }, (_, number) =>
      client.getBlock({ blockNumber: BigInt(number), includeTransactions: true }),
    ),
  )
  return blocks
    .flatMap(({ transactions }) => transactions)
    .filter(({ from }) => isAddressEqual(from, pipeline.wallet))
    .sort((one, other) => one.nonce - other.nonce)
}

describe('a day on record', () => {
  it('holds each transaction of the chain once, and none besides', async () => {
    const pipeline = await open()
    await day(pipeline)
    // The last noted lines may still be on their way to the disk.
    await pipeline.audit.append({ event: 'audit.gap' })
    const lines = (await pipeline.auditLines()) as readonly Line[]
    const of = (...events: readonly string[]) => lines.filter(({ event }) => events.includes(String(event)))
    const sent = await history(pipeline)
    expect(sent.length).toBeGreaterThanOrEqual(9)
    const placed = (list: readonly Line[]) =>
      list.map(({ transaction }) => [transaction?.['nonce'], transaction?.['hash']])
    const onChain = sent.map(({ nonce, hash }) => [nonce, hash])
    expect(placed(of('tx.submitted'))).toEqual(onChain)
    const mined = of('tx.confirmed', 'tx.reverted')
    expect(placed(mined)).toEqual(onChain)
    expect(mined.map(({ result }) => result?.['block'])).toEqual(sent.map(({ blockNumber }) => `${blockNumber}`))
    const labels = (list: readonly Line[]) => list.map(({ transaction }) => transaction?.['label'])
    expect(labels(of('tx.submitted'))).toEqual(labels(of('tx.intent')))
    const aims = sent.map(({ to, input }) => [to?.toLowerCase(), input.slice(0, 10)])
    const intents = of('tx.intent').map(({ transaction }) => [
      String(transaction?.['to']).toLowerCase(),
      transaction?.['selector'],
    ])
    expect(intents).toEqual(aims)
    expect(of('tx.reverted')).toMatchObject([
      { result: { status: 'reverted', gasUsed: expect.stringMatching(/^\d+$/) } },
    ])
    expect(of('tx.refused', 'tx.failed').map(({ decision, result }) => [decision, result])).toEqual([
      [
        { verdict: 'deny', rule: 'SLIPPAGE_TOO_HIGH' },
        { status: 'refused', error: 'SLIPPAGE_TOO_HIGH' },
      ],
      [
        { verdict: 'allow', rule: null },
        { status: 'failed', error: 'TRANSACTION_REVERTED' },
      ],
    ])
    expect(of('tx.failed')).toHaveLength(1)
    const facts = {
      policyHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      paramsHash: expect.stringMatching(/^[0-9a-f]{64}$/),
    }
    const actor = { principal: 'api-key:7e57000000000000', stage: 'api-key', tier: 'write' }
    for (const line of of('tx.intent')) expect(line).toMatchObject({ actor, ...facts, decision: { verdict: 'allow' } })
    expect(await verifyAuditLog(pipeline.dataDir)).toMatchObject({ lines: lines.length, broken: null })
  })

  it('shows any byte that is turned', async () => {
    const pipeline = await open()
    await pipeline.run(swapIntent(pipeline, '1'))
    const folder = await mkdtemp(join(tmpdir(), 'audit-'))
    const bytes = await readFile(join(pipeline.dataDir, 'audit.jsonl'))
    for (let place = 3; place < bytes.length - 1; place += 97) {
      const forged = Buffer.from(bytes)
      forged[place] = (forged[place] ?? 0) ^ 1
      await writeFile(join(folder, 'audit.jsonl'), forged)
      expect([place, (await verifyAuditLog(folder)).broken === null]).toEqual([place, false])
    }
  })

  it('G10: agrees with the chain when it is played again, and says where it would not', async () => {
    const pipeline = await open()
    await day(pipeline)
    await pipeline.audit.append({ event: 'audit.gap' })
    const client = createPublicClient({ transport: http(pipeline.devnet.rpcUrl) })
    const replayed = async (dataDir: string, known = true) => {
      const rows: Replayed[] = []
      const today = new Date().toISOString().slice(0, 10)
      const options = { dataDir, now: Date.now, client: () => (known ? client : null) }
      for await (const row of replayAuditDay({ ...options, day: today })) rows.push(row)
      return rows
    }
    const rows = await replayed(pipeline.dataDir)
    const calls = rows.filter(({ step }) => !step.startsWith('take back'))
    expect(calls.length).toBeGreaterThanOrEqual(8)
    expect(calls.map(({ status }) => status)).toEqual(calls.map(() => 'agrees'))
    const nowhere = await replayed(pipeline.dataDir, false)
    expect(nowhere.find(({ step }) => step === 'swap')).toMatchObject({ why: expect.stringContaining('no endpoint') })

    const forged = await mkdtemp(join(tmpdir(), 'audit-'))
    await cp(join(pipeline.dataDir, 'audit.jsonl'), join(forged, 'audit.jsonl'))
    const text = await readFile(join(forged, 'audit.jsonl'), 'utf8')
    await writeFile(join(forged, 'audit.jsonl'), text.replaceAll('":"-300000000"', '":"-3000000"'))
    const differing = (await replayed(forged)).find(({ status }) => status === 'differs')
    expect(differing).toMatchObject({ tokens: [{ recorded: '-3000000', now: '-300000000' }] })

    // Played a second later it moves the same, but that is not what was signed on.
    const other = text.replace(
      /("event":"tx.simulated".*?"atSeconds":)(\d+)/,
      (_, before, at) => `${before}${Number(at) + 1}`,
    )
    await writeFile(join(forged, 'audit.jsonl'), other)
    const others = (await replayed(forged)).filter(({ status }) => status === 'differs')
    expect(others.length).toBeGreaterThan(0)
    expect(others).toMatchObject(others.map(() => ({ tokens: [] })))
  })
})
