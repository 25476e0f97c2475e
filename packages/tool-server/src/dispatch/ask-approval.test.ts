import type { ApprovalReply, Call } from '@svc/engine'
import { ToolError } from '@svc/amm'
import type { Operation } from '@svc/store'
import { expect, test } from 'vitest'
import { withApproval } from './ask-approval.ts'
import type { CarryOutDeps } from './carry-out.ts'

const planHash = `0x${'1'.repeat(64)}`
const waiting = () =>
  new ToolError('APPROVAL_REQUIRED', 'A person has to approve.', {
    details: [{ message: 'What waits.', operationId: 'op-1' }],
  })

/** Operations of which nothing may be decided or taken. */
function depsWith(term: AbortSignal | null) {
  const decided: string[] = []
  const operation = {
    id: 'op-1',
    planHash,
    tool: 'execute_swap',
    expiresAt: null,
    spendUsdMicros: 1n,
    plan: JSON.stringify({
      why: 'To test.',
      gasCostUsd: null,
      steps: [],
      deltas: [],
      bounds,
      policy: { conditions: [] },
    }),
  } as Operation
  const operations = {
    takesClient: async () => true,
    find: async () => operation,
    awaiting: async () => 1,
    decide: async () => {
      decided.push('decided')
      throw new ToolError('OPERATION_STATE', 'Nobody should decide.')
    },
  }
  return { deps: { operations, term: () => term } as unknown as CarryOutDeps, decided }
}

const bounds = { spendsAtMost: [], receivesAtLeast: [] }
const call = { principal: { id: 'p' } } as Call

function asked(term: AbortSignal | null) {
  const { deps, decided } = depsWith(term)
  const questions: (AbortSignal | null)[] = []
  let answer = (_reply: ApprovalReply): void => undefined
  const reply = new Promise<ApprovalReply>((resolve) => {
    answer = resolve
  })
  const confirm = async (_question: unknown, until: AbortSignal | null) => {
    questions.push(until)
    return reply
  }
  const outcome = withApproval(call, { deps, confirm }, async () => {
    throw waiting()
  })
  outcome.catch(() => undefined)
  return { outcome, decided, questions, answer: (given: ApprovalReply) => answer(given) }
}

test('a form that nobody has answered ends with the lead: nothing is decided, and the operation goes on waiting', async () => {
  const term = new AbortController()
  const { outcome, decided, questions, answer } = asked(term.signal)
  await expect.poll(() => questions.length).toBe(1)
  expect(questions[0]).toBe(term.signal)
  term.abort()
  await expect(outcome).rejects.toMatchObject({
    code: 'NOT_LEADER',
    retryable: true,
    details: [{ operationId: 'op-1', planHash }],
  })
  // Whatever the person says afterwards.
  answer('accepted')
  expect(decided).toEqual([])
})

test('once the lead is lost nobody is asked', async () => {
  const { outcome, questions } = asked(AbortSignal.abort())
  await expect(outcome).rejects.toMatchObject({ code: 'NOT_LEADER' })
  expect(questions).toEqual([])
})

test('while this server leads, and where no other could, the answer counts', async () => {
  for (const term of [new AbortController().signal, null]) {
    const { outcome, decided, answer } = asked(term)
    answer('accepted')
    await expect(outcome).rejects.toMatchObject({ code: 'OPERATION_STATE' })
    expect(decided).toEqual(['decided'])
    const unanswered = asked(term)
    unanswered.answer('cancelled')
    await expect(unanswered.outcome).rejects.toMatchObject({ code: 'APPROVAL_REQUIRED' })
  }
})
