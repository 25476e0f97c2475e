import { expect, it } from 'vitest'
import type { AuditEvent } from './audit.ts'
import { createRefusedCallers } from './call-outcomes.ts'

it('notes the first refusal at once and then a number a minute, however many come', () => {
  const lines: AuditEvent[] = []
  let now = 0
  const callers = createRefusedCallers({ audit: { note: (event) => void lines.push(event) }, now: () => now })
  for (let caller = 0; caller < 10_000; caller += 1) {
    now = caller * 9
    callers.refused(caller % 2 === 0 ? 'refused' : 'missing', `10.0.0.${caller % 50}`)
  }
  expect(lines).toHaveLength(2)
  expect(lines[0]).toEqual({ event: 'auth.failed', count: 1, reasons: { refused: 1 }, addresses: ['10.0.0.0'] })
  expect(lines[1]).toMatchObject({ count: 6_667, addresses: { length: 5 } })
  callers.flush()
  callers.flush()
  expect(lines).toHaveLength(3)
  expect(lines.reduce((sum, { count }) => sum + Number(count), 0)).toBe(10_000)
})
