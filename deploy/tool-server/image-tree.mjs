// node deploy/tool-server/image-tree.mjs DIRECTORY: lays out what the image of the tool server holds (`/app`, in a directory that does not
// exist yet): the server as its production file, the `svc` command for whoever operates it, the two native parts with what they need, and
// nothing that only development needs. Expects a built repository, and takes packages as they are installed there.
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { bundle, bundleOptions } from '../../scripts/bundle.mjs'

const root = fileURLToPath(new URL('../../', import.meta.url))
const natives = ['libsql', '@resvg/resvg-js']

export async function layImage(directory) {
  const app = join(directory, 'app')
  mkdirSync(directory)
  await bundle(join(app, 'dist/svc-server.mjs'))
  await bundleOperator(app)
  for (const name of natives) copyPackage(name, join(app, 'node_modules'))
  for (const name of ['start', 'healthy']) cpSync(new URL(name, import.meta.url), join(app, name))
  cpSync(join(root, 'packages/tool-server/fonts'), join(app, 'fonts'), { recursive: true })
  cpSync(join(root, 'LICENSE'), join(app, 'LICENSE'))
  closeToOthers(directory)
  return directory
}

/** `svc`, without the commands that play with a chain of their own. */
async function bundleOperator(app) {
  const { name, version } = JSON.parse(readFileSync(join(root, 'packages/cli/package.json'), 'utf8'))
  await build({
    ...bundleOptions,
    entryPoints: { svc: join(root, 'packages/cli/dist/main.js') },
    outdir: join(app, 'dist'),
    splitting: true,
    chunkNames: 'svc/[name]-[hash]',
    outExtension: { '.js': '.mjs' },
    external: [...natives, '@svc/devnet', '@svc/support-api', 'vitest'],
  })
  // Where the command looks for its own version.
  writeFileSync(join(app, 'package.json'), `${JSON.stringify({ name, version, private: true, type: 'module' })}\n`)
  mkdirSync(join(app, 'bin'))
  // What the command starts to answer by itself.
  writeFileSync(join(app, 'bin/svc.js'), `#!/usr/bin/env node\nawait import('../dist/svc.mjs')\n`)
  // What an operator says, who may be root there.
  writeFileSync(join(app, 'bin/svc'), '#!/bin/bash\nexec /app/start node /app/bin/svc.js "$@"\n')
}

/** A package and what it needs at run time; of those for other systems none is installed, but for that of another C library. */
function copyPackage(name, into) {
  const from = join(root, 'node_modules', name)
  if (!existsSync(from) || existsSync(join(into, name))) return
  const { dependencies, optionalDependencies, libc } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'))
  if (libc?.includes('musl')) return
  cpSync(from, join(into, name), { recursive: true, dereference: true })
  for (const needed of Object.keys({ ...dependencies, ...optionalDependencies })) copyPackage(needed, into)
}

/** Everybody may read, and nobody but the owner change it, whatever the umask of the build was. */
function closeToOthers(directory) {
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    const isRun = entry.isDirectory() || ['start', 'healthy', 'svc', 'svc.js'].includes(entry.name)
    chmodSync(join(entry.parentPath, entry.name), isRun ? 0o755 : 0o644)
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await layImage(process.argv[2])
