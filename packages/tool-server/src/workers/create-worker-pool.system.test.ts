import { createSimulation, type SimulationOptions } from '@svc/lp-math'
import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { availableParallelism, getPriority } from 'node:os'
import { promisify } from 'node:util'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { rangeResult } from '../charts/picture-data.fixture.ts'
import { createWorkerPool, threadCount, type WorkerPool, type WorkerPoolOptions } from './create-worker-pool.ts'
import { workerProgram } from './worker-program.ts'

const quick: SimulationOptions = {
  model: { price: 1, sigma: 0.8, drift: 0, years: 30 / 365 },
  bounds: [
    { lower: 0.9, upper: 1.1 },
    { lower: 0, upper: Number.POSITIVE_INFINITY },
  ],
  paths: 5_000,
  steps: 32,
  seed: 7,
}
/** Takes longer than any test waits for it. */
const endless: SimulationOptions = { ...quick, paths: 10_000_000, steps: 1_000 }

let workers: WorkerPool

function open(options: Partial<WorkerPoolOptions> = {}): WorkerPool {
  return (workers = createWorkerPool({ threads: 1, deadlineMs: 100_000, ...options }))
}

afterEach(() => workers.close())

const caller = () => ({ signal: new AbortController().signal })

/** What stands in an error after some work that must fail. */
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: { code?: string }) => error.code ?? 'other',
  )

describe('simulations in threads', () => {
  test('tell what the same simulation tells here, and how far they are', async () => {
    const here = createSimulation(quick)
    here.advance(here.paths)
    const heard: [number, number][] = []
    const run = await open().run('simulate', quick, { ...caller(), onProgress: (...step) => void heard.push(step) })
    expect(run).toEqual({ paths: here.paths, estimates: here.result() })
    expect(heard.length).toBeGreaterThan(2)
    expect(heard).toEqual(heard.toSorted(([a], [b]) => a - b))
    expect(heard.at(-1)).toEqual([here.paths, here.paths])
  })

  test('give way to the thread that answers calls, where a system has priorities of threads', async () => {
    await open().run('simulate', quick, caller())
    const threads = process.platform === 'linux' ? readdirSync('/proc/self/task') : []
    const priorities = threads.map((id) => getPriority(Number(id)))
    expect(priorities.filter((priority) => priority === 5)).toHaveLength(process.platform === 'linux' ? 1 : 0)
  })

  test('end for a caller that leaves, running or waiting, and go on with the next', async () => {
    open()
    const [first, second] = [new AbortController(), new AbortController()]
    const running = codeOf(workers.run('simulate', endless, { signal: first.signal, onProgress: () => first.abort() }))
    const waiting = codeOf(workers.run('simulate', quick, { signal: second.signal }))
    const next = workers.run('simulate', quick, caller())
    second.abort()
    expect(await waiting).toBe('CANCELLED')
    expect(await running).toBe('CANCELLED')
    expect((await next).estimates.length).toBe(2)
    await expect(workers.run('simulate', quick, { signal: second.signal })).rejects.toMatchObject({
      code: 'CANCELLED',
      suggestion: expect.stringContaining('fewer simulations'),
    })
  })

  test('end at their time limit, waiting included', async () => {
    open({ deadlineMs: 300 })
    const codes = [1, 2].map((seed) => codeOf(workers.run('simulate', { ...endless, seed }, caller())))
    expect(await Promise.all(codes)).toEqual(['SIMULATION_TIMEOUT', 'SIMULATION_TIMEOUT'])
  })

  test('are refused when too many wait, and when the server closes', async () => {
    open({ maxWaiting: 1 })
    const codes = [1, 2, 3].map((seed) => codeOf(workers.run('simulate', { ...endless, seed }, caller())))
    expect(await codes[2]).toBe('SERVER_BUSY')
    await workers.close()
    expect(await Promise.all(codes)).toEqual(['SERVER_BUSY', 'SERVER_BUSY', 'SERVER_BUSY'])
    expect(await codeOf(workers.run('simulate', quick, caller()))).toBe('SERVER_BUSY')
  })

  test('of one principal keep nobody else waiting, and give up their places for him', async () => {
    open({ maxWaiting: 3 })
    const ended: string[] = []
    const work = (principalId: string, paths: number) =>
      workers.run('simulate', { ...quick, paths }, { principalId }).then(() => ended.push(principalId))
    const flood = ['first', 'second', 'third', 'fourth'].map(() => codeOf(work('flooding', 200_000)))
    expect(await codeOf(work('flooding', 64)), 'no place for more of the same').toBe('SERVER_BUSY')
    await work('other', 64)
    expect(ended, 'one ran already, and one had its turn').toEqual(['flooding', 'flooding', 'other'])
    expect(await Promise.all(flood)).toEqual(['done', 'done', 'done', 'SERVER_BUSY'])
  })

  test('fail alone with a thread that dies, which the next one replaces', async () => {
    let starts = 0
    const program = "import { parentPort } from 'node:worker_threads'; parentPort.on('message', () => process.exit(3))"
    const dying = new URL(`data:text/javascript,${encodeURIComponent(program)}`)
    open({ program: () => ((starts += 1) === 1 ? dying : workerProgram()) })
    const [failed, next] = await Promise.allSettled([1, 2].map(() => workers.run('simulate', quick, caller())))
    expect(failed).toMatchObject({ status: 'rejected', reason: { message: expect.stringContaining('code 3') } })
    expect(next?.status).toBe('fulfilled')
    expect(starts).toBe(2)
  })

  test('fail alone where they cannot be told to a thread, which is free for the next', async () => {
    open({ deadlineMs: 5_000 })
    const unreported = { ...quick, tell: () => 0 }
    const [failed, next] = await Promise.allSettled(
      [unreported, quick].map((one) => workers.run('simulate', one, caller())),
    )
    expect(failed).toMatchObject({ status: 'rejected', reason: { name: 'DataCloneError' } })
    expect(next?.status).toBe('fulfilled')
    expect((await workers.run('simulate', quick, caller())).estimates.length).toBe(2)
  })

  test('say what a thread refuses, and start none before they are asked', async () => {
    let starts = 0
    open({ program: () => ((starts += 1), workerProgram()) })
    expect(starts).toBe(0)
    await expect(workers.run('simulate', { ...quick, steps: 0 }, caller())).rejects.toThrow('steps')
    expect((await workers.run('simulate', quick, caller())).estimates.length).toBe(2)
    expect(starts).toBe(1)
  })
})

