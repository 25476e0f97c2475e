import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { UsageError } from '../usage-error.ts'
import { show } from './audit-words.ts'

let dataDir = ''
beforeEach(() => void (dataDir = mkdtempSync(join(tmpdir(), 'svc-audit-'))))
afterEach(() => rmSync(dataDir, { recursive: true }))

/** What the command prints over a log of these lines. */
async function shown(lines: readonly object[], ...words: readonly string[]) {
  writeFileSync(join(dataDir, 'audit.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  try {
    const code = await show([...words, '--data-dir', dataDir])
    return { code, text: write.mock.calls.map(([text]) => String(text)).join('') }
  } finally {
    write.mockRestore()
  }
}

const line = { event: 'tool.called', tool: 'execute_swap' }

it('tells an empty log from one of which no line fits', async () => {
  expect(await shown([])).toEqual({ code: 0, text: 'The audit log is empty.\n' })
  expect(await shown([line], '--event', 'tx.failed')).toEqual({ code: 0, text: 'No line fits.\n' })
  expect(await shown([line], '--event', 'tx')).toEqual({ code: 0, text: 'No line fits.\n' })
  expect(await shown([line], '--tool', 'add_liquidity')).toEqual({ code: 0, text: 'No line fits.\n' })
})

it.each([
  [
    ['--event', 'tx.faild'],
    'There is no event "tx.faild". Did you mean "tx.failed"?\n--event takes: audit.continued, audit.gap, ',
  ],
  [
    ['--tool', 'excecute_swap'],
    'There is no tool "excecute_swap". Did you mean "execute_swap"?\n--tool takes: add_liq',
  ],
  [['--tool', 'bridge'], 'There is no tool "bridge".\n--tool takes: add_liquidity, '],
])('refuses %j, names what there is and what was probably meant', async (words, message) => {
  const refused = await shown([line], ...words).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(UsageError)
  expect(String(refused)).toContain(message)
})

it('shows lines of an older version under names that are none any more', async () => {
  const old = { event: 'tx.gone', tool: 'old_tool' }
  expect((await shown([line, old], '--event', 'tx.gone')).text).toContain('old_tool')
  expect((await shown([line, old], '--tool', 'old_tool')).text).toContain('tx.gone')
})

it('names the code of a refusal once, and what was wrong with a policy that broke', async () => {
  const refused = { event: 'tx.refused', decision: { rule: 'POLICY_INVALID' }, result: { error: 'POLICY_INVALID' } }
  const broke = { event: 'policy.invalid', problems: ['limitsUsd.daily: wrong', 'bogus: there is no such member'] }
  const mended = { event: 'policy.mended', policyHash: 'ab'.repeat(32) }
  const { text } = await shown([refused, broke, mended])
  expect(text.match(/POLICY_INVALID/g)).toHaveLength(1)
  expect(text).toContain('limitsUsd.daily: wrong; bogus: there is no such member')
  expect(text).toContain('policy abababababab')
})
