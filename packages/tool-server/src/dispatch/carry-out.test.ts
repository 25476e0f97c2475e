import type { Operation } from '@svc/store'
import { describe, expect, it } from 'vitest'
import { createDueRun, type CarriedOut, hasStopped } from './carry-out.ts'
import { type ErrorCode, ToolError } from '@svc/amm'

function operationOf(id: string, principalId = 'p'): Operation {
  return {
    id,
    state: 'scheduled',
    principalId,
    principal: '{}',
    tool: 'execute_swap',
    input: '{}',
    chainId: 1,
    planHash: '0x',
    plan: '{}',
    intent: '{}',
    spendUsdMicros: 0n,
    expiresAt: null,
    executeAfter: 0,
    createdAt: 0,
    decidedBy: null,
    decidedAt: null,
    requestId: null,
    answer: null,
  }
}

function runs(outcome: () => Promise<CarriedOut>) {
  const clock = { now: 1_000_000 }
  const attempts: number[] = []
  const operation = operationOf('a')
  const run = createDueRun({
    operations: { due: async () => [operation] },
    carryOut: () => {
      attempts.push(clock.now)
      return outcome()
    },
    now: () => clock.now,
    log: { info: () => {}, warn: () => {} },
  })
  return { clock, attempts, run }
}

const down = async (): Promise<CarriedOut> => ({
  ok: false,
  error: new ToolError('RPC_UNAVAILABLE', 'Down.'),
  waitsAgain: true,
})

describe('an operation that has ended', () => {
  const deps = (goesOn: boolean) => ({ tool: () => ({ goesOn }) })
  const failed = (code: ErrorCode): Operation => {
    const answer = JSON.stringify(new ToolError(code, 'It failed.'))
    return { ...operationOf('a'), state: 'failed', answer }
  }

  it.each<readonly [ErrorCode, boolean]>([
    ['HARVEST_PARTIAL_FAILURE', true],
    ['CONSOLIDATION_SWAP_FAILED', true],
    // What a server that was stopped left.
    ['OPERATION_INCOMPLETE', true],
    ['SIMULATION_DRIFT', false],
    ['PRINCIPAL_REVOKED', false],
  ])('with %s goes on: %s, of a tool that does', (code, goesOn) => {
    expect(hasStopped(failed(code), deps(true))).toBe(goesOn)
    expect(hasStopped(failed(code), deps(false))).toBe(false)
    expect(hasStopped({ ...failed(code), state: 'done' }, deps(true))).toBe(false)
  })
})

describe('carrying out what is due', () => {
  it('waits longer after each failure that passes, at most five minutes', async () => {
    const { clock, attempts, run } = runs(down)
    for (const until = clock.now + 3_600_000; clock.now < until; clock.now += 1_000) await run()
    const gaps = attempts.slice(1).map((at, index) => (at - attempts[index]!) / 1_000)
    expect(gaps.slice(0, 9)).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 300])
    expect(Math.max(...gaps)).toBe(300)
  })

  it('logs a refusal with its code and sentence, and with a stack only what nobody expected', async () => {
    const logged: unknown[] = []
    const failures = [
      new ToolError('SPENDING_LIMIT_EXCEEDED', 'Too much.', { cause: new Error('x') }),
      new Error('odd'),
    ]
    for (const error of failures) {
      const outcome = { ok: false, error, waitsAgain: false } as const
      const due = [operationOf('a')]
      await createDueRun({
        operations: { due: async () => due.splice(0) },
        carryOut: async () => outcome,
        now: () => 0,
        log: { info: () => {}, warn: (_event, facts) => void logged.push(facts) },
      })()
    }
    const facts = { operationId: 'a', tool: 'execute_swap', again: false }
    expect(logged).toEqual([
      { ...facts, code: 'SPENDING_LIMIT_EXCEEDED', message: 'Too much.' },
      { ...facts, code: 'INTERNAL', error: failures[1] },
    ])
  })

  it('is not held up by a clock that steps back', async () => {
    const { clock, attempts, run } = runs(down)
    await run()
    clock.now -= 86_400_000
    await run()
    expect(attempts).toHaveLength(2)
  })

  it('counts one that could not be taken as a failure that passes', async () => {
    const { attempts, run } = runs(() => Promise.reject(new ToolError('OPERATION_STATE', 'Taken.')))
    await run()
    await run()
    expect(attempts).toHaveLength(1)
  })

  it('lets principals take turns, also one whose write becomes due in the middle, and ends', async () => {
    const stored = new Map(['one', 'two', 'three', 'four'].map((id) => [id, operationOf(id, 'many')]))
    stored.set('other', operationOf('other', 'few'))
    const order: string[] = []
    const run = createDueRun({
      operations: { due: async (limit) => [...stored.values()].slice(0, limit) },
      carryOut: async ({ id }) => {
        order.push(id)
        stored.delete(id)
        if (id === 'two') stored.set('late', operationOf('late', 'third'))
        return { ok: true, result: {} }
      },
      now: () => 0,
      log: { info: () => {}, warn: () => {} },
    })
    await run()
    expect(order).toEqual(['one', 'other', 'two', 'three', 'late', 'four'])
  })

  it('remembers how long one waits that a full look leaves out', async () => {
    const clock = { now: 0 }
    const patient = operationOf('patient')
    const others = Array.from({ length: 300 }, (_, index) => operationOf(`other-${index}`, 'busy'))
    const tried: string[] = []
    let stored = [patient]
    const run = createDueRun({
      operations: { due: async (limit) => stored.slice(0, limit) },
      carryOut: async (operation) => {
        tried.push(operation.id)
        stored = stored.filter((one) => one !== operation || operation === patient)
        return operation === patient ? down() : { ok: true, result: {} }
      },
      now: () => clock.now,
      log: { info: () => {}, warn: () => {} },
    })
    await run()
    stored = [...others, patient]
    await run()
    expect(tried.filter((id) => id === 'patient')).toHaveLength(1)
    expect(tried).toHaveLength(101)
  })

  it('gives the places of those that wait after a failure to others', async () => {
    const failing = Array.from({ length: 150 }, (_, index) => operationOf(`fails-${index}`, `principal-${index}`))
    const tried = new Set<string>()
    const stored = [...failing, operationOf('last', 'patient')]
    const run = createDueRun({
      operations: { due: async (limit) => stored.slice(0, limit) },
      carryOut: ({ id }) => {
        tried.add(id)
        return down()
      },
      now: () => 0,
      log: { info: () => {}, warn: () => {} },
    })
    await run()
    expect(tried.has('last')).toBe(true)
    expect(tried.size).toBe(151)
  })
})
