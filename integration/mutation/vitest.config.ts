// The product's own unit and chain tests as the runner plays them, in a copy of the repository, with those that are only too long for
// `npm test`.
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { longTests } from '../../test/long-tests.ts'
import product from '../../vitest.config.ts'

/** The runner asks for files in the order of what is likely to notice a change soonest. */
class GivenOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files
  }
}

type Project = { readonly test: { readonly name: string; readonly exclude?: readonly string[] } }

function withLongTests(project: Project) {
  const { exclude = [] } = project.test
  return { ...project, test: { ...project.test, exclude: exclude.filter((path) => !longTests.includes(path)) } }
}

export default defineConfig({
  ...product,
  test: {
    ...product.test,
    projects: (product.test?.projects ?? []).map((project) => withLongTests(project as Project)),
    setupFiles: ['integration/mutation/write-coverage.ts'],
    sequence: { sequencer: GivenOrder },
    maxWorkers: 1,
    // A copy is changed in other places each time: nothing of it is worth keeping.
    experimental: { fsModuleCache: false },
  },
})
