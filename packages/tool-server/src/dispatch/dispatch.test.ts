import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { openStore, type Idempotency, type Operation, StoreError } from '@svc/store'
import * as z from 'zod'
import { describe, expect, it } from 'vitest'
import { localPrincipal } from '../transports/stdio.ts'
import type { OperationsPipeline, Principal } from '@svc/engine'
import type { DispatchOptions } from './call-stages.ts'
import type { WritePipeline } from './carry-out.ts'
import { repeatedResult } from './call-result.ts'
import { createDispatch } from './dispatch.ts'
import { holding } from '../holding.fixture.ts'
import { type Execute, ToolError } from '@svc/amm'
import type { Log, LogFacts } from '@svc/runtime'
import { echo, emptyPlan, failing, move, noOperations, slow, testTools } from '../test-server.fixture.ts'
import type { Ports } from '../ports.ts'
import { readTool, writeTool, type Tool } from '../tool.ts'
import type { StatusReport } from '../tool-context.ts'

const reader: Principal = {
  id: 'r',
  stage: 'api-key',
  tier: 'read',
  scopes: new Set(['read:market', 'read:portfolio']),
  expiresAt: null,
}
const never = new AbortController().signal
const hash = `0x${'ab'.repeat(32)}` as const

function open(options: Partial<DispatchOptions> = {}) {
  const events: { readonly level: string; readonly event: string; readonly facts: LogFacts }[] = []
  const at =
    (level: string) =>
    (event: string, facts: LogFacts = {}) =>
      void events.push({ level, event, facts })
  const log: Log = {
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    flush: () => {},
    writesDebug: false,
    writesInfo: true,
  }
  let requests = 0
  const dispatch = createDispatch({
    tools: testTools,
    profile: 'full',
    ports: {} as Ports,
    status: {} as StatusReport,
    write: null,
    isInForce: () => true,
    log,
    now: () => 1_000,
    newRequestId: () => `request-${(requests += 1)}`,
    ...options,
  })
  const call = (name: string, args: unknown, principal: Principal = localPrincipal, signal: AbortSignal = never) =>
    dispatch.call({ name, arguments: args, principal, signal })
  const code = async (...of: Parameters<typeof call>) => (await call(...of))._meta?.['svc/error']?.code
  return { dispatch, call, code, events }
}

it('says of a broken policy no more than its code with each write, and what lies behind at debug', async () => {
  const cause = new ToolError('VALIDATION_FAILED', 'policy.json is broken.')
  const broken = (code: 'POLICY_INVALID' | 'RPC_TIMEOUT') =>
    readTool({
      name: 'broken',
      title: 'Broken',
      description: 'Fails.',
      scope: 'read:market',
      input: z.strictObject({}),
      output: z.object({ never: z.string() }),
    }).handler(async () => {
      throw new ToolError(code, 'It cannot be read.', { cause })
    })
  const causes = async (code: 'POLICY_INVALID' | 'RPC_TIMEOUT') => {
    const { call, events } = open({ tools: [broken(code)] })
    await call('broken', {})
    const facts = { tool: 'broken', requestId: 'request-1', code }
    return events
      .filter(({ event }) => event === 'tool.error_cause')
      .map(({ level, facts: { cause: behind, ...rest } }) => [level, behind === cause, isDeepStrictEqual(rest, facts)])
  }
  expect(await causes('POLICY_INVALID')).toEqual([
    ['warn', false, true],
    ['debug', true, true],
  ])
  expect(await causes('RPC_TIMEOUT')).toEqual([['warn', true, true]])
})

const unusedStore: Idempotency = {
  begin: () => expect.unreachable(),
  finish: () => expect.unreachable(),
  abandon: () => expect.unreachable(),
  goOn: () => expect.unreachable(),
  takeOver: () => expect.unreachable(),
}

const freshStore = async (path = ':memory:') => (await openStore({ path, now: Date.now })).idempotency

/** A pipeline of transactions whose executions the test decides. */
function writePipeline(
  execute: Execute,
  store: Idempotency = unusedStore,
  signed: readonly string[] = [],
): WritePipeline {
  return {
    openExecute: () => execute,
    wallet: { address: '0x0000000000000000000000000000000000000001', type: 'local' },
    defaults: { slippageBps: 50, deadlineSeconds: 600 },
    atomicRoute: async () => null,
    idempotency: store,
    operations: noOperations,
    hasSigned: async (requestId) => signed.includes(requestId),
    during: (work) => work(),
  }
}

