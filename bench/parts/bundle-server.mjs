// Bundles the server that is killed as the production file is bundled, so that a start after a kill is the one that ships.
// The database drivers stay outside: the crash points are put around them.
import { rename } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { bundleOptions } from '../../scripts/bundle.mjs'

/** Writes the file, whole at once since several runs may use it at the same time, and gives its path. */
export async function bundleServer() {
  const outfile = fileURLToPath(new URL('../../packages/tool-server/dist/kills-server.mjs', import.meta.url))
  const unfinished = `${outfile}.${process.pid}`
  await build({
    ...bundleOptions,
    entryPoints: [fileURLToPath(new URL('kills-server.mjs', import.meta.url))],
    outfile: unfinished,
    external: [...bundleOptions.external, 'libsql', 'pg'],
  })
  await rename(unfinished, outfile)
  return outfile
}
