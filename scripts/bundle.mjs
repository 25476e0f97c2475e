// node scripts/bundle.mjs [FILE]: bundles the built tool server into one file, packages/tool-server/dist/svc-server.mjs
// unless named, and a folder of the same name beside it. The file is all that a start reads. In the folder lies what is
// imported lazily in the sources, the program of the threads, the views of answers, and the licences of what
// the bundle holds of others.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { build } from 'esbuild'
import { parseAbi } from 'viem'
import { joinChunks } from './join-chunks.mjs'
import { thirdPartyText } from './third-party.mjs'
import { makeViews } from './views.mjs'

const packages = new URL('../packages/', import.meta.url)
const built = (file) => fileURLToPath(new URL(`tool-server/dist/${file}`, packages))

export async function bundle(outfile = built('svc-server.mjs')) {
  const outdir = dirname(outfile)
  const name = basename(outfile, '.mjs')
  rmSync(join(outdir, name), { recursive: true, force: true })
  const { metafile } = await build({
    ...bundleOptions,
    metafile: true,
    entryPoints: { [name]: built('main.js'), [`${name}/worker`]: built('workers/worker.js') },
    outdir,
    splitting: true,
    chunkNames: `${name}/[name]-[hash]`,
    outExtension: { '.js': '.mjs' },
    plugins: [nativeSqlite, oneValidator, workerBeside(name), viewsBeside(name), toolsReady, schemasReady, abisReady],
  })
  const start = `${name}.mjs`
  await joinChunks({ outdir, folder: name, metafile, start, apart: `${name}/worker.mjs` }, bundleOptions)
  await makeViews(join(outdir, name, 'views'))
  const parts = thirdPartyText(Object.keys(metafile.inputs), process.cwd())
  writeFileSync(join(outdir, name, 'THIRD-PARTY.txt'), parts)
  return outfile
}

/** How the files are made; the benchmarks bundle what they compare it with in the same way. */
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
 * The native part of SQLite stays outside the bundle. A plain import of it would be hoisted to the top and asked of every
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
 * at every start. The bundle keeps the one the server hands it.
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

/** In production the program of a thread lies in the folder, and a server without it does not start. */
const workerBeside = (name) => ({
  name: 'worker-beside',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]workers[\\/]worker-program\.js$/ }, () => ({ contents: workerBesideModule(name) }))
  },
})

/** In production the views lie in the folder as well, and are read when a client asks for one. */
const viewsBeside = (name) => ({
  name: 'views-beside',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]apps[\\/]views-folder\.js$/ }, () => ({
      contents: `export const viewsFolder = () =>
  new URL(import.meta.url.endsWith(${JSON.stringify(`/${name}.mjs`)}) ? ${JSON.stringify(`./${name}/views/`)} : './views/', import.meta.url)`,
    }))
  },
})

/**
 * What a list shows of each tool, and where the rest of it is: no start reads what only a call needs. The tools of the profile `data`
 * are read together, and so are the others.
 */
const toolsReady = {
  name: 'tools-ready',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^whole-tools:/ }, ({ path }) => ({
      // By name alone: names of files go by it, and are not to tell of the folder in which they were made.
      path: path.split(':')[1],
      namespace: 'whole-tools',
    }))
    onLoad({ filter: /.*/, namespace: 'whole-tools' }, ({ path }) => ({
      contents: readFileSync(built(`tools/${path}`), 'utf8'),
      resolveDir: built('tools'),
    }))
    onLoad({ filter: /[\\/]dist[\\/]tools[\\/]data-tools\.js$/ }, async ({ path }) => {
      const { dataTools, namesBeyondData } = await import(path)
      return {
        contents: `${listedTools(dataTools, 'dataTools', 'data-tools.js')}
export const namesBeyondData = ${parsed(namesBeyondData)}
export const dataTools = tools`,
      }
    })
    onLoad({ filter: /[\\/]dist[\\/]tools[\\/]index\.js$/ }, async ({ path }) => {
      const { catalogue } = await import(path)
      const others = catalogue.filter(({ inDataProfile }) => !inDataProfile)
      return {
        contents: `import { dataTools } from './data-tools.js'
${listedTools(others, 'catalogue', 'index.js')}
export const catalogue = [...dataTools, ...tools].toSorted((one, other) => (one.name < other.name ? -1 : 1))`,
      }
    })
  },
}

