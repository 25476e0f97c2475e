import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'

const root = join(import.meta.dirname, '..')
const passes = 'packages/runtime/src/nearest-name.test.ts'

function repeat(...words: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [join(root, 'scripts/test-repeat.mjs'), ...words], (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr }),
    )
  })
}

it('names a test file that fails now and then with what it said, and not one that never does', async () => {
  const folder = mkdtempSync(join(root, 'test', 'repeat-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'odd.test.ts')
  // Fails every other time.
  writeFileSync(
    file,
    `import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
it('is even', () => {
  const mark = ${JSON.stringify(join(folder, 'mark'))}
  const isOdd = !existsSync(mark)
  if (isOdd) writeFileSync(mark, '')
  else rmSync(mark)
  expect(isOdd, 'an odd run').toBe(false)
})
`,
  )
  const { code, stdout } = await repeat('--times', '2', '--load', '1', file, passes)
  expect(stdout).toMatch(/^1\/2 FAILED .*odd\.test\.ts$/m)
  expect(stdout).toMatch(/^2\/2 passed .*odd\.test\.ts$/m)
  expect(stdout).toMatch(/^--- .*odd\.test\.ts, run 1 of 2\n[^]*an odd run/m)
  expect(stdout).toMatch(/2 files, 2 times, beside 1 busy processes: .*odd\.test\.ts \(1 of 2\)\n$/)
  expect(stdout).not.toMatch(/FAILED .*nearest-name/)
  expect(code).toBe(1)
})

it.each([
  [['--times', '0'], '--times takes a whole number from 1'],
  [['--load', 'x'], '--load takes a whole number from 0'],
])('refuses %j', async (words, said) => {
  expect(await repeat(...words, passes)).toEqual({ code: 2, stdout: '', stderr: `${said}\n` })
})
