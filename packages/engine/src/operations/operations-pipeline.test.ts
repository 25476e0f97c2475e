import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore, type Store, StoreError } from '@svc/store'
import { expect, it } from 'vitest'
import { ToolError } from '@svc/amm'
import type { AuditEvent } from '../audit/audit.ts'
import { createDecisionRecorder } from '../switches/decision-recorder.ts'
import type { OperationsQuery } from './operations.ts'
import { createOperationsPipeline } from './operations-pipeline.ts'
import { type ApprovalChannel, parsePolicy } from '../policy/policy.ts'

const planHash = `0x${'5a'.repeat(32)}`
const quiet = () => {}

/** A pipeline over a real store with one operation that the operator has approved. */
async function openApproved(
  channels: ApprovalChannel[],
  append: (event: AuditEvent) => Promise<void>,
  hasSigned = false,
  now = Date.now,
) {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-operations-'))
  const store = await openStore({ path: join(dataDir, 'state.db'), now })
  const { operations } = store
  const policy = parsePolicy({ approvals: { channels } }, { production: false })
  const audit = { append, close: async () => {} }
  const pipeline = createOperationsPipeline({
    operations,
    orders: store.orders,
    viewOrder: () => Promise.reject(new Error('there is none')),
    audit,
    decisions: createDecisionRecorder({ operations, audit, dataDir }),
    // As an earlier call read it.
    policy: () => parsePolicy({}, { production: false }),
    policyNow: async () => policy,
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    now,
    hasSigned: async () => hasSigned,
  })
  await operations.create({
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
  })
  const approved = await operations.decide('op', { approved: true, by: 'operator:ann', planHash })
  return { store, pipeline, approved, stateNow: async () => (await operations.byId('op'))?.state }
}

it('says that another server leads where the lead was lost on the way, and gives back what it could not carry out for that', async () => {
  const { pipeline, approved, stateNow, store } = await openApproved(['operator'], async () => {})
  const claim = store.operations.claim.bind(store.operations)
  const overtaken = () => Promise.reject(new StoreError('NOT_LEADER', 'Another server leads on this database.'))
  Object.assign(store.operations, { claim: overtaken, decide: overtaken, cancel: overtaken })
  await expect(pipeline.take(approved, 'r')).rejects.toMatchObject({ code: 'NOT_LEADER' })
  const word = { approved: true, by: 'client:p', planHash }
  await expect(pipeline.decide(approved, word)).rejects.toMatchObject({ code: 'NOT_LEADER' })
  await expect(pipeline.cancel(approved, 'agent:p')).rejects.toMatchObject({ code: 'NOT_LEADER' })
  Object.assign(store.operations, { claim })
  const taken = await pipeline.take(approved, 'r')
  expect(await pipeline.fail(taken, new ToolError('NOT_LEADER', 'Another server leads.'))).toBe(true)
  expect(await stateNow()).toBe('approved')
  await store.close()
})

it('takes what the operator approved only once that is on record', async () => {
  const lines: AuditEvent[] = []
  const { pipeline, approved, stateNow, store } = await openApproved(
    ['operator'],
    async (event) => void lines.push(event),
  )
  await pipeline.take(approved, 'r')
  expect(lines).toMatchObject([{ event: 'tx.approval.decided', operationId: 'op', by: 'operator:ann', approved: true }])
  expect(await stateNow()).toBe('running')
  await store.close()
})

it('gives it back when it cannot be put on record', async () => {
  const full = () => Promise.reject(new Error('no space left'))
  const { pipeline, approved, stateNow, store } = await openApproved(['operator'], full)
  await expect(pipeline.take(approved, 'r')).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
  expect(await stateNow()).toBe('approved')
  await store.close()
})

it('holds against the policy as it is now, not as it was last read, who may answer', async () => {
  const { pipeline, store } = await openApproved(['operator'], async () => {})
  expect([pipeline.asksClient(), await pipeline.takesClient()]).toEqual([true, false])
  await store.close()
})

it('takes no word of the operator where the policy names another channel, and ends the operation', async () => {
  const { pipeline, approved, stateNow, store } = await openApproved(['client'], async () => {})
  await expect(pipeline.take(approved, 'r')).rejects.toMatchObject({ code: 'APPROVAL_REQUIRED' })
  expect(await stateNow()).toBe('failed')
  await store.close()
})