function listedTools(tools, exported, file) {
  const listed = tools.map(({ input: _input, output: _output, handle: _handle, ...facts }) => facts)
  return `const read = (name) => {
  let whole
  return () => (whole ??= import('whole-tools:${file}').then(({ ${exported}: tools }) => tools.find((tool) => tool.name === name)))
}
const tools = ${parsed(listed)}.map((facts) => ({ ...facts, read: read(facts.name) }))`
}

/** The schemas of the tools as every client sees them, so that no start makes them from those that check. */
const schemasReady = {
  name: 'schemas-ready',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]dispatch[\\/]tool-schemas\.js$/ }, async ({ path }) => {
      const [{ toolSchemas }, { catalogue }] = await Promise.all([import(path), import(built('tools/index.js'))])
      const texts = Object.fromEntries(catalogue.map((tool) => [tool.name, JSON.stringify(toolSchemas(tool))]))
      // Text until a list is made: a profile has half of the tools.
      return {
        contents: `const texts = ${JSON.stringify(texts)}
export const toolSchemas = ({ name }) => JSON.parse(texts[name])`,
      }
    })
  },
}

/** The interfaces of contracts, which stand as text in the sources: modules of nothing else, and those beside what reads them. */
const abisReady = {
  name: 'abis-ready',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]dist[\\/].*([\\/]abis[\\/][^\\/]+|-abi)\.js$/ }, async ({ path }) => {
      const values = Object.entries(await import(path))
      const isPlain = values.every(([, value]) => isDeepStrictEqual(JSON.parse(JSON.stringify(value)), value))
      return isPlain
        ? { contents: values.map(([name, value]) => `export const ${name} = ${parsed(value)}`).join('\n') }
        : undefined
    })
    onLoad({ filter: /[\\/]packages[\\/][^\\/]+[\\/]dist[\\/].*\.js$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8')
      const ready = text.replaceAll(abiOfTexts, (_call, texts) => parsed(parseAbi(JSON.parse(`[${quoted(texts)}]`))))
      return ready === text ? undefined : { contents: ready }
    })
  },
}

/** A call with nothing but plain texts, in quotes of one kind without any of the other within. */
const abiOfTexts = /\bparseAbi\(\[((?:\s*'[^'"\\]*',?)+)\s*\]\)/g

function quoted(texts) {
  return texts.trim().replaceAll("'", '"').replace(/,$/, '')
}

/** An expression that gives a value: text that is parsed as JSON is read faster than code. */
function parsed(value) {
  return `JSON.parse(${JSON.stringify(JSON.stringify(value))})`
}

function workerBesideModule(name) {
  const fix = `The folder ${name} belongs beside ${name}.mjs, and is not there. Copy both from where they were made.`
  return `import { existsSync } from 'node:fs'
export function workerProgram() {
  const program = new URL(${JSON.stringify(`./${name}/worker.mjs`)}, import.meta.url)
  if (!existsSync(program)) throw new Error(${JSON.stringify(fix)})
  return program
}`
}

function nativeSqliteModule() {
  const { dependencies } = JSON.parse(readFileSync(new URL('store/package.json', packages), 'utf8'))
  const fix = `A wallet keeps its state in SQLite. Beside this file run: npm install libsql@${dependencies.libsql}`
  return `import { createRequire } from 'node:module'
let native
try {
  native = createRequire(import.meta.url)('libsql')
} catch (cause) {
  throw new Error(${JSON.stringify(fix)}, { cause })
}
export default native`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(await bundle(process.argv[2]))
