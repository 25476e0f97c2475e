import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { createCircuitBreaker } from './circuit-breaker.ts'

let dataDir: string
let at: number
const limits = { maxConsecutiveFailures: 3, maxFailuresInWindow: 5, windowMinutes: 60 }
const open = () => createCircuitBreaker({ dataDir, limits: () => limits, now: () => at })

beforeEach(async () => {
  at = Date.UTC(2026, 0, 1)
  dataDir = await mkdtemp(join(tmpdir(), 'breaker-'))
})

describe('the circuit breaker', () => {
  it('opens after the given number of failures in a row, counting across restarts', async () => {
    expect(await open().recordFailure('0xaa reverted')).toBe(false)
    expect(await open().recordFailure('0xbb reverted')).toBe(false)
    expect(await open().stops()).toBe('nothing')
    expect(await open().recordFailure('0xcc reverted')).toBe(true)
    expect(await open().stops()).toBe('all-but-ways-home')
    expect(JSON.parse(await readFile(join(dataDir, 'breaker.json'), 'utf8'))).toEqual({
      consecutiveFailures: 3,
      failedAt: [at, at, at],
      openedAt: '2026-01-01T00:00:00.000Z',
      cause: '3 transactions in a row were mined and reverted; 0xcc reverted',
      openedBy: 'failures',
      rearmed: null,
      past: [],
    })
  })

  it('forgets failures after a success, but a success does not close it', async () => {
    const breaker = open()
    for (const _ of [1, 2]) await breaker.recordFailure('reverted')
    await breaker.recordSuccess()
    for (const _ of [1, 2]) await breaker.recordFailure('reverted')
    expect(await breaker.stops()).toBe('nothing')
    await breaker.recordFailure('reverted')
    await breaker.recordSuccess()
    expect(await breaker.stops()).toBe('all-but-ways-home')
  })

  it('counts failures that arrive at once one by one', async () => {
    const breaker = open()
    const opened = await Promise.all([1, 2, 3, 4].map(() => breaker.recordFailure('reverted')))
    expect(opened).toEqual([false, false, true, false])
  })

  it('opens after the given number of failures of any kind within the window, successes between them or not', async () => {
    const breaker = open()
    for (const _ of [1, 2, 3, 4]) {
      expect(await breaker.recordFailure('declined', 'other')).toBe(false)
      await breaker.recordSuccess()
      at += 10 * 60_000
    }
    expect(await breaker.recordFailure('declined', 'other')).toBe(true)
    expect(await breaker.status()).toMatchObject({ open: true, cause: '5 failures within 60 min; declined' })
  })

  it('forgets failures that are older than the window', async () => {
    const breaker = open()
    for (const _ of [1, 2, 3, 4]) await breaker.recordFailure('declined', 'other')
    at += 60 * 60_000
    expect(await breaker.recordFailure('declined', 'other')).toBe(false)
    expect(await breaker.stops()).toBe('nothing')
  })

  it('opens when told to, once, and outlives its process', async () => {
    expect(await open().trip('the balance fell')).toBe(true)
    expect(await open().trip('and again')).toBe(false)
    expect(await open().status()).toEqual({
      open: true,
      since: '2026-01-01T00:00:00.000Z',
      cause: 'the balance fell',
      openedBy: null,
      stops: 'everything',
      rearmed: null,
      past: [],
    })
  })

  it.each([
    ['failures', 'all-but-ways-home'],
    ['balance', 'all-but-ways-home'],
    ['drift', 'everything'],
    [undefined, 'everything'],
  ] as const)('opened by %s, stops %s', async (openedBy, stops) => {
    await open().trip('a drill', openedBy)
    expect(await open().stops()).toBe(stops)
  })

  it('stops ways home too where the next cause does, and never lets them pass again', async () => {
    await open().trip('the balance fell', 'balance')
    expect(await open().trip('five failed', 'failures')).toBe(false)
    at += 60_000
    expect(await open().trip('it ended worse', 'drift')).toBe(true)
    const standing = {
      since: '2026-01-01T00:00:00.000Z',
      cause: 'the balance fell; then it ended worse',
      openedBy: 'drift',
      stops: 'everything',
    }
    expect(await open().status()).toMatchObject(standing)
    expect(await open().trip('the balance fell', 'balance')).toBe(false)
    expect(await open().status()).toMatchObject(standing)
  })

  it.each(['"drift"', '"whatever comes later"', 'null'])('stops everything where the file names %s', async (by) => {
    const state = `{"consecutiveFailures":0,"openedAt":"2026-01-01T00:00:00.000Z","cause":"a drill","openedBy":${by}}`
    await writeFile(join(dataDir, 'breaker.json'), state)
    expect(await open().stops()).toBe('everything')
    await writeFile(join(dataDir, 'breaker.json'), state.replace(`,"openedBy":${by}`, ''))
    expect(await open().stops()).toBe('everything')
  })

  it('is re-armed by the operator, and counts from nothing then', async () => {
    const breaker = open()
    expect(await breaker.rearm({ by: 'operator:ada', at: '2026-01-01T01:00:00.000Z' })).toBe(false)
    for (const _ of [1, 2, 3]) await breaker.recordFailure('reverted')
    expect(await open().rearm({ by: 'operator:ada', at: '2026-01-01T01:00:00.000Z' })).toBe(true)
    expect(await breaker.status()).toMatchObject({
      open: false,
      since: null,
      cause: null,
      rearmed: { by: 'operator:ada' },
      past: [
        {
          begun: { since: '2026-01-01T00:00:00.000Z', cause: expect.stringContaining('3 transactions in a row') },
          end: { by: 'operator:ada', at: '2026-01-01T01:00:00.000Z' },
        },
      ],
    })
    expect(await breaker.recordFailure('reverted')).toBe(false)
  })

  it.each(['', '{"consecutiveFailures":', '{"consecutiveFailures":-1,"openedAt":null,"cause":null}', '[]'])(
    'counts a file that holds %j as open',
    async (text) => {
      await writeFile(join(dataDir, 'breaker.json'), text)
      expect(await open().status()).toMatchObject({
        stops: 'everything',
        cause: expect.stringContaining('cannot be read'),
      })
      expect(await open().rearm({ by: 'operator:ada', at: '2026-01-01T01:00:00.000Z' })).toBe(true)
      expect(await open().stops()).toBe('nothing')
    },
  )
})
