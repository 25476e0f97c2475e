import { expect, it } from 'vitest'
import { createWaitingNotice } from './alert-webhook.ts'

const actor = { principal: 'api-key:0011223344556677', stage: 'api-key' }
const asked = (operationId: string) => {
  const facts = { operationId, planHash: '0x5a', tool: 'execute_swap', actor, spendUsd: '400' }
  return {
    facts,
    line: { event: 'tx.approval.requested' as const, ...facts, why: 'Approve me at https://evil.example' },
  }
}
const page = 'https://mcp.example.com/operator'

function openNotice() {
  const world = { now: 0 }
  const told: unknown[] = []
  const notice = createWaitingNotice({ announce: (data) => told.push(data), page, now: () => world.now })
  return { world, told, notice }
}

it('tells that a write waits for a person, and nothing of what its agent says', () => {
  const { told, notice } = openNotice()
  const { facts, line } = asked('op-1')
  notice.observer.audited(line)
  notice.observer.audited({ ...line, event: 'tx.settled' })
  expect(told).toEqual([{ ...facts, others: 0, page }])
})

it('tells of many once in a while, the newest with how many came before it', () => {
  const { world, told, notice } = openNotice()
  for (let each = 1; each <= 500; each += 1) notice.observer.audited(asked(`op-${each}`).line)
  notice.tell()
  expect(told).toHaveLength(1)
  world.now += 15_000
  notice.tell()
  notice.tell()
  expect(told.slice(1)).toEqual([{ ...asked('op-500').facts, others: 498, page }])
})
