import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { renderSetupCoverage } from './render-setup-coverage.ts'
import { renderSpecCoverage, type SpecifiedTool } from './render-spec-coverage.ts'

const root = join(import.meta.dirname, '../..')
const specified = JSON.parse(readFileSync(join(import.meta.dirname, 'specified-liquidity.json'), 'utf8')) as Readonly<
  Record<string, SpecifiedTool>
>

test('docs/spec-coverage.md names a test for all that the specification asks of the liquidity tools and of a set-up', async () => {
  const listed = execFileSync('git', ['ls-files', 'packages/tool-server/src', 'test'], { cwd: root, encoding: 'utf8' })
  const files = listed.split('\n').filter((file) => file.endsWith('.test.ts') && !file.startsWith('test/docs/'))
  const tools = renderSpecCoverage(specified, root, files)
  const setup = renderSetupCoverage(root)
  const gaps = [...tools.gaps, ...setup.gaps]
  await expect(`${tools.text}${setup.text}`).toMatchFileSnapshot(join(root, 'docs/spec-coverage.md'))
  expect(gaps).toEqual([])
})
