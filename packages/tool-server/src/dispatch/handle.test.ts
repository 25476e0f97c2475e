import { expect, test } from 'vitest'
import * as z from 'zod'
import { localPrincipal } from '../transports/stdio.ts'
import type { Call } from '@svc/engine'
import type { HistoryRequest } from '@svc/amm'
import type { PoolHistory } from '../../../amm/src/ports.ts'
import type { Ports, WorkCaller, Workers } from '../ports.ts'
import { readTool } from '../tool.ts'
import type { StatusReport } from '../tool-context.ts'
import { handle } from './handle.ts'

const heard: WorkCaller[] = []
const workers: Workers = {
  run(_kind, _input, caller) {
    heard.push(caller)
    return Promise.reject(new Error('no thread here'))
  },
}
const asked: HistoryRequest[] = []
const history: PoolHistory = {
  read(request) {
    asked.push(request)
    return Promise.reject(new Error('no past here'))
  },
}
const call: Call = {
  requestId: 'request',
  tool: 'compute',
  principal: { ...localPrincipal, id: 'asking' },
  dryRun: false,
  idempotencyKey: null,
  input: {},
  carriesOut: null,
  signal: new AbortController().signal,
}

test('threads work and the past is read in the name of the principal who called, whatever the tool says', async () => {
  const onProgress = () => {}
  const compute = readTool({
    name: 'compute',
    title: 'Compute',
    description: 'Computes.',
    scope: 'read:market',
    input: z.strictObject({}),
    output: z.object({}),
  }).handler(async (_input, context) => {
    const drawing = { drawing: {}, theme: 'light', format: 'svg' } as never
    for (const caller of [{ signal: context.signal, onProgress }, { principalId: 'another' }, {}]) {
      await context.workers.run('draw', drawing, caller).catch(() => undefined)
    }
    await context.history.read({ principalId: 'another' } as HistoryRequest).catch(() => undefined)
    return {}
  })
  const rest = { profile: 'full', log: { warn: () => {} } } as const
  const deps = { ports: { workers, history } as Ports, status: {} as StatusReport, write: null, now: Date.now, ...rest }
  await handle(compute, call, deps, null)
  expect(heard).toEqual([
    { signal: call.signal, onProgress, principalId: 'asking' },
    { principalId: 'asking' },
    { principalId: 'asking' },
  ])
  expect(asked).toEqual([{ principalId: 'asking' }])
})