describe('threads', () => {
  /** A thread that does with each task what the program says. */
  const doing = (then: string) => {
    const program = `import { parentPort } from 'node:worker_threads'; parentPort.on('message', () => { ${then} })`
    return () => new URL(`data:text/javascript,${encodeURIComponent(program)}`)
  }

  test('are one less than there are cores, and four at most', async () => {
    expect([1, 2, 3, 5, 64].map(threadCount)).toEqual([1, 1, 2, 4, 4])
    let starts = 0
    const program = () => ((starts += 1), doing('')())
    workers = createWorkerPool({ program })
    const tasks = [1, 2, 3, 4, 5].map(() => codeOf(workers.run('simulate', quick, caller())))
    expect(starts).toBe(threadCount(availableParallelism()))
    await workers.close()
    await Promise.all(tasks)
  })

  test('see nothing of the environment, where secrets are', async () => {
    vi.stubEnv('SVC_SECRET', 'seen')
    open({
      program: doing("parentPort.postMessage({ kind: 'failed', message: JSON.stringify(process.env), code: null })"),
    })
    await expect(workers.run('simulate', quick, caller())).rejects.toThrow(/^\{\}$/)
    vi.unstubAllEnvs()
  })

  test('hold their process up while they work, and no longer', async () => {
    expect(await ownProcess('work().then(work).then(({ paths }) => console.log(paths))')).toBe('5120\n')
  })

  test('never come before others of a process that itself comes last', async () => {
    const script = `os.setPriority(15)
const priorities = () => fs.readdirSync('/proc/self/task').map((id) => os.getPriority(Number(id)))
work().then(() => console.log(priorities().filter((priority) => priority > 0).join()))`
    // A thread begins with the priority of the one that makes it.
    expect(process.platform === 'linux' ? await ownProcess(script) : '15,15\n').toBe('15,15\n')
    // Whoever comes last waits for long on a busy machine.
  }, 120_000)
})

