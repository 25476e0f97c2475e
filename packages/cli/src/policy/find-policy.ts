import { isThere } from './is-there.ts'

/**
 * Whether there is a policy at the path; without one the defaults hold. Throws where the file that was named does not exist, or
 * the directory, so that a slip in a name does not pass for a server that keeps the defaults.
 */
export async function findPolicy(path: string, { file, dataDir }: Named): Promise<boolean> {
  const exists = await isThere(path)
  if (file !== null && !exists) throw new Error(`${file} does not exist`)
  if (file === null && dataDir !== undefined && !(await isThere(dataDir))) {
    throw new Error(`${dataDir} does not exist. Name the data directory of the server with --data-dir.`)
  }
  return exists
}

/** What the words of the call named. */
type Named = { readonly file: string | null; readonly dataDir: string | undefined }
