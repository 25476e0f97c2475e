import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../', import.meta.url))
const packages = readdirSync(join(root, 'packages'))
const scratch = join(root, 'node_modules', '.cache')
mkdirSync(scratch, { recursive: true })
// Within the repository, where the packages are found by their names.
const folder = mkdtempSync(join(scratch, 'readmes-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe.each(packages)('packages/%s', (name) => {
  const read = (file: string) => readFileSync(join(root, 'packages', name, file), 'utf8')

  it('says what it is, under which licence, and what to find it by', () => {
    const { keywords, description, sideEffects } = JSON.parse(read('package.json')) as {
      keywords: string[]
      description: string
      sideEffects: unknown
    }
    expect(sideEffects).toBeDefined()
    expect(keywords.length).toBeGreaterThan(2)
    expect(description.length).toBeGreaterThan(20)
    expect(read('README.md').startsWith(`# @svc/${name}\n`)).toBe(true)
    expect(read('LICENSE')).toContain('MIT License')
    expect(readFileSync(join(root, 'README.md'), 'utf8')).toContain(`| [\`@svc/${name}\`](packages/${name}) |`)
  })
})

it('the README of the repository is read in one sitting', () => {
  expect(readFileSync(join(root, 'README.md'), 'utf8').split(/\s+/).length).toBeLessThanOrEqual(800)
})

it('the programs in the README of lp-math print what it says they print', () => {
  const readme = readFileSync(join(root, 'packages/lp-math/README.md'), 'utf8')
  const programs = [...readme.matchAll(/^```js\n([^]*?)^```/gm)].map(([, program = '']) => program)
  expect(programs).toHaveLength(5)
  for (const program of programs) {
    const file = join(folder, 'example.mjs')
    writeFileSync(file, program)
    const said = execFileSync(process.execPath, [file], { encoding: 'utf8', timeout: 120_000 })
    expect(said.trim().split('\n')).toEqual([...program.matchAll(/\/\/ → (.*)$/gm)].map(([, line]) => line))
  }
})

it.each(['store', 'amm', 'engine', 'devnet', 'tool-server', 'support-api'])(
  'the program in the README of %s runs',
  (name) => {
    const program = /^```js\n([^]*?)^```/m.exec(readFileSync(join(root, 'packages', name, 'README.md'), 'utf8'))?.[1]
    const file = join(folder, `${name}.mjs`)
    writeFileSync(file, program ?? '')
    const said = execFileSync(process.execPath, [file], { encoding: 'utf8', timeout: 120_000 })
    for (const [, expected] of (program ?? '').matchAll(/\/\/ (true|false|\.\.\. 200)/g)) {
      expect(said).toContain((expected ?? '').replace('... ', ''))
    }
    expect(said).not.toBe('')
  },
)