const settles: Execute = async (_intent, shape) => {
  const transaction = { label: 'x', hash, blockNumber: 1n, logs: [], gasUsed: 1n }
  return shape({
    transactions: [transaction],
    main: transaction,
    calls: [transaction],
    deltas: [],
    gasCostWei: 0n,
    gasCostUsd: 0,
    gasOfBatch: null,
    safetyChecks: { tokenAllowlistPassed: true, spendingLimitPassed: true, simulationPassed: true },
    priceImpactBps: null,
    warnings: [],
  })
}

describe('the end of a write', () => {
  it.each([null, 'a-key-of-mine'])('is told with its failure first, under the key %s', async (idempotencyKey) => {
    const reported: unknown[] = []
    const failing: Execute = async () => {
      throw new ToolError('TOKEN_NOT_FOUND', 'No such token.')
    }
    for (const execute of [failing, settles]) {
      const auditCall = () => {
        const ends: unknown[] = []
        reported.push(ends)
        return (failure: unknown) => void ends.push(failure instanceof ToolError ? failure.code : failure)
      }
      const { call } = open({ write: { ...writePipeline(execute, await freshStore()), auditCall } })
      await call('move_funds', { amount: '1', ...(idempotencyKey === null ? {} : { idempotencyKey }) })
    }
    const [failed, done] = reported as unknown[][]
    expect(failed?.[0]).toBe('TOKEN_NOT_FOUND')
    expect(done).toEqual([null])
  })
})

describe('a server of some toolsets', () => {
  const stored = { id: 'o-1', tool: 'move_funds', principalId: 'local', input: '{"amount":"1"}' } as Operation

  it.each([null, ['market']] as const)(
    'of %j carries a stored write out, or ends it by the code of a tool it has not',
    async (toolsets) => {
      const ends: unknown[] = []
      const operations: OperationsPipeline = {
        ...noOperations,
        take: async (operation) => operation,
        principalOf: () => localPrincipal,
        finish: async (_operation, result) => void ends.push(result),
        fail: async (_operation, error) => {
          ends.push(error)
          return false
        },
      }
      const { dispatch } = open({ toolsets, write: { ...writePipeline(settles), operations } })
      await dispatch.carryOutDue(stored)
      expect(ends).toMatchObject([toolsets === null ? { status: 'success' } : { code: 'TOOL_NOT_IN_PROFILE' }])
    },
  )
})

