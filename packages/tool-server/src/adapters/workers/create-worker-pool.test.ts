import { createSimulation, type SimulationOptions } from '@svc/lp-math'
import { afterEach, describe, expect, test } from 'vitest'
import { createWorkerPool, type WorkerPool, type WorkerPoolOptions } from './create-worker-pool.ts'
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
    expect(await codeOf(workers.run('simulate', quick, { signal: second.signal }))).toBe('CANCELLED')
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

  test('say what a thread refuses, and start none before they are asked', async () => {
    let starts = 0
    open({ program: () => ((starts += 1), workerProgram()) })
    expect(starts).toBe(0)
    await expect(workers.run('simulate', { ...quick, steps: 0 }, caller())).rejects.toThrow('steps')
    expect((await workers.run('simulate', quick, caller())).estimates.length).toBe(2)
    expect(starts).toBe(1)
  })
})
