import { defineConfig } from 'vitest/config'
import { LongFilesFirst } from './test/long-files-first.ts'
import { longTests } from './test/long-tests.ts'
import { onEachEngine } from './test/on-each-engine.ts'
import { SecondTries } from './test/second-tries.ts'

const [chain, system] = ['**/*.chain.test.ts', '**/*.system.test.ts']
/**
 * `unit` needs nothing but this process and its disk; `chain` plays on local chains; `system` starts programs, browsers, bundlers and
 * databases, kills them, plays what is long, has the store's tests run again on PostgreSQL, and the replay of pools with all events. `npm test` runs the first two, `npm run check` all.
 */
export default defineConfig({
  ssr: { resolve: { conditions: ['svc-source'] } },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts', 'examples/**/*.test.ts'],
          exclude: ['**/node_modules/**', chain, system, ...longTests],
        },
      },
      {
        extends: true,
        test: {
          name: 'chain',
          include: [`packages/*/src/${chain}`, `test/${chain}`],
          exclude: ['**/node_modules/**', ...longTests],
        },
      },
      {
        extends: true,
        test: {
          name: 'system',
          include: [
            `packages/*/src/${system}`,
            `test/${system}`,
            ...longTests,
            ...onEachEngine,
            'packages/lp-math/src/pool-replay/*.chain.test.ts',
          ],
          env: { SVC_TEST_ENGINE: 'PostgreSQL', SVC_TEST_POOL_EVENTS: 'all' },
        },
      },
    ],
    globalSetup: ['test/temporary-directory.ts', 'test/bundled-program.ts'],
    pool: 'forks',
    sequence: { sequencer: LongFilesFirst },
    // The files of a worker share its modules: nothing of ours keeps state in them (but who waits for the loop),
    // and most of the time went into loading.
    isolate: false,
    // What a file was compiled to is kept beside the packages until its text changes: compiling was an eighth of the work of a run.
    experimental: { fsModuleCache: true },
    // A worker runs most of its code a few times: the engine optimises what has been run eight times as long as it usually waits for.
    execArgv: ['--interrupt-budget=540672'],
    // More than a small machine has cores: most of a test's time is spent waiting for blocks, processes and disks.
    maxWorkers: 4,
    // A machine that is busy elsewhere is no failure: these end what hangs, and measure nothing.
    testTimeout: 180_000,
    hookTimeout: 300_000,
    teardownTimeout: 60_000,
    // None but in the gate, which names what needed one. A property that failed for some input, or a race that was lost, is a fault at once.
    retry: { count: Number(process.env['SVC_TEST_RETRIES'] ?? 0), condition: /^(?!Property failed)/ },
    reporters: ['default', new SecondTries()],
    expect: { poll: { timeout: 60_000 } },
  },
})
