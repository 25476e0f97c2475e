import { describe, expect, it } from 'vitest'
import { program, run } from './processes.fixture.ts'
import { commands } from './run-command.ts'

async function svc(...words: readonly string[]) {
  const command = run(process.execPath, [program, ...words])
  const exitCode = await command.exited
  await command.end()
  return { exitCode, ...command.printed }
}

describe('svc help', () => {
  it('names every command', async () => {
    const { exitCode, stdout } = await svc('help')
    expect(exitCode).toBe(0)
    for (const name of Object.keys(commands)) expect(stdout).toMatch(new RegExp(`^  svc ${name}\\b`, 'm'))
  })

  it('is what --help prints anywhere, and nothing runs', async () => {
    const { stdout } = await svc('help')
    for (const words of [['--help'], ['up', '--help'], ['policy', 'check', '-h']]) {
      expect(await svc(...words)).toMatchObject({ exitCode: 0, stdout, stderr: '' })
    }
  })
})
