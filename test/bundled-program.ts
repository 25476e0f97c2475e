import { createHash, randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'esbuild'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The `svc` command in few files: what it does as a process, in half the processor's time. */
    readonly bundledProgram: string
    /** The same of `svc-support-api`. */
    readonly bundledSupportApi: string
    /** Whether what tests hold files against is written instead (`--update`). */
    readonly updatesSnapshots: boolean
  }
}

/**
 * Bundles the built `svc` and `svc-support-api` for the processes that tests start: loading a thousand files takes most of the life of
 * each. What the files on disk promise (that every command starts from them) is tested with the program itself.
 */
export async function setup(project: TestProject): Promise<void> {
  // Tests that start no process of ours run without a build.
  const isBuilt = builds.every((file) => existsSync(file))
  const folder = join(bundles, isBuilt ? contentKey() : 'not-built')
  if (isBuilt && !existsSync(folder)) {
    rmSync(bundles, { recursive: true, force: true })
    await bundleInto(folder)
  }
  project.provide('bundledProgram', join(folder, 'main.mjs'))
  project.provide('updatesSnapshots', project.config.snapshotOptions.updateSnapshot === 'all')
  project.provide('bundledSupportApi', join(folder, 'support-api.mjs'))
}

const root = fileURLToPath(new URL('../', import.meta.url))
const bundles = join(root, 'node_modules/.cache/svc-program')

/** What the compiler writes down beside what it made. */
const builds = readdirSync(join(root, 'packages')).map((name) => join(root, 'packages', name, 'tsconfig.tsbuildinfo'))

/** Changes with what was compiled, with what is installed, and with how this bundles. */
function contentKey(): string {
  const hash = createHash('sha256')
  for (const file of [...builds, join(root, 'package-lock.json'), fileURLToPath(import.meta.url)]) {
    hash.update(readFileSync(file))
  }
  return hash.digest('hex').slice(0, 16)
}

/** The folder appears whole: another run may be about to use it. */
async function bundleInto(folder: string): Promise<void> {
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
function placesKept(outdir: string): Plugin {
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
