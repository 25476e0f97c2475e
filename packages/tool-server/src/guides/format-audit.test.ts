import type { LatestAudit } from '@svc/engine'
import { expect, it } from 'vitest'
import { formatAudit } from './server-resources.ts'

type Line = LatestAudit['lines'][number]

const line = (seq: number, more: object = {}): Line => ({
  seq,
  ts: '2026-01-02T03:04:05.000Z',
  event: 'tx.intent',
  requestId: `r-${seq}`,
  actor: { principal: 'api-key:1', stage: 'api-key' },
  ...more,
})

const read = (lines: readonly Line[], isCut = false) => {
  const text = formatAudit({ lines, isCut }, 0)
  return { text, ...(JSON.parse(text) as { lines: Line[]; notes: string[]; timestamp: string }) }
}

it('shows lines without hashes, in printable ASCII', () => {
  const shown = read([line(1, { v: 1, prevHash: 'a', hash: 'b', why: 'a\u202eb\u0000c' })])
  expect(shown.lines).toEqual([line(1, { why: 'a\u202eb\u0000c' })])
  expect(shown.text).toMatch(/^[ -~]+$/)
  expect(shown).toMatchObject({ notes: [], timestamp: '1970-01-01T00:00:00.000Z' })
})

it('cuts a long line down to what it is about, and says where the rest is', () => {
  const shown = read([line(1, { tool: 'x'.repeat(5_000), calls: ['0x'.repeat(9_000)] })])
  const { ts, event, requestId } = line(1)
  expect(shown.lines).toEqual([
    { seq: 1, ts, event, requestId, tool: 'x'.repeat(64), actor: { principal: 'api-key:1' }, shortened: true },
  ])
  expect(shown.notes).toEqual([expect.stringContaining('svc audit show --request')])
})

it('holds at most fifty lines and 48,000 characters, the newest', () => {
  const many = read(Array.from({ length: 60 }, (_, index) => line(60 - index)))
  expect([many.lines.length, many.lines[0]?.seq, many.notes.length]).toEqual([50, 60, 1])
  const long = read(Array.from({ length: 40 }, (_, index) => line(40 - index, { why: 'y'.repeat(3_000) })))
  expect(long.lines.length).toBeGreaterThan(10)
  expect(long.text.length).toBeLessThan(49_000)
  expect(long.notes).toEqual([expect.stringContaining('Older lines')])
  expect(read([line(1)], true).notes).toEqual([expect.stringContaining('Older lines')])
})
