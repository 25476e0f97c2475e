import { createLog, createRedactor, type Log, type LogLevel } from '@svc/runtime'
import { expect, test } from 'vitest'
import { createLineLog } from './create-edge-server.ts'

/** What a log writes of some events, but for the time and the stacks. */
function lines(open: (write: (line: string) => void) => Log): unknown[] {
  const written: unknown[] = []
  const log = open((line) => {
    const { time: _, ...facts } = JSON.parse(line) as { time: number }
    written.push(facts)
  })
  for (const level of ['debug', 'info', 'warn', 'error'] as const) {
    log[level](`event.${level}`)
    log[level]('event.with-facts', { secret: 'hidden anyway', said: 'the key is a-secret-of-ours', count: 1 })
  }
  log.warn('event.with-error', { error: new TypeError('broken') })
  written.push({ writesDebug: log.writesDebug, writesInfo: log.writesInfo })
  return written
}

test.each<LogLevel>(['debug', 'info', 'warn', 'error', 'silent'])(
  'from %s on it writes the lines that the log of a process writes',
  (level) => {
    const redactor = createRedactor(['a-secret-of-ours'])
    const expected = lines((write) => createLog({ level, redactor, destination: { write } }))
    expect(withoutStacks(lines((write) => createLineLog({ level, redactor, write, now: () => 0 })))).toEqual(
      withoutStacks(expected),
    )
    expect(JSON.stringify(expected)).not.toContain('a-secret-of-ours')
  },
)

/** An error is made anew for each of the two. */
function withoutStacks(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (name, one: unknown) => (name === 'stack' ? undefined : one)))
}
