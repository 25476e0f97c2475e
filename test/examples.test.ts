import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const folder = join('examples', 'test-utils')

test.each(readdirSync(join(root, folder)))(
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
