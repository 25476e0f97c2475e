// node scripts/start.mjs WORDS...: `svc WORDS...` out of a clone. Builds what has changed since it last did, which is the packages of the command,
// its views, and the package that examples/test-utils is about, and runs the command from few files, as tests do.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { markUsed, packageFolders } from './start-folders.mjs'

const root = fileURLToPath(new URL('../', import.meta.url))
/** What the last build was made of, what it left, and where the command is. */
const noteFile = join(root, 'node_modules/.cache/svc-start.json')

await startProgram()

async function startProgram() {
  const sources = keyOf(sourceFiles())
  const last = readNote()
  const isCurrent = last?.sources === sources && last.built === keyOf(builtFiles()) && existsSync(last.program)
  const program = isCurrent ? last.program : await build(sources)
  if (isCurrent) markUsed(program)
  if (program !== null) await import(pathToFileURL(join(program, 'main.mjs')).href)
}

/** The folder of the command; `null` where it cannot be built, which is said. */
async function build(sources) {
  try {
    const { buildForStart } = await import('./build-for-start.mjs')
    await buildForStart(['packages/cli', 'packages/test-utils'].map((name) => join(root, name)))
    const [{ makeViews }, { bundleProgram }] = await Promise.all([
      import('./views.mjs'),
      import('./bundle-program.mjs'),
    ])
    const [program] = await Promise.all([bundleProgram(), makeViews()])
    if (program === null) throw new Error('A package is not built; see: npm run build')
    writeFileSync(noteFile, JSON.stringify({ sources, built: keyOf(builtFiles()), program }))
    return program
  } catch (error) {
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
    return null
  }
}

function sourceFiles() {
  const scripts = readdirSync(join(root, 'scripts')).map((name) => join('scripts', name))
  const own = packageFolders(root).flatMap((folder) =>
    [join(folder, 'package.json'), join(folder, 'tsconfig.json')].concat(filesIn(join(folder, 'src'))),
  )
  return ['tsconfig.base.json', 'node_modules/.package-lock.json', ...scripts, ...own]
}

function filesIn(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    return entry.isDirectory() ? filesIn(path) : [path]
  })
}

/** What the compiler writes last, and the folders that somebody may have taken away. */
function builtFiles() {
  const outputs = packageFolders(root).flatMap((folder) => [join(folder, 'tsconfig.tsbuildinfo'), join(folder, 'dist')])
  return [...outputs, 'packages/tool-server/dist/views']
}

/** Changes with the time and size of any of them. */
function keyOf(files) {
  const stats = files.map((file) => {
    const { mtimeMs, size } = statSync(`${root}${file}`, { throwIfNoEntry: false }) ?? {}
    return `${file} ${mtimeMs} ${size}`
  })
  return createHash('sha256').update(stats.join('\n')).digest('hex')
}

function readNote() {
  try {
    return JSON.parse(readFileSync(noteFile, 'utf8'))
  } catch {
    return null
  }
}
