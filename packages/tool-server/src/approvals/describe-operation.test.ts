import type { Operation } from '@svc/store'
import { expect, it } from 'vitest'
import { bigPlan } from '../transports/asking.fixture.ts'
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