describe('the pipeline of a call', () => {
  it('answers in figures of six digits, in a refusal too', async () => {
    const price = 2519.9921109709812
    const reportFailure = readTool({
      ...echo,
      name: 'get_figures',
      scope: 'read:market',
      output: z.object({ price: z.number() }),
    })
    const refusing = { ...echo, name: 'get_refused', scope: 'read:market', output: z.object({}) } as const
    const { call } = open({
      tools: [
        reportFailure.handler(async () => ({ price })),
        readTool(refusing).handler(async () => {
          throw new ToolError('SIMULATION_TIMEOUT', 'Too long.', {
            details: [{ field: 'simulations', message: 'Too many.', analytic: { price } }],
          })
        }),
      ],
    })
    expect((await call('get_figures', { text: 'x' })).structuredContent).toEqual({ price: 2519.99 })
    const refused = await call('get_refused', { text: 'x' })
    expect(refused._meta?.['svc/error']?.details).toEqual([
      { field: 'simulations', message: 'Too many.', analytic: { price: 2519.99 } },
    ])
  })

  it('finds the tool, then asks the profile, then the key, and only then reads the arguments', async () => {
    const { code } = open({ profile: 'data' })
    expect(await code('nothing', { wrong: true }, reader)).toBe('TOOL_NOT_FOUND')
    expect(await code('move_funds', { wrong: true }, reader)).toBe('TOOL_NOT_IN_PROFILE')
    const whole = open()
    expect(await whole.code('move_funds', { wrong: true }, reader)).toBe('INSUFFICIENT_KEY_TIER')
    expect(await whole.code('move_funds', { wrong: true })).toBe('VALIDATION_FAILED')
    expect(await whole.code('move_funds', { amount: '1' })).toBe('WALLET_NOT_CONFIGURED')
  })

  it('knows the name of a tool of other profiles whose code is not there', async () => {
    const { code, dispatch } = open({ profile: 'data', toolsElsewhere: ['take_funds'] })
    expect(await code('take_funds', { wrong: true }, reader)).toBe('TOOL_NOT_IN_PROFILE')
    expect([dispatch.has('take_funds'), dispatch.has('nothing')]).toEqual([true, false])
  })

  it('reads the schemas and the handler of a tool that is only listed with its first call, after the rights', async () => {
    let reads = 0
    const listed = Object.fromEntries(
      Object.entries(move).filter(([name]) => !['input', 'output', 'handle'].includes(name)),
    )
    const read = async () => {
      reads += 1
      return move
    }
    const { code } = open({ tools: [{ ...listed, read } as unknown as Tool] })
    expect(await code('move_funds', { wrong: true }, reader)).toBe('INSUFFICIENT_KEY_TIER')
    expect(reads).toBe(0)
    expect(await code('move_funds', { wrong: true })).toBe('VALIDATION_FAILED')
    expect(reads).toBe(1)
  })

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', ''])('has no tool %o', async (name) => {
    expect(await open().code(name, {})).toBe('TOOL_NOT_FOUND')
  })

  it('shows an unknown name cut and escaped', async () => {
    const result = await open().call(`\u202e\u0000${'x'.repeat(100_000)}`, {})
    const message = result._meta?.['svc/error']?.message ?? ''
    expect(message.length).toBeLessThan(120)
    expect(message).toMatch(/^[ -~]+$/)
  })

  it('lists what a principal may call, sorted, the same bytes every time', () => {
    const one = open().dispatch.list(reader)
    expect(one.tools.map((tool) => tool.name)).toEqual(['get_echo', 'get_failure', 'get_slow'])
    expect(open({ tools: [move, echo, failing, slow] }).dispatch.list({ ...reader, id: 'other' }).json).toBe(one.json)
    expect(
      open()
        .dispatch.list(localPrincipal)
        .tools.map((tool) => tool.name),
    ).toContain('move_funds')
    expect(
      open({ profile: 'data' })
        .dispatch.list(localPrincipal)
        .tools.map((tool) => tool.name),
    ).not.toContain('move_funds')
    const scoped: Principal = { ...reader, tier: null, scopes: new Set(['read:market']) }
    expect(
      open()
        .dispatch.list(scoped)
        .tools.map((tool) => tool.name),
    ).toEqual(['get_echo', 'get_slow'])
  })

  it('names every field it refuses and what that accepts, and calls no handler', async () => {
    let calls = 0
    const counted: Tool = { ...echo, handle: async () => void (calls += 1) }
    const { call } = open({ tools: [counted] })
    const args = JSON.parse('{"text":5,"times":0,"shape":"flat","extra":1,"__proto__":{"x":1},"\\u202e":1}')
    const error = (await call('get_echo', args))._meta?.['svc/error']
    expect(error).toMatchObject({ code: 'VALIDATION_FAILED', retryable: false })
    const accepted = ['text', 'times', 'shape']
    expect(error?.details).toEqual(
      expect.arrayContaining([
        { field: 'text', message: expect.any(String), accepted: 'string' },
        { field: 'times', message: expect.any(String), accepted: 'at least 1' },
        { field: 'shape', message: 'Not an accepted value.', accepted: ['round', 'square'] },
        { field: 'extra', message: 'Unknown member.', accepted },
        { field: '__proto__', message: 'Unknown member.', accepted },
        { field: '"\\u202e"', message: 'Unknown member.', accepted },
      ]),
    )
    expect(await open().code('get_echo', [])).toBe('VALIDATION_FAILED')
    expect(await open().code('get_echo', 'text')).toBe('VALIDATION_FAILED')
    expect((await call('get_echo', undefined))._meta?.['svc/error']).toMatchObject({
      message: 'get_echo needs text.',
      details: [{ field: 'text', message: 'Required.', accepted: 'string' }],
    })
    expect((await call('get_echo', { times: 0 }))._meta?.['svc/error']?.message).toBe(
      'get_echo refuses times and needs text.',
    )
    expect((await call('get_echo', { text: 'x', times: 0 }))._meta?.['svc/error']?.message).toMatch(
      /^get_echo refuses times: .*\w\.$/,
    )
    expect(calls).toBe(0)
  })

  it('gives handlers a frozen context, without execute to those that only read', async () => {
    const seen: unknown[] = []
    const spy: Tool = {
      ...echo,
      handle: async (_input, context) => (seen.push(context), { text: 'x', principal: 'p' }),
    }
    const { call } = open({ tools: [spy], write: writePipeline(settles) })
    await call('get_echo', { text: 'x' })
    expect(Object.isFrozen(seen[0])).toBe(true)
    expect(seen[0]).not.toHaveProperty('execute')
    expect(seen[0]).not.toHaveProperty('wallet')
  })

  it('lets our own errors through and hides everybody else’s behind a correlation id', async () => {
    const { call, events } = open()
    expect((await call('get_failure', { how: 'own' }))._meta?.['svc/error']?.code).toBe('POOL_NOT_FOUND')
    const hidden = await call('get_failure', { how: 'foreign' })
    expect(hidden.isError).toBe(true)
    expect(JSON.stringify(hidden)).not.toContain('hunter2')
    expect(hidden._meta?.['svc/error']).toMatchObject({ code: 'INTERNAL', details: [{ requestId: 'request-2' }] })
    expect(events.find(({ event }) => event === 'tool.unexpected_error')?.facts).toMatchObject({
      requestId: 'request-2',
    })
  })

  it('checks its own results before they leave', async () => {
    const { code, events } = open()
    expect(await code('get_failure', { how: 'malformed' })).toBe('INTERNAL')
    expect(events.find(({ event }) => event === 'tool.output_malformed')?.facts).toMatchObject({
      problem: expect.stringContaining('never'),
    })
  })

  it('stops waiting for a read when the caller leaves', async () => {
    const leaving = new AbortController()
    const stuck: Tool = { ...slow, handle: () => new Promise(() => {}) }
    const { code } = open({ tools: [stuck] })
    const outcome = code('get_slow', { ms: 1 }, localPrincipal, leaving.signal)
    leaving.abort()
    expect(await outcome).toBe('CANCELLED')
    expect(await code('get_slow', { ms: 1 }, localPrincipal, leaving.signal)).toBe('CANCELLED')
  })

  it('logs one line per call with its parameters, duration and outcome', async () => {
    const { call, events } = open()
    await call('get_echo', { text: 'hi' }, reader)
    await call('move_funds', { amount: '1' }, reader)
    expect(events.filter(({ event }) => event === 'tool.call').map(({ facts }) => facts)).toEqual([
      {
        tool: 'get_echo',
        requestId: 'request-1',
        principal: 'r',
        parameters: { text: 'hi' },
        durationMs: 0,
        outcome: 'success',
      },
      {
        tool: 'move_funds',
        requestId: 'request-2',
        principal: 'r',
        parameters: { amount: '1' },
        durationMs: 0,
        outcome: 'INSUFFICIENT_KEY_TIER',
      },
    ])
  })
})

