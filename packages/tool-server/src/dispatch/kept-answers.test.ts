import { expect, test } from 'vitest'
import * as z from 'zod'
import { ToolError } from '@svc/amm'
import type { Log } from '@svc/runtime'
import type { Ports } from '../ports.ts'
import { readTool } from '../tool.ts'
import type { StatusReport, ReadContext } from '../tool-context.ts'
import { localPrincipal } from '../transports/stdio.ts'
import { createDispatch } from './dispatch.ts'

const silent: Log = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  flush: () => {},
  writesDebug: false,
  writesInfo: false,
}

/** A tool that counts its runs, over what it rests on; `during` happens in each run. */
function openCounting(during: (context: ReadContext) => void = () => {}) {
  const world = { restsOn: [1, 'one'] as unknown[], runs: 0, nowMs: 1_000 }
  const counting = readTool({
    name: 'counting',
    title: 'Counting',
    description: 'Counts its runs.',
    scope: 'read:market',
    input: z.strictObject({ of: z.string().default('all') }),
    output: z.object({ runs: z.int() }),
    restsOn: () => [...world.restsOn],
  }).handler(async (_input, context) => {
    world.runs += 1
    during(context)
    return { runs: world.runs }
  })
  let requests = 0
  const dispatch = createDispatch({
    tools: [counting],
    profile: 'full',
    ports: {} as Ports,
    status: {} as StatusReport,
    write: null,
    isInForce: () => true,
    log: silent,
    now: () => world.nowMs,
    newRequestId: () => `request-${(requests += 1)}`,
  })
  const ask = (args: object = {}, principal = localPrincipal) =>
    dispatch.call({ name: 'counting', arguments: args, principal, signal: new AbortController().signal })
  const runsSaid = async (args?: object) => (await ask(args)).structuredContent?.['runs']
  return { world, ask, runsSaid }
}

test('an answer is given again while all it rests on is the same, and built anew when any of it is not', async () => {
  const { world, runsSaid } = openCounting()
  expect([await runsSaid(), await runsSaid({ of: 'all' })]).toEqual([1, 1])
  world.restsOn = [1, 'two']
  expect([await runsSaid(), await runsSaid()]).toEqual([2, 2])
  world.restsOn = [1, 'two', undefined]
  expect(await runsSaid()).toBe(3)
})

test('an answer is given again for a minute, and then built anew', async () => {
  const { world, runsSaid } = openCounting()
  await runsSaid()
  world.nowMs += 60_000 - 1
  expect(await runsSaid()).toBe(1)
  world.nowMs += 1
  expect([await runsSaid(), await runsSaid()]).toEqual([2, 2])
  // A clock that is set back.
  world.nowMs -= 60_000
  expect(await runsSaid()).toBe(3)
})

test('of another input there is another answer, and of too many the first goes', async () => {
  const { runsSaid } = openCounting()
  expect([await runsSaid({ of: 'a' }), await runsSaid({ of: 'b' }), await runsSaid({ of: 'a' })]).toEqual([1, 2, 1])
  for (let index = 0; index < 64; index += 1) await runsSaid({ of: `${index}` })
  expect(await runsSaid({ of: 'a' })).toBe(67)
})

test('what changes while an answer is built has the next one built again', async () => {
  const { world, runsSaid } = openCounting(() => {
    if (world.runs === 1) world.restsOn = [2]
  })
  expect([await runsSaid(), await runsSaid(), await runsSaid()]).toEqual([1, 2, 2])
})

test('neither a failure is kept nor what has a picture', async () => {
  const failing = openCounting(() => {
    if (failing.world.runs === 1) throw new ToolError('RPC_TIMEOUT', 'Not now.')
  })
  expect((await failing.ask()).isError).toBe(true)
  expect(await failing.runsSaid()).toBe(2)
  const drawn = openCounting((context) => {
    context.draw(() => {
      throw new Error('cannot be drawn')
    })
  })
  expect((await drawn.ask()).content).toHaveLength(2)
  expect(await drawn.runsSaid()).toBe(2)
})

test('who may not call the tool does not get the answer of those who may', async () => {
  const { ask } = openCounting()
  await ask()
  const stranger = { ...localPrincipal, tier: null, scopes: new Set<never>() }
  expect((await ask({}, stranger))._meta?.['svc/error']?.code).toBe('INSUFFICIENT_KEY_TIER')
})
