// Bundles the tool server into one file, packages/tool-server/dist/svc-server.mjs. The native part of SQLite stays outside:
// it is loaded only where a wallet is configured.
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const server = new URL('../packages/tool-server/', import.meta.url)

export async function bundle() {
  const outfile = fileURLToPath(new URL('dist/svc-server.mjs', server))
  await build({
    entryPoints: [fileURLToPath(new URL('dist/main.js', server))],
    outfile,
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    external: ['libsql'],
    banner: {
      js: `import { createRequire as svcRequire } from 'node:module'; const require = svcRequire(import.meta.url);`,
    },
    logLevel: 'warning',
  })
  return outfile
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(await bundle())
