// Runs before each file of tests in the copy: writes down which mutants its tests reach. What is reached while modules load belongs to
// no file, since the files of a worker share their modules; it is written down apart.
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'

declare global {
  /** What instrumented modules share. */
  var __stryker__: Counters | undefined
}

type Counters = {
  currentTestId?: string
  mutantCoverage?: { readonly static: Counts; readonly perTest: Readonly<Record<string, Counts>> }
}

type Counts = Readonly<Record<string, number>>

// oxlint-disable-next-line node/no-process-env
const folder = process.env['SVC_MUTATION_COVERAGE']
if (folder !== undefined) {
  const counters: Counters = (globalThis.__stryker__ ??= {})
  delete counters.currentTestId
  beforeAll(() => {
    counters.currentTestId = testFile()
  })
  afterAll(() => {
    delete counters.currentTestId
    const { perTest = {}, static: loaded = {} } = counters.mutantCoverage ?? {}
    const reached = { file: testFile(), ids: Object.keys(perTest[testFile()] ?? {}), loadedIds: Object.keys(loaded) }
    writeFileSync(join(folder, `${randomUUID()}.json`), JSON.stringify(reached))
  })
}

function testFile(): string {
  return relative(process.cwd(), expect.getState().testPath ?? '')
}
