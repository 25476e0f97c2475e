import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Begins with the files that take longest, so that none of them runs alone at the end. Vitest knows how long files took the last
 * time; the first time it begins with those of the most bytes, though what takes longest starts programs with few words.
 */
export class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((one, other) => Number(isLong(other)) - Number(isLong(one)))
  }
}

const longFiles = [
  /\/test\/[a-z-]*kills\.system\.test\.ts$/,
  /\/cli\/src\/(?:endings|commands\/(?:up|demo|serve-clients))\.system\.test\.ts$/,
  /\/page\/browser\.system\.test\.ts$/,
  /\/fair-value\.chain\.test\.ts$/,
  /\/guarantees\/road\.chain\.test\.ts$/,
]

function isLong({ moduleId }: TestSpecification): boolean {
  return longFiles.some((pattern) => pattern.test(moduleId))
}
