import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { bundleProgram } from '../scripts/bundle-program.mjs'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The `svc` command in few files: what it does as a process, in half the processor's time. */
    readonly bundledProgram: string
    /** The same of `svc-support-api`. */
    readonly bundledSupportApi: string
    /** Whether what tests hold files against is written instead (`--update`). */
    readonly updatesSnapshots: boolean
  }
}

/** Bundles what the processes that tests start run. Tests that start no process of ours run without a build. */
export async function setup(project: TestProject): Promise<void> {
  const folder = (await bundleProgram()) ?? 'not-built'
  project.provide('bundledProgram', join(folder, 'main.mjs'))
  project.provide('updatesSnapshots', project.config.snapshotOptions.updateSnapshot === 'all')
  project.provide('bundledSupportApi', join(folder, 'support-api.mjs'))
}
