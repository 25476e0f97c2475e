// Bundles the built `svc` and `svc-support-api` into few files: loading a thousand takes most of the life of many a process. `npm start` and
// what tests start run from these; that every command starts from the files as they are compiled, is tested with these.
import { createHash, randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { markUsed, packageFolders } from './start-folders.mjs'

const root = fileURLToPath(new URL('../', import.meta.url))
const bundles = join(root, 'node_modules/.cache/svc-program')

/**
 * The folder that holds what is built now as `main.mjs` and `support-api.mjs`, made unless it is there. `null` where a package is not
 * built.
 */
export async function bundleProgram() {
  const builds = packageFolders(root).map((folder) => join(root, folder, 'tsconfig.tsbuildinfo'))
  if (!builds.every((file) => existsSync(file))) return null
  const folder = join(bundles, contentKey(builds))
  if (!existsSync(folder)) {
    removeForgotten()
    await bundleInto(folder)
  }
  markUsed(folder)
  return folder
}

/** Changes with what was compiled, of which the compiler's own files tell, with what is installed, and with how this bundles. */
function contentKey(builds) {
  const hash = createHash('sha256')
  for (const file of [...builds, join(root, 'package-lock.json'), fileURLToPath(import.meta.url)]) {
    hash.update(readFileSync(file))
  }
  return hash.digest('hex').slice(0, 16)
}

/** A server reads of its folder as long as it runs, so others are left there for longer than most do after their last start. */
function removeForgotten() {
  if (!existsSync(bundles)) return
  for (const path of readdirSync(bundles).map((name) => join(bundles, name))) {
    if (Date.now() - statSync(path).mtimeMs > forgottenMs) rmSync(path, { recursive: true, force: true })
  }
}

const forgottenMs = 3 * 24 * 3_600_000

/** The folder appears whole: another run may be about to use it. */
async function bundleInto(folder) {
  const { build } = await import('esbuild')
  const draft = `${folder}.${randomUUID()}`
  mkdirSync(draft, { recursive: true })
  await build({
    entryPoints: {
      main: join(root, 'packages/cli/dist/main.js'),
      'support-api': join(root, 'packages/support-api/dist/main.js'),
    },
    outdir: draft,
    bundle: true,
    splitting: true,
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    // Every start reads all of it: a third is blanks and comments.
    minifyWhitespace: true,
    external: ['@resvg/resvg-js', 'libsql', 'vitest'],
    outExtension: { '.js': '.mjs' },
    plugins: [placesKept(draft)],
    banner: {
      js: `import { createRequire as svcRequire } from 'node:module'; const require = svcRequire(import.meta.url);`,
    },
    logLevel: 'warning',
  })
  try {
    renameSync(draft, folder)
  } catch {
    rmSync(draft, { recursive: true, force: true })
  }
}

/** A module of ours finds the files beside it where it was compiled to. */
function placesKept(outdir) {
  return {
    name: 'places-kept',
    setup(bundling) {
      bundling.onLoad({ filter: /[\\/]packages[\\/][^\\/]+[\\/]dist[\\/].*\.js$/ }, ({ path }) => {
        const place = `new URL(${JSON.stringify(relative(outdir, path))}, import.meta.url).href`
        return { contents: readFileSync(path, 'utf8').replaceAll('import.meta.url', place) }
      })
    },
  }
}