/** What a process prints that has a pool with one thread, and `work` for it. */
async function ownProcess(script: string): Promise<string> {
  const pool = new URL('../../dist/workers/create-worker-pool.js', import.meta.url).href
  const task = JSON.stringify({ ...quick, bounds: [{ lower: 0.9, upper: 1.1 }] })
  const program = `import fs from 'node:fs'
import os from 'node:os'
import { createWorkerPool } from ${JSON.stringify(pool)}
const workers = createWorkerPool({ threads: 1, deadlineMs: 100_000 })
const work = () => workers.run('simulate', ${task}, {})
${script}`
  const args = ['--input-type=module', '--eval', program]
  return (await promisify(execFile)(process.execPath, args, { timeout: 110_000 })).stdout
}

describe('what a pool bears when nobody says how much', () => {
  test('is 32 tasks that wait', async () => {
    workers = createWorkerPool({ threads: 0 })
    let refused = 0
    const codes = Array.from({ length: 33 }, () =>
      codeOf(workers.run('simulate', quick, caller())).finally(() => (refused += 1)),
    )
    expect(await codes[32]).toBe('SERVER_BUSY')
    expect(refused).toBe(1)
  })

  test.each([
    { waitedMs: 10_000, threads: 0, where: 'waiting', fix: 'call again later' },
    { waitedMs: 0, threads: 1, where: 'work', fix: 'fewer simulations' },
  ])('is ten seconds, of which it says that they went into $where', async ({ waitedMs, threads, where, fix }) => {
    let nowMs = 0
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    workers = createWorkerPool({ threads, now: () => nowMs })
    const task = workers.run('simulate', endless, caller()).catch((error: unknown) => error)
    // Timers and clocks do not agree to the millisecond.
    nowMs = 9_999
    vi.advanceTimersByTime(9_999)
    expect(await Promise.race([task, Promise.resolve('still waiting')])).toBe('still waiting')
    vi.advanceTimersByTime(1)
    vi.useRealTimers()
    expect(await task).toMatchObject({
      code: 'SIMULATION_TIMEOUT',
      message: `The simulation was not ready after 10000 ms, ${waitedMs} of them waiting for a thread.`,
      suggestion: expect.stringContaining(fix),
      details: [{ message: expect.stringContaining(where), waitedMs, limitMs: 10_000 }],
    })
  })

  test('of a picture is thirty seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    workers = createWorkerPool({ threads: 0, now: () => 0 })
    const drawing = { kind: 'range', result: rangeResult, horizonDays: 30 } as const
    const task = workers.run('draw', { drawing, format: 'svg' }, caller()).catch((error: unknown) => error)
    vi.advanceTimersByTime(29_999)
    expect(await Promise.race([task, Promise.resolve('still waiting')])).toBe('still waiting')
    vi.advanceTimersByTime(1)
    vi.useRealTimers()
    expect(await task).toMatchObject({ code: 'SIMULATION_TIMEOUT', details: [{ limitMs: 30_000 }] })
  })

  test.each([
    { waitedMs: 5_000, where: 'work' },
    { waitedMs: 5_001, where: 'waiting' },
  ])('says that most of it went into $where after $waitedMs ms in the line', async ({ waitedMs, where }) => {
    let nowMs = 0
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    workers = createWorkerPool({ threads: 1, now: () => nowMs })
    const before = new AbortController()
    const first = codeOf(workers.run('simulate', endless, { signal: before.signal }))
    let task: Promise<unknown> = first
    await new Promise<void>((begun) => {
      task = workers.run('simulate', endless, { onProgress: () => begun() }).catch((error: unknown) => error)
      nowMs = waitedMs
      before.abort()
    })
    vi.advanceTimersByTime(10_000)
    vi.useRealTimers()
    expect(await first).toBe('CANCELLED')
    const message = `Most of the time went into ${where}.`
    expect(await task).toMatchObject({ details: [{ message, waitedMs, limitMs: 10_000 }] })
  })
})
