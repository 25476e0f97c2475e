import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { program, run, runToEnd } from './processes.fixture.ts'
import { helpOf } from './help.ts'
import { commands } from './run-command.ts'

const svc = (...words: readonly string[]) => runToEnd(words)

describe('svc help', () => {
  it('names every command', async () => {
    const { code, stdout } = await svc('help')
    expect(code).toBe(0)
    for (const name of Object.keys(commands))
      expect(stdout).toMatch(new RegExp(`^  svc (?:\\w+, )?${name}\\b|; svc ${name}\\b`, 'm'))
  })

  it('fits on one screen, a plain one, in groups', async () => {
    const { stdout } = await svc('help')
    const lines = stdout.trimEnd().split('\n')
    expect(lines.length).toBeLessThanOrEqual(23)
    expect(lines.filter((line) => line.length > 80)).toEqual([])
    expect(lines.filter((line) => /^[A-Z]/.test(line)).length).toBeGreaterThan(3)
  })

  it('is what --help prints, of a command what that one takes, and nothing runs', async () => {
    const { stdout } = await svc('help')
    expect(await svc('--help')).toMatchObject({ code: 0, stdout, stderr: '' })
    for (const words of [['up'], ['policy', 'check'], ['demo']]) {
      const [name = ''] = words
      const part = await svc(...words, '--help')
      expect(part).toMatchObject({ code: 0, stderr: '' })
      expect(await svc('help', name)).toEqual(part)
      expect(new Set(part.stdout.match(/^ {2}svc \w+/gm))).toEqual(new Set([`  svc ${name}`]))
    }
    expect(await svc('help', 'polcy')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Did you mean policy?'),
    })
  })

  it('says of every command what it takes', () => {
    for (const name of Object.keys(commands))
      expect(helpOf(name)).toMatch(new RegExp(`^  svc ${name} .*\\n(?: .*\\n)*$`))
  })
})

describe('svc', () => {
  it('says its version', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
    expect(await svc('--version')).toMatchObject({ code: 0, stdout: `svc ${version}\n`, stderr: '' })
  })

  it('names the command that was probably meant, in one line', async () => {
    const stderr = 'svc: there is no command "polciy". Did you mean policy? See: svc help\n'
    expect(await svc('polciy', 'check')).toMatchObject({ code: 2, stdout: '', stderr })
  })

  it('says its name once in front of what is wrong', async () => {
    const { code, stderr } = await svc('approvals')
    expect([code, stderr.match(/svc approvals\b/g)]).toEqual([2, ['svc approvals']])
  })
})

describe('what svc prints', () => {
  it('reaches a slow reader of a pipe wholly', async () => {
    // A pipe holds 64 KiB: while nobody reads, the program has most of it left to write when it is done.
    const { stdout, stderr } = await piped('(sleep 0.5; cat)', 'audit', 'show', '--json', '--data-dir', largeLog())
    const lines = stdout.trimEnd().split('\n')
    expect(lines).toHaveLength(logLines)
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ seq: logLines })
    expect(stderr).toBe('exit code 0\n')
  })

  it('ends without a word when its reader goes', async () => {
    const { stdout, stderr } = await piped('head -n 1', 'audit', 'show', '--json', '--data-dir', largeLog())
    expect([stdout.trimEnd().split('\n').length, stderr]).toEqual([1, 'exit code 141\n'])
  })
})

const logLines = 6_000

/** A data directory with an audit log of more than a megabyte. */
function largeLog(): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-cli-test-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  const line = (seq: number) => ({ seq, at: '2026-01-31T12:00:00.000Z', event: 'tx.intent', note: 'x'.repeat(250) })
  const lines = Array.from({ length: logLines }, (_, index) => `${JSON.stringify(line(index + 1))}\n`)
  writeFileSync(join(dataDir, 'audit.jsonl'), lines.join(''))
  return dataDir
}

/** A call of `svc` with its stdout in a pipe of the system to a reader, a command of the shell. */
async function piped(reader: string, ...words: readonly string[]) {
  const script = `{ "$@"; echo "exit code $?" >&2; } | ${reader}`
  const command = run('sh', ['-c', script, 'sh', process.execPath, program, ...words])
  await command.exited
  await command.end()
  return command.printed
}