it.each([
  ['goes back when all it signed is proved never to be mined', false, true],
  ['ends when something it signed may have an effect', true, false],
] as const)('an operation whose transaction was not sent %s', async (_what, hasSigned, isBack) => {
  const { pipeline, store } = await openApproved(['operator'], async () => {}, hasSigned)
  const taken = await pipeline.take(await pipeline.find('op', { id: 'p' }), 'request')
  expect(await pipeline.fail(taken, new ToolError('TRANSACTION_NOT_SENT', 'Another transaction took its place.'))).toBe(
    isBack,
  )
  expect(await store.operations.byId('op')).toMatchObject({ state: isBack ? 'approved' : 'failed' })
})

it.each([
  ['that signed nothing', false, 0, 'failed'],
  ['that stopped a day ago', true, 86_400_000, 'failed'],
  ['that another call goes on with', true, 0, 'running'],
] as const)('goes on with no operation %s', async (_what, hasSigned, laterMs, state) => {
  const clock = { now: Date.now() }
  const { pipeline, approved, stateNow, store } = await openApproved(
    ['operator'],
    async () => {},
    hasSigned,
    () => clock.now,
  )
  await pipeline.fail(await pipeline.take(approved, 'r'), new ToolError('HARVEST_PARTIAL_FAILURE', 'It stopped.'))
  clock.now += laterMs
  const stopped = await pipeline.find('op', { id: 'p' })
  if (state === 'running') await pipeline.take(stopped, 'first', true)
  const suggestion = expect.stringMatching(state === 'failed' ? /^Call execute_swap anew/ : /nothing is done twice/)
  await expect(pipeline.take(stopped, 'second', true)).rejects.toMatchObject({ code: 'OPERATION_STATE', suggestion })
  expect(await stateNow()).toBe(state)
  await store.close()
})

it('lists orders among the operations, newest first and each by its state, and knows which one became which order', async () => {
  const clock = { now: 1_000 }
  const { pipeline, store, approved } = await openApproved(
    ['operator'],
    async () => {},
    false,
    () => clock.now,
  )
  const taken = await pipeline.take(approved, 'r')
  clock.now += 1
  await placeOrder(store, 'first', 'r')
  clock.now += 1
  await placeOrder(store, 'second', 'another')
  await store.orders.end('second', { state: 'filled', outcome: '{}' })
  const listed = async (query: Omit<OperationsQuery, 'limit'> & { readonly limit?: number }, id = 'p') =>
    (await pipeline.list({ id }, { limit: 10, ...query })).map((one) =>
      'order' in one ? one.order.operationId : one.operation.id,
    )
  expect(await listed({ state: null })).toEqual(['second', 'first', 'op'])
  expect(await listed({ state: null, limit: 1 })).toEqual(['second'])
  expect(await listed({ state: 'open' })).toEqual(['first'])
  expect(await listed({ state: 'filled' })).toEqual(['second'])
  expect(await listed({ state: 'running' })).toEqual(['op'])
  expect(await listed({ state: 'expired' })).toEqual([])
  expect(await listed({ state: null }, 'stranger')).toEqual([])
  expect(await pipeline.ordersOf([taken], { id: 'p' })).toEqual(new Map([['op', 'first']]))
  expect(await pipeline.ordersOf([taken], { id: 'stranger' })).toEqual(new Map())
  await store.close()
})

it('knows an order by either of its ids for its own principal alone, and looks nowhere for anybody else', async () => {
  const { pipeline, store } = await openApproved(['operator'], async () => {})
  await placeOrder(store, 'first', 'r')
  for (const by of [{ operationId: 'first' }, { chainId: 31_337, orderId: '0xfirst' as const }]) {
    expect(await pipeline.order(by, { id: 'stranger' })).toBeNull()
    // Of its own it is read from the chain, which there is none of here.
    await expect(pipeline.order(by, { id: 'p' })).rejects.toThrow('there is none')
  }
  expect(await pipeline.order({ operationId: 'none' }, { id: 'p' })).toBeNull()
  await store.close()
})

/** An order that a request has signed, and what it draws on. */
async function placeOrder(store: Store, id: string, requestId: string): Promise<void> {
  const most = 10n ** 12n
  await store.ledger.reserve({
    id,
    requestId,
    principal: 'p',
    chainId: 31_337,
    amountUsdMicros: 1n,
    limits: { perTransaction: most, perSession: most, daily: most },
    sessionIdleMs: 1_000,
  })
  await store.orders.record({
    kind: 'uniswapx',
    operationId: id,
    orderId: `0x${id}`,
    requestId,
    principalId: 'p',
    tool: 'submit_uniswapx_order',
    chainId: 31_337,
    wallet: '0x02',
    reservationId: id,
    why: 'a test',
    spendUsdMicros: 1n,
    terms: '{}',
    signature: '0x03',
    signedAtBlock: 1n,
  })
}
