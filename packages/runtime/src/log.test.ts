import fs from 'node:fs'
import { expect, it, type MockInstance, vi } from 'vitest'
import { createLog, type LogLevel } from './log.ts'
import { createRedactor } from './redact.ts'

/** What stands in the only line of an event that tells of an error. */
function toldOf(level: LogLevel, event: 'warn' | 'error'): string {
  const lines: string[] = []
  const log = createLog({ level, redactor: createRedactor(), destination: { write: (line) => void lines.push(line) } })
  const error = new TypeError('the endpoint is gone', { cause: new Error('no socket') })
  log[event]('rpc.failed', { error })
  expect(lines).toHaveLength(1)
  return lines.join('')
}

it.each(['info', 'warn'] as const)('a warning says what went wrong in a line and no stack, at level %s', (level) => {
  expect(toldOf(level, 'warn')).toMatch(/"name":"TypeError","message":"the endpoint is gone"/)
  expect(toldOf(level, 'warn')).toContain('"message":"no socket"')
  expect(toldOf(level, 'warn')).not.toContain('stack')
})

it.each([
  ['debug', 'warn'],
  ['trace', 'warn'],
  ['info', 'error'],
] as const)('at level %s the stack of what is told as %s is there', (level, event) => {
  expect(toldOf(level, event)).toContain('"stack":"TypeError: the endpoint is gone')
})

it('writes what came while a write was on its way, though nothing comes after it', async () => {
  const written: string[] = []
  const ends: (() => void)[] = []
  const write = vi.spyOn(fs, 'write') as unknown as MockInstance<(...asked: unknown[]) => void>
  write.mockImplementation((_file, text, ...rest) => {
    const done = rest.at(-1) as (error: null, bytes: number) => void
    written.push(text as string)
    ends.push(() => done(null, Buffer.byteLength(text as string)))
  })
  try {
    const log = createLog({ level: 'info', redactor: createRedactor() })
    log.info('first')
    await expect.poll(() => written.length).toBe(1)
    log.info('second')
    // Longer than lines wait for others: what was to write it has found a write on its way.
    await new Promise((resolve) => setTimeout(resolve, 60))
    ends[0]?.()
    await expect.poll(() => written.length).toBe(2)
    expect(written[1]).toContain('second')
    ends[1]?.()
  } finally {
    write.mockRestore()
  }
})
