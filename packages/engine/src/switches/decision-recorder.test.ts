import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore, type NewOperation } from '@svc/store'
import { expect, it } from 'vitest'
import { openAuditLog } from '../audit/audit.ts'
import { createDecisionRecorder } from './decision-recorder.ts'

const planHash = `0x${'5a'.repeat(32)}`
const waiting: NewOperation = {
  id: 'op',
  state: 'awaiting_approval',
  principalId: 'p',
  principal: '{}',
  tool: 'execute_swap',
  input: '{}',
  chainId: 31_337,
  planHash,
  plan: '{}',
  intent: '{}',
  spendUsdMicros: 1n,
  expiresAt: null,
  executeAfter: null,
}

/** A server's state, a clock a test may turn, and a recorder as each start of the server makes one. */
async function openState() {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-decisions-'))
  const clock = { now: 1_800_000_000_000 }
  const store = await openStore({ path: join(dataDir, 'state.db'), now: () => clock.now })
  const { operations } = store
  const audit = await openAuditLog({ path: join(dataDir, 'audit.jsonl'), now: () => clock.now })
  const decide = async (id: string, approved: boolean, by: string) => {
    await operations.create({ ...waiting, id })
    await operations.decide(id, { approved, by, planHash })
  }
  return {
    clock,
    operations,
    decide,
    start: (log = audit) => createDecisionRecorder({ operations, audit: log, dataDir }),
    lines: () =>
      readFileSync(join(dataDir, 'audit.jsonl'), 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    close: async () => {
      await audit.close()
      await store.close()
    },
  }
}

it('writes each decision of the operator once, over restarts, in the order of the operations', async () => {
  const state = await openState()
  await state.decide('a', true, 'operator:ann')
  await state.decide('b', false, 'operator:bob')
  const recorder = state.start()
  await Promise.all([recorder.look(), recorder.look()])
  await state.start().look()
  expect(state.lines()).toMatchObject([
    { event: 'tx.approval.decided', operationId: 'a', approved: true, by: 'operator:ann', planHash },
    { event: 'tx.approval.decided', operationId: 'b', approved: false, by: 'operator:bob' },
  ])
  await state.close()
})

it('misses none when the clock is set back, and leaves others’ to others', async () => {
  const state = await openState()
  const recorder = state.start()
  await state.decide('a', true, 'operator:ann')
  await recorder.look()
  state.clock.now -= 86_400_000
  await state.decide('b', true, 'operator:ann')
  const claimed = await state.operations.claim('b', { requestId: 'r' })
  await state.decide('c', true, 'client:p')
  await recorder.record(claimed)
  await recorder.record(claimed)
  await recorder.look()
  expect(state.lines().map(({ operationId }) => operationId)).toEqual(['a', 'b'])
  await state.close()
})

it('writes the operator’s cancelling, also of what was approved before, however many an agent cancels', async () => {
  const state = await openState()
  await state.decide('a', true, 'operator:ann')
  const recorder = state.start()
  await recorder.look()
  await state.operations.cancel('a', 'operator:bob')
  for (let index = 0; index < 501; index += 1) {
    await state.operations.create({ ...waiting, id: `x${index}` })
    await state.operations.cancel(`x${index}`, 'agent:p')
  }
  await recorder.look()
  await state.start().look()
  expect(state.lines()).toMatchObject([
    { event: 'tx.approval.decided', operationId: 'a', approved: true, by: 'operator:ann' },
    { event: 'operation.cancelled', operationId: 'a', by: 'operator:bob', actor: { principal: 'p' }, planHash },
  ])
  await state.close()
})

it('counts nothing as recorded that the audit log did not take', async () => {
  const state = await openState()
  await state.decide('a', true, 'operator:ann')
  const full = {
    append: () => Promise.reject(new Error('no space left')),
    note: () => {},
    close: async () => {},
    head: () => null,
  }
  await expect(state.start(full).look()).rejects.toThrow('no space left')
  await state.start().look()
  expect(state.lines()).toHaveLength(1)
  await state.close()
})
