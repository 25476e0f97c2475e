import { join } from 'node:path'
import type { Config } from './config.ts'

/** Where the state stands without a database: in a directory of its own, so that other servers may share the one above. */
export function statePath({ dataDir }: Pick<Config, 'dataDir'>): { readonly directory: string; readonly path: string } {
  const directory = join(dataDir, 'support-api')
  return { directory, path: join(directory, 'state.db') }
}
