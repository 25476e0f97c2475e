// Helpers of the tests, bundled from their sources as one module, since they are no part of what is built.
import { rmSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { bundleOptions } from '../../scripts/bundle.mjs'

/** All that `NAME.fixture.ts` of a folder (from the root) export, for each name. `external` is imported as it is built. */
export async function bundleFixtures(folder, names, external = []) {
  const resolveDir = fileURLToPath(new URL(`../../${folder}`, import.meta.url))
  const [, home] = /^(packages\/[\w-]+)\//.exec(folder)
  const outfile = fileURLToPath(new URL(`../../${home}/dist/fixtures.${process.pid}.mjs`, import.meta.url))
  try {
    const contents = names.map((name) => `export * from './${name}.fixture.ts'`).join('\n')
    await build({
      ...bundleOptions,
      minify: false,
      stdin: { contents, resolveDir, loader: 'ts' },
      conditions: ['svc-source'],
      // Database drivers: named by what is bundled.
      external: [...bundleOptions.external, 'libsql', 'pg', ...external],
      outfile,
    })
    return await import(pathToFileURL(outfile).href)
  } finally {
    rmSync(outfile, { force: true })
  }
}
