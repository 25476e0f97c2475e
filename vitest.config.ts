import { defineConfig } from 'vitest/config'
import { LongFilesFirst } from './test/long-files-first.ts'

export default defineConfig({
  ssr: { resolve: { conditions: ['svc-source'] } },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts', 'examples/**/*.test.ts'],
    globalSetup: ['test/temporary-directory.ts', 'test/bundled-program.ts'],
    pool: 'forks',
    sequence: { sequencer: LongFilesFirst },
    // The files of a worker share its modules: nothing of ours keeps state in them (but who waits for the loop),
    // and most of the time went into loading.
    isolate: false,
    // More than a small machine has cores: most of a test's time is spent waiting for blocks, processes and disks.
    maxWorkers: 4,
    // A machine that is busy elsewhere is no failure: these end what hangs, and measure nothing.
    testTimeout: 180_000,
    hookTimeout: 300_000,
    teardownTimeout: 60_000,
    expect: { poll: { timeout: 60_000 } },
  },
})
