import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { installedProgram, program, readyLine, repository, run, upOnAnyPort, type Run } from './processes.fixture.ts'
import { commands } from './run-command.ts'

// Other tests start the same program in few files: here is what a user starts, with every command that these name.
const folder = mkdtempSync(join(tmpdir(), 'svc-installed-'))
const place = ['--data-dir', join(folder, 'data')]
let world: Run

beforeAll(async () => {
  world = run(process.execPath, [installedProgram, ...upOnAnyPort, ...place])
  await readyLine(world)
})
afterAll(async () => {
  await world.end()
  rmSync(folder, { recursive: true, force: true })
})

const bars = join(repository, 'packages/cli/src/lp/no-such-file.csv')
const calls: Readonly<Record<string, readonly [words: readonly string[], code: number, says: RegExp]>> = {
  approvals: [['list', ...place], 0, /waits|await/i],
  transactions: [['list', ...place], 0, /transaction/i],
  policy: [['explain', 'op-none', ...place], 1, /op-none/],
  audit: [['verify', ...place], 0, /^Whole: 1 line[,.]/],
  pause: [place, 0, /paused/i],
  resume: [place, 0, /^Resumed/],
  keys: [['list', ...place], 0, /FINGERPRINT/],
  memory: [['export', ...place], 0, /^\{"records":\[\n\]\}/],
  status: [place, 0, /^Signing is on/],
  setup: [['client', 'cursor', ...place], 0, /"mcpServers"/],
  doctor: [['--data-dir', join(folder, 'nowhere')], 1, /does not exist/],
  'verify-chains': [['--chain', '31337', ...place], 0, /^local .*31337.* ok$/m],
  backup: [[join(folder, 'no-such', 'backup'), ...place], 1, /no-such/],
  restore: [[join(folder, 'no-such'), '--check'], 1, /no-such/],
  lp: [['optimize', bars, '--fee', '500', '--decimals', '18,6'], 1, /no-such-file/],
}

describe('the program as it is installed', () => {
  it('is another one than most tests start, and both are there', () => {
    expect([program === installedProgram, existsSync(program), existsSync(installedProgram)]).toEqual([
      false,
      true,
      true,
    ])
  })

  it('has these commands, of which `serve` and `demo` are started in their own tests', () => {
    expect([...Object.keys(calls), 'up', 'serve', 'demo'].toSorted()).toEqual(Object.keys(commands).toSorted())
  })

  it.each(Object.entries(calls))('starts `svc %s` beside the server', async (name, [words, code, says]) => {
    const command = run(process.execPath, [installedProgram, name, ...words])
    expect({ code: await command.exited, ...command.printed }).toMatchObject({ code })
    expect(command.printed.stdout + command.printed.stderr).toMatch(says)
    await command.end()
  })
})
