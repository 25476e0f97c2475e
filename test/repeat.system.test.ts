import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'

const root = join(import.meta.dirname, '..')
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs')
const passes = 'packages/runtime/src/nearest-name.test.ts'

function repeat(...words: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [join(root, 'scripts/test-repeat.mjs'), ...words], (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr }),
    )
  })
}

it('names a test file that fails now and then with what it said, and not one that never does', async () => {
  const { file } = oddTest()
  const { code, stdout } = await repeat('--times', '2', '--load', '1', file, passes)
  expect(stdout).toMatch(/^1\/2 FAILED .*odd\.test\.ts$/m)
  expect(stdout).toMatch(/^2\/2 passed .*odd\.test\.ts$/m)
  expect(stdout).toMatch(/^--- .*odd\.test\.ts, run 1 of 2\n[^]*an odd run/m)
  expect(stdout).toMatch(/2 files, 2 times, beside 1 busy processes: .*odd\.test\.ts \(1 of 2\)\n$/)
  expect(stdout).not.toMatch(/FAILED .*nearest-name/)
  expect(code).toBe(1)
})

it('says of a second try that it was needed, and gives none to a property that failed or where none is asked for', async () => {
  const { folder, file } = oddTest()
  const listed = join(folder, 'second-tries')
  const run = (name: string, retries: string) =>
    promisify(execFile)(process.execPath, [vitest, 'run', '--project', 'unit', name], {
      cwd: root,
      env: { ...process.env, SVC_TEST_RETRIES: retries, SVC_TEST_SECOND_TRIES: listed },
    })
  const { stderr } = await run(file, '1')
  expect(stderr).toMatch(/passed at a later try alone: test\/repeat-.*odd\.test\.ts > is even\n {2}first: an odd run/)
  expect(readFileSync(listed, 'utf8')).toBe(stderr.slice(stderr.indexOf('passed at')))
  await expect(run(file, '0')).rejects.toMatchObject({ code: 1 })
  const property = oddTest('Property failed after 1 tests')
  await expect(run(property.file, '1')).rejects.toMatchObject({ code: 1 })
})

/** A test file that fails every other time. */
function oddTest(message = 'an odd run'): { readonly folder: string; readonly file: string } {
  const folder = mkdtempSync(join(root, 'test', 'repeat-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'odd.test.ts')
  writeFileSync(
    file,
    `import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { it } from 'vitest'
it('is even', () => {
  const mark = ${JSON.stringify(join(folder, 'mark'))}
  const isOdd = !existsSync(mark)
  if (isOdd) writeFileSync(mark, '')
  else rmSync(mark)
  if (isOdd) throw new Error(${JSON.stringify(message)})
})
`,
  )
  return { folder, file }
}

it.each([
  [['--times', '0'], '--times takes a whole number from 1'],
  [['--load', 'x'], '--load takes a whole number from 0'],
])('refuses %j', async (words, said) => {
  expect(await repeat(...words, passes)).toEqual({ code: 2, stdout: '', stderr: `${said}\n` })
})
