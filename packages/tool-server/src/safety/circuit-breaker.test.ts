import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { createCircuitBreaker } from './circuit-breaker.ts'

let dataDir: string
const open = () => createCircuitBreaker({ dataDir, maxConsecutiveFailures: 3, now: () => Date.UTC(2026, 0, 1) })

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'breaker-'))
})

describe('the circuit breaker', () => {
  it('opens after the given number of failures in a row, counting across restarts', async () => {
    expect(await open().recordFailure('0xaa reverted')).toBe(false)
    expect(await open().recordFailure('0xbb reverted')).toBe(false)
    expect(await open().isOpen()).toBe(false)
    expect(await open().recordFailure('0xcc reverted')).toBe(true)
    expect(await open().isOpen()).toBe(true)
    expect(JSON.parse(await readFile(join(dataDir, 'breaker.json'), 'utf8'))).toEqual({
      consecutiveFailures: 3,
      openedAt: '2026-01-01T00:00:00.000Z',
      cause: '0xcc reverted',
    })
  })

  it('forgets failures after a success, but a success does not close it', async () => {
    const breaker = open()
    for (const _ of [1, 2]) await breaker.recordFailure('reverted')
    await breaker.recordSuccess()
    for (const _ of [1, 2]) await breaker.recordFailure('reverted')
    expect(await breaker.isOpen()).toBe(false)
    await breaker.recordFailure('reverted')
    await breaker.recordSuccess()
    expect(await breaker.isOpen()).toBe(true)
  })

  it('counts failures that arrive at once one by one', async () => {
    const breaker = open()
    const opened = await Promise.all([1, 2, 3, 4].map(() => breaker.recordFailure('reverted')))
    expect(opened).toEqual([false, false, true, false])
  })

  it('is re-armed by removing its file', async () => {
    const breaker = open()
    for (const _ of [1, 2, 3]) await breaker.recordFailure('reverted')
    await rm(join(dataDir, 'breaker.json'))
    expect(await breaker.isOpen()).toBe(false)
    expect(await breaker.recordFailure('reverted')).toBe(false)
  })

  it.each(['', '{"consecutiveFailures":', '{"consecutiveFailures":-1,"openedAt":null,"cause":null}', '[]'])(
    'counts a file that holds %j as open',
    async (text) => {
      await writeFile(join(dataDir, 'breaker.json'), text)
      expect(await open().isOpen()).toBe(true)
    },
  )
})
