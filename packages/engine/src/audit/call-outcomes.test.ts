import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type ErrorCode, errorTable, ToolError } from '@svc/amm'
import { type AuditEvent, openAuditLog } from './audit.ts'
import { createCallOutcomes, paramsHash } from './call-outcomes.ts'
import { callOf } from '../fixtures/open-pipeline.fixture.ts'

/** The lines of one call over a real log: what the pipeline wrote of it, and how it ended. */
async function linesOf(pipeline: readonly AuditEvent[], failure: ToolError | null) {
  const path = join(await mkdtemp(join(tmpdir(), 'outcomes-')), 'audit.jsonl')
  const outcomes = createCallOutcomes(await openAuditLog({ path, now: Date.now }))
  const call = callOf()
  const ended = outcomes.begin(call)
  for (const { event, code } of pipeline) await outcomes.audit.append({ event, requestId: call.requestId, code })
  ended(failure)
  ended(failure)
  await outcomes.audit.close()
  const lines = (await readFile(path, 'utf8')).trim().split('\n')
  return lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>).slice(1 + pipeline.length)
}

const error = (code: ErrorCode, operationId?: string) =>
  new ToolError(code, 'No.', operationId === undefined ? {} : { details: [{ message: 'It.', operationId }] })

it.each([
  ['TOKEN_NOT_FOUND', 'tx.refused', 'allow'],
  ['APPROVAL_DENIED', 'tx.refused', 'deny'],
  ['SERVER_PAUSED', 'tx.refused', 'deny'],
  ['CIRCUIT_BREAKER_OPEN', 'tx.refused', 'deny'],
  ['HOOK_NOT_SUPPORTED', 'tx.refused', 'deny'],
  ['NO_TWAMM_HOOK', 'tx.refused', 'deny'],
  ['OPERATION_STATE', 'tx.refused', 'allow'],
  ['RPC_UNAVAILABLE', 'tx.failed', 'allow'],
] as const)(
  'writes one outcome for a call that ended with %s before it came to the pipeline',
  async (code, event, verdict) => {
    expect(await linesOf([], error(code, 'op'))).toMatchObject([
      { event, code, operationId: 'op', decision: { verdict }, result: { error: code } },
    ])
  },
)

it('calls nothing refused of which something was signed', async () => {
  expect(await linesOf([{ event: 'tx.intent' }], error('SPENDING_LIMIT_EXCEEDED'))).toMatchObject([
    { event: 'tx.failed' },
  ])
})

it('writes none where the pipeline has, where the call waits for a person, and where it did what it should', async () => {
  const refused = { event: 'tx.refused', code: 'SLIPPAGE_TOO_HIGH' } as const
  expect(await linesOf([refused], error('SLIPPAGE_TOO_HIGH'))).toEqual([])
  expect(await linesOf([refused, { event: 'tx.settled' }], error('INTERNAL'))).toEqual([])
  expect(await linesOf([{ event: 'tx.approval.requested' }], error('APPROVAL_REQUIRED', 'op'))).toEqual([])
  expect(await linesOf([], null)).toEqual([])
})

it.each(Object.keys(errorTable) as ErrorCode[])('has the code that the caller hears, which is %s', async (code) => {
  expect(await notedOf([], error(code))).toMatchObject([{ code, result: { error: code } }])
  const pipelineCode = code === 'SIMULATION_FAILED' ? 'SLIPPAGE_TOO_HIGH' : 'SIMULATION_FAILED'
  for (const event of ['tx.refused', 'tx.failed'] as const) {
    expect(await notedOf([{ event, code }], error(code))).toEqual([])
    const other = await notedOf([{ event, code: pipelineCode }], error(code))
    expect(other).toMatchObject([{ event: 'tool.answered', code, pipelineCode }])
  }
})

/** What is noted of a call beside what the pipeline wrote, and beside that it was asked for. */
async function notedOf(pipeline: readonly AuditEvent[], failure: ToolError): Promise<readonly AuditEvent[]> {
  const noted: AuditEvent[] = []
  const none = async () => {}
  const outcomes = createCallOutcomes({ append: none, note: (event) => void noted.push(event), close: none })
  const call = callOf()
  const ended = outcomes.begin(call)
  for (const event of pipeline) await outcomes.audit.append({ ...event, requestId: call.requestId })
  ended(failure)
  return noted.slice(1)
}

it('says of a call whose equal waits already which that is, and of one that a person denied that it was', async () => {
  const again = await linesOf([], error('APPROVAL_REQUIRED', 'op'))
  expect(again).toMatchObject([{ event: 'tx.refused', operationId: 'op', decision: { verdict: 'needs_approval' } }])
  const denied = await linesOf([{ event: 'tx.approval.requested' }], error('APPROVAL_DENIED', 'op'))
  expect(denied).toMatchObject([{ event: 'tx.refused', code: 'APPROVAL_DENIED' }])
})

it('hashes arguments alike whatever the order of their members, and differently for any other value', () => {
  const one = paramsHash({ amount: '1', nested: { a: [1, 2], b: 5n } })
  expect(paramsHash({ nested: { b: 5n, a: [1, 2] }, amount: '1' })).toBe(one)
  expect(paramsHash({ amount: '1', nested: { a: [2, 1], b: 5n } })).not.toBe(one)
  expect(paramsHash({})).toMatch(/^[0-9a-f]{64}$/)
})
