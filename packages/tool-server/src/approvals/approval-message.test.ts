import { expect, it } from 'vitest'
import { bigPlan } from '../transports/asking.fixture.ts'
import { approvalMessage } from './approval-message.ts'

const question = { operationId: 'op', planHash: bigPlan.planHash, tool: 'execute_swap', expiresAt: null, plan: bigPlan }

it('says how many others of the caller await a decision, where there are any', () => {
  const lines = approvalMessage({ ...question, othersWaiting: 3 }, 0).split('\n')
  expect(lines.at(-1)).toBe('Besides this, 3 more of the same caller await a decision.')
  expect(approvalMessage({ ...question, othersWaiting: 0 }, 0)).not.toContain('Besides')
})