describe('writes', () => {
  it('wait to the end although the caller has left', async () => {
    const leaving = new AbortController()
    const execute: Execute = async (intent, shape) => {
      leaving.abort()
      await new Promise((resolve) => setTimeout(resolve, 20))
      return settles(intent, shape)
    }
    const { call } = open({ write: writePipeline(execute) })
    const result = await call('move_funds', { amount: '1' }, localPrincipal, leaving.signal)
    expect(result.structuredContent).toEqual({ status: 'success', txHash: hash, amount: '1' })
  })

  it('keep the transaction hash when their result is malformed', async () => {
    const { call, events } = open({ tools: [brokenMove], write: writePipeline(settles) })
    const result = await call('move_funds', { amount: '1' })
    expect(result.isError).toBeUndefined()
    expect(result.structuredContent).toEqual({ status: 'success', txHash: hash })
    expect(events.some(({ event }) => event === 'tool.output_malformed')).toBe(true)
  })

  it('pass plans through by their own shape', async () => {
    const plan = emptyPlan
    const { call } = open({ write: writePipeline(async () => ({ status: 'planned', plan })) })
    const result = await call('move_funds', { amount: '1', dryRun: true })
    // What only operators are shown stays behind.
    const { chain: _chain, gasCostAtMost: _most, gasCostAtMostUsd: _mostUsd, ...seen } = plan
    expect(result.structuredContent).toEqual({ status: 'planned', plan: seen })
    const broken = open({
      write: writePipeline(async () => ({ status: 'planned', plan: { ...plan, spendUsd: 1n as never } })),
    })
    expect(await broken.code('move_funds', { amount: '1', dryRun: true })).toBe('INTERNAL')
  })
})

