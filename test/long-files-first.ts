import { readFileSync } from 'node:fs'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { longTests } from './long-tests.ts'

/**
 * Begins with the files that take longest, so that none of them runs alone at the end. Vitest knows how long files took the last
 * time; the first time it begins with those of the most bytes, though what takes longest starts programs with few words. Before
 * them all goes one that seeds the chain with a history, and behind its neighbours the others that need it, for they would wait for it:
 * not behind all projects, since a worker serves one project alone, and each that is started loads everything anew.
 */
export class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((one, other) => turnOf(one) - turnOf(other))
  }
}

const seeding = /\/devnet\/src\/history\.chain\.test\.ts$/

const longFiles = [
  /\/test\/(?:[a-z-]*kills|access|operator-page|takeover|views\/[a-z-]*)\.system\.test\.ts$/,
  /\/cli\/src\/(?:endings|installed-program|secrets|commands\/(?:up|backup|demo|lp|serve-clients))\.system\.test\.ts$/,
  /\/tool-server\/src\/(?:shared-reads|takeover|tools\/liquidity\/trading-routes|workers\/create-worker-pool)\.system\.test\.ts$/,
  /\/page\/browser\.system\.test\.ts$/,
  /\/store\/src\/ledger\/ledger-race\.test\.ts$/,
  /\/support-api\/src\/app\.test\.ts$/,
]

function turnOf({ moduleId, project }: TestSpecification): number {
  if (seeding.test(moduleId)) return 0
  const isLong =
    longFiles.some((pattern) => pattern.test(moduleId)) || longTests.some((name) => moduleId.endsWith(name))
  if (project.name === 'unit') return isLong ? 4 : 5
  if (isLong) return 1
  return readFileSync(moduleId, 'utf8').includes('history: true') ? 3 : 2
}
