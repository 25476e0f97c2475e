import { appendFileSync } from 'node:fs'
import type { Reporter, TestModule } from 'vitest/node'

/**
 * Names at the end what passed at a later try alone (`SVC_TEST_RETRIES`), also in the file `SVC_TEST_SECOND_TRIES`: a fault of the test
 * or of what it tests, to be found.
 */
export class SecondTries implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        if (test.diagnostic()?.flaky !== true) continue
        const first = test.result().errors?.[0]?.message ?? 'no message'
        const line = `passed at a later try alone: ${module.relativeModuleId} > ${test.fullName}\n  first: ${first}\n`
        process.stderr.write(line)
        const file = process.env['SVC_TEST_SECOND_TRIES']
        if (file !== undefined) appendFileSync(file, line)
      }
    }
  }
}
