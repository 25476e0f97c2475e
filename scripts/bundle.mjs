// node scripts/bundle.mjs [FILE]: bundles the built tool server into one file, packages/tool-server/dist/svc-server.mjs
// unless named. What is imported lazily in the sources stays lazy in the file.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const packages = new URL('../packages/', import.meta.url)

export async function bundle(outfile = fileURLToPath(new URL('tool-server/dist/svc-server.mjs', packages))) {
  await build({
    ...bundleOptions,
    entryPoints: [fileURLToPath(new URL('tool-server/dist/main.js', packages))],
    outfile,
    plugins: [nativeSqlite, oneValidator, threadInside],
  })
  return outfile
}

/** How the file is made; the benchmarks bundle what they compare it with in the same way. */
export const bundleOptions = {
  bundle: true,
  minify: true,
  platform: 'node',
  target: 'node20.19',
  format: 'esm',
  // Native, and asked for only where its font is there too.
  external: ['@resvg/resvg-js'],
  banner: {
    js: `import { createRequire as svcRequire } from 'node:module'; const require = svcRequire(import.meta.url);`,
  },
  logLevel: 'warning',
}

/**
 * The native part of SQLite stays outside the file. A plain import of it would be hoisted to the top and asked of every
 * start; it is required where it is reached, which is only where a wallet is configured.
 */
const nativeSqlite = {
  name: 'native-sqlite',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^libsql$/ }, ({ path }) => ({ path, namespace: 'native-sqlite' }))
    onLoad({ filter: /.*/, namespace: 'native-sqlite' }, () => ({ contents: nativeSqliteModule() }))
  },
}

/**
 * The protocol library would bring a second validator of JSON Schema as its default, which nothing uses and which is built
 * at every start. The file keeps the one the server hands it.
 */
const oneValidator = {
  name: 'one-validator',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^@modelcontextprotocol\/server\/_shims$/ }, ({ path, resolveDir }) => ({
      path,
      namespace: 'one-validator',
      pluginData: { resolveDir },
    }))
    onLoad({ filter: /.*/, namespace: 'one-validator' }, ({ pluginData }) => ({
      contents: `export { default as process } from 'node:process'
export { CfWorkerJsonSchemaValidator as DefaultJsonSchemaValidator } from '@modelcontextprotocol/server/validators/cf-worker'`,
      resolveDir: pluginData.resolveDir,
    }))
  },
}

/** The one file holds the program of its threads as text, and starts them with it. */
const threadInside = {
  name: 'thread-inside',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]simulations[\\/]simulation-program\.js$/ }, async ({ path }) => {
      const entryPoints = [path.replace('simulation-program', 'simulation-worker')]
      const { outputFiles } = await build({ ...bundleOptions, banner: {}, entryPoints, write: false })
      const url = `data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`
      return { contents: `export const simulationProgram = () => new URL(${JSON.stringify(url)})` }
    })
  },
}

function nativeSqliteModule() {
  const { dependencies } = JSON.parse(readFileSync(new URL('store/package.json', packages), 'utf8'))
  const mend = `A wallet keeps its state in SQLite. Beside this file run: npm install libsql@${dependencies.libsql}`
  return `import { createRequire } from 'node:module'
let native
try {
  native = createRequire(import.meta.url)('libsql')
} catch (cause) {
  throw new Error(${JSON.stringify(mend)}, { cause })
}
export default native`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(await bundle(process.argv[2]))
