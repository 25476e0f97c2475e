import { execFile, execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const folder = join('examples', 'test-utils')

test('every example is run by a test', () => {
  const tests = execFileSync('git', ['ls-files', '*.test.ts'], { cwd: root, encoding: 'utf8' }).trim().split('\n')
  const texts = tests.map((path) => readFileSync(join(root, path), 'utf8')).join('\n')
  const examples = readdirSync(join(root, 'examples')).filter((name) => name.endsWith('.mjs'))
  expect(examples.filter((name) => !texts.includes(name))).toEqual([])
})

test.each(readdirSync(join(root, folder)).filter((name) => name.endsWith('.mjs')))(
  'the example of the test package runs as its reader runs it: %s',
  async (name) => {
    const { stdout } = await promisify(execFile)(process.execPath, ['--test', join(folder, name)], { cwd: root })
    expect(stdout).toMatch(/pass [1-9]/)
    expect(stdout).toMatch(/fail 0/)
  },
)

test("the first test of the test package's README runs", async () => {
  const readme = readFileSync(join(root, 'packages', 'test-utils', 'README.md'), 'utf8')
  const [, program = ''] = /```js\n(import [^]*?)```/.exec(readme) ?? []
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], { cwd: root })
  expect(stdout).toMatch(/pass 1/)
})

// The file is type-checked with the tests and run among them.
test("the TypeScript of the test package's README is an example", () => {
  const readme = readFileSync(join(root, 'packages', 'test-utils', 'README.md'), 'utf8')
  const [, program = ''] = /```ts\n(import [^]*?)```/.exec(readme) ?? []
  const example = readFileSync(join(root, folder, 'register.test.ts'), 'utf8')
  expect(program).toBe(example.slice(example.indexOf('import ')))
})

test('examples/lp-on-minutes.mjs tells the shipped minutes, and its figures are those of docs/analytics.md', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [join('examples', 'lp-on-minutes.mjs')], { cwd: root })
  expect(stdout).toBe(`7200 minutes, 1 filled, 89 widened
fees by minutes: 64.14 USD, give or take 1.8 %
fees by hours: 66.99 USD, give or take 10.3 %
fees by days: 81.39 USD, give or take 88.1 %
volatility 75.3 % a year; 10 % either way for 30 days:
  time in range 55.1 %, never left 0.4 %
  expected loss against holding 6.6 %
tight: fees 52.56, market -448.56, IL -350.26, swaps -2.85, gas -0.09; together -749.19 USD
wide: fees 20.00, market -391.98, IL -86.51, swaps 0.00, gas -0.04; together -458.53 USD
full: fees 2.40, market -444.92, IL -10.36, swaps 0.00, gas -0.04; together -452.93 USD
`)
  const page = readFileSync(join(root, 'docs', 'analytics.md'), 'utf8')
  for (const figure of ['64.14', '66.99', '81.39']) expect(page).toContain(figure)
})
