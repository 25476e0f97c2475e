// The product's own unit and chain tests as the runner plays them, in a copy of the repository.
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import product from '../../vitest.config.ts'

/** The runner asks for files in the order of what is likely to notice a change soonest. */
class GivenOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files
  }
}

export default defineConfig({
  ...product,
  test: {
    ...product.test,
    setupFiles: ['integration/mutation/write-coverage.ts'],
    sequence: { sequencer: GivenOrder },
    maxWorkers: 1,
    // A copy is changed in other places each time: nothing of it is worth keeping.
    experimental: { fsModuleCache: false },
  },
})
