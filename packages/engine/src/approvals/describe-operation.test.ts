import type { Operation } from '@svc/store'
import { expect, it } from 'vitest'
import { bigPlan, depositingPlan } from '../../../tool-server/src/transports/asking.fixture.ts'
import { describeOperation } from './describe-operation.ts'
import { operationText } from './operation-text.ts'

const failed: Operation = {
  id: 'op',
  state: 'failed',
  principalId: 'p',
  principal: '{}',
  tool: 'execute_swap',
  input: '{}',
  chainId: 8_453,
  planHash: bigPlan.planHash,
  plan: JSON.stringify(bigPlan),
  intent: '{}',
  spendUsdMicros: 1n,
  expiresAt: null,
  executeAfter: null,
  createdAt: 0,
  decidedBy: 'operator:ann',
  decidedAt: 1,
  requestId: 'r',
  answer: JSON.stringify({ code: 'SIMULATION_DRIFT', message: 'It would bring\u001b[2J less.', retryable: false }),
}

it('says where a deposit goes, at which prices, and what to weigh; an older row has neither', () => {
  const lines = operationText(describeOperation({ ...failed, plan: JSON.stringify(depositingPlan) }), 0).split('\n')
  expect(lines).toContainEqual('  deposits   a new position in the v3 pool WETH/USDC at 0.05 %')
  expect(lines).toContainEqual('               range 2,700 to 3,300 USDC per WETH')
  expect(lines).toContainEqual('               price 3,000 USDC per WETH')
  expect(lines).toContainEqual('  warnings   Beware of\\u001b this.')
  const { deposits: _deposits, values: _values, warnings: _warnings, ...old } = bigPlan
  const older = describeOperation({ ...failed, plan: JSON.stringify(old) })
  expect(older).toMatchObject({ deposits: [], values: null, warnings: [] })
  expect(operationText(older, 0)).not.toMatch(/deposits|warnings/)
})

it('says before which time nothing runs, where there is one', () => {
  const waiting = { ...failed, state: 'scheduled', answer: null, executeAfter: Date.UTC(2031, 1, 2) } as const
  expect(operationText(describeOperation(waiting), 0)).toContain('\n  not before 2031-02-02T00:00:00.000Z\n')
  expect(operationText(describeOperation(failed), 0)).not.toContain('not before')
})

it('says with which code and why an operation failed, control characters escaped', () => {
  const lines = operationText(describeOperation(failed), 0).split('\n')
  expect(lines).toContainEqual(expect.stringMatching(/^ {2}state +failed \(decided by operator:ann\)$/))
  expect(lines).toContainEqual(expect.stringMatching(/^ {2}failure +SIMULATION_DRIFT: It would bring\S+ less\.$/))
  expect(lines.join('')).not.toContain('\u001b')
})

it.each([
  ['done', failed.answer],
  ['failed', null],
  ['failed', 'not JSON'],
  ['failed', '{}'],
] as const)('says nothing of it where the row is %s with the answer %s', (state, answer) => {
  expect(describeOperation({ ...failed, state, answer }).failure).toBeNull()
})