describe('idempotency', () => {
  const counting = () => {
    const runs: string[] = []
    const execute: Execute = async (intent, shape) => {
      runs.push(intent.why)
      await new Promise((resolve) => setTimeout(resolve, 20))
      return settles(intent, shape)
    }
    return { runs, execute }
  }

  it('gives the stored answer to the same key and body, in whatever order the members stand', async () => {
    const { runs, execute } = counting()
    const { call } = open({ write: writePipeline(execute, await freshStore()) })
    const first = await call('move_funds', { amount: '1', idempotencyKey: 'k' })
    expect(await call('move_funds', { idempotencyKey: 'k', dryRun: false, amount: '1' })).toEqual(repeatedResult(first))
    expect(runs).toEqual(['1'])
  })

  it('refuses another body under the same key', async () => {
    const { runs, execute } = counting()
    const { call, code } = open({ write: writePipeline(execute, await freshStore()) })
    await call('move_funds', { amount: '1', idempotencyKey: 'k' })
    expect(await code('move_funds', { amount: '2', idempotencyKey: 'k' })).toBe('IDEMPOTENCY_CONFLICT')
    expect(runs).toEqual(['1'])
  })

  it('makes a duplicate wait for the first, however many there are', async () => {
    const { runs, execute } = counting()
    const { call, code } = open({ write: writePipeline(execute, await freshStore()) })
    const same = Array.from({ length: 50 }, () => call('move_funds', { amount: '1', idempotencyKey: 'k' }))
    const other = code('move_funds', { amount: '2', idempotencyKey: 'k' })
    expect(new Set((await Promise.all(same)).map((result) => JSON.stringify(result))).size).toBe(1)
    expect(await other).toBe('IDEMPOTENCY_CONFLICT')
    expect(runs).toEqual(['1'])
  })

  it('keeps the keys of principals apart, and calls without a key', async () => {
    const { runs, execute } = counting()
    const { call } = open({ write: writePipeline(execute, await freshStore()) })
    await call('move_funds', { amount: '1', idempotencyKey: 'k' })
    await call('move_funds', { amount: '1', idempotencyKey: 'k' }, { ...localPrincipal, id: 'other' })
    await call('move_funds', { amount: '1' })
    await call('move_funds', { amount: '1' })
    expect(runs).toHaveLength(4)
  })

  it('frees the key of a failure that signed nothing, keeps the answer of one that did', async () => {
    const fails: Execute = async () => {
      throw new ToolError('TRANSACTION_PENDING', 'Out, not confirmed.')
    }
    const store = await freshStore()
    const { runs, execute } = counting()
    const again = (key: string) =>
      open({ write: writePipeline(execute, store) }).call('move_funds', { amount: '1', idempotencyKey: key })
    await open({ write: writePipeline(fails, store) }).call('move_funds', { amount: '1', idempotencyKey: 'clean' })
    expect(await again('clean')).toMatchObject({ structuredContent: { status: 'success' } })
    const signed = open({ write: writePipeline(fails, store, ['request-1']) })
    const first = await signed.call('move_funds', { amount: '1', idempotencyKey: 'signed' })
    expect(first._meta?.['svc/error']?.code).toBe('TRANSACTION_PENDING')
    expect(await again('signed')).toEqual(first)
    expect(runs).toEqual(['1'])
  })

  it.each([
    ['reports one that had signed', ['request-1'], 'OPERATION_IN_DOUBT', []],
    ['runs one again that had not', [], undefined, ['1']],
  ] as const)('after a crash that cut a call off: %s', async (_what, signed, expected, ran) => {
    const path = join(mkdtempSync(join(tmpdir(), 'svc-once-')), 'state.db')
    const held = holding()
    const hangs: Execute = async () => {
      await held.pass()
      throw new Error('a process that died goes no further')
    }
    const started = open({ write: writePipeline(hangs, await freshStore(path)) })
    void started.call('move_funds', { amount: '1', idempotencyKey: 'k' })
    await held.entered
    const { runs, execute } = counting()
    const sent = { message: 'mined', txHash: hash }
    const write = {
      ...writePipeline(execute, await freshStore(path), signed),
      sentBy: async () => ({ details: [sent], end: null }),
    }
    const restarted = open({ write })
    const again = await restarted.call('move_funds', { amount: '1', idempotencyKey: 'k' })
    const named = again._meta?.['svc/error']?.details.filter(({ txHash }) => txHash === hash)
    expect(named).toEqual(expected === undefined ? undefined : [sent])
    expect(await restarted.code('move_funds', { amount: '1', idempotencyKey: 'k' })).toBe(expected)
    expect(runs).toEqual(ran)
  })

  it('still answers with the hash when the outcome cannot be recorded', async () => {
    const store: Idempotency = { ...(await freshStore()), finish: () => Promise.reject(new Error('disk full')) }
    const { call, events } = open({ write: writePipeline(settles, store) })
    const result = await call('move_funds', { amount: '1', idempotencyKey: 'k' })
    expect(result.structuredContent).toMatchObject({ txHash: hash })
    expect(events.some(({ event }) => event === 'idempotency.unrecorded')).toBe(true)
  })

  it('says that another server leads, wherever on the way that comes out', async () => {
    const overtaken = () => Promise.reject(new StoreError('NOT_LEADER', 'Another server leads on this database.'))
    const store = { ...(await freshStore()), begin: overtaken }
    const { runs, execute } = counting()
    const { code } = open({ write: writePipeline(execute, store) })
    expect(await code('move_funds', { amount: '1', idempotencyKey: 'k' })).toBe('NOT_LEADER')
    expect(runs).toEqual([])
    const later = open({ write: writePipeline(overtaken, await freshStore()) })
    expect(await later.code('move_funds', { amount: '1', idempotencyKey: 'k' })).toBe('NOT_LEADER')
    expect(await later.code('move_funds', { amount: '1' })).toBe('NOT_LEADER')
  })

  it('does nothing when the key cannot be recorded', async () => {
    const store: Idempotency = { ...(await freshStore()), begin: () => Promise.reject(new Error('disk full')) }
    const { runs, execute } = counting()
    const { code } = open({ write: writePipeline(execute, store) })
    expect(await code('move_funds', { amount: '1', idempotencyKey: 'k' })).toBe('STORAGE_UNAVAILABLE')
    expect(runs).toEqual([])
  })

  it('does not claim a key for a dry run', async () => {
    const { code } = open({ write: writePipeline(settles, unusedStore) })
    expect(await code('move_funds', { amount: '1', idempotencyKey: 'k', dryRun: true })).toBeUndefined()
  })
})

/** Its handler forgets what it promised; the money has moved all the same. */
const brokenMove = writeTool({
  name: 'move_funds',
  title: 'Move',
  description: 'Moves.',
  scope: 'write:trade',
  destructive: true,
  idempotent: false,
  input: z.strictObject({ amount: z.string() }),
  output: z.object({ status: z.literal('success'), txHash: z.string(), amount: z.string() }),
}).handler(async (input, context) => {
  const result = await (move.handle(input, context) as Promise<{ status: 'success'; txHash: string; amount: string }>)
  return { ...result, amount: 5 as never }
})

describe('definitions', () => {
  it('hold no dialect, refuse unknown members and let a plan stand beside a result', () => {
    const [listed] = open({ tools: [move] }).dispatch.list(localPrincipal).tools
    expect(listed?.inputSchema).toMatchObject({ type: 'object', additionalProperties: false, required: ['amount'] })
    expect(listed?.inputSchema).not.toHaveProperty('$schema')
    expect(listed?.outputSchema).not.toHaveProperty('required')
    expect(Object.keys(listed?.outputSchema['properties'] as object)).toEqual(['status', 'txHash', 'amount'])
    expect(listed?.outputSchema).not.toHaveProperty('additionalProperties')
    const plain = readTool({ ...echo, scope: 'read:market', output: z.object({ a: z.string() }) }).handler(
      async () => ({ a: '' }),
    )
    const [shown] = open({ tools: [plain] }).dispatch.list(localPrincipal).tools
    expect(shown?.outputSchema).toEqual({ type: 'object', properties: { a: { type: 'string' } } })
  })
})
