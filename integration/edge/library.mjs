// The LP library where there is no Node.
import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import chromium from '@sparticuz/chromium'
import { build } from 'esbuild'
import { chromium as browsers } from 'playwright-core'
import { startWorkerd } from './start-workerd.mjs'

const root = fileURLToPath(new URL('../../', import.meta.url))
const library = join(root, 'packages/lp-math')

/** Its examples print there what they print here; how large it is, and how little of it a single function takes along. */
export async function checkLibrary(report) {
  const folder = await mkdtemp(join(root, 'node_modules/.edge-'))
  try {
    const readme = await readFile(join(library, 'README.md'), 'utf8')
    const programs = [...readme.matchAll(/^```js\n([^]*?)^```/gm)].map(([, program]) => program)
    const expected = programs.map((program) => [...program.matchAll(/\/\/ → (.*)$/gm)].map(([, line]) => line))
    await writePrograms(folder, programs)
    report('its types need no library of a browser and none of Node', typesAlone())
    report('a worker prints what the examples say', isSame(await inWorker(folder), expected))
    report('a browser prints what the examples say', isSame(await inBrowser(folder), expected))
    await reportSizes(report)
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
}

/** Each program as a module whose default export is what it printed, and one module of all of them. */
async function writePrograms(folder, programs) {
  const printing = 'const said = []\nconst console = { log: (...words) => said.push(words.join(" ")) }\n'
  for (const [index, program] of programs.entries()) {
    await writeFile(join(folder, `${index}.mjs`), `${printing}${program}\nexport default said\n`)
  }
  const imports = programs.map((_, index) => `import said${index} from './${index}.mjs'`).join('\n')
  const all = `[${programs.map((_, index) => `said${index}`).join(', ')}]`
  await writeFile(join(folder, 'worker.mjs'), `${imports}\nexport default { fetch: () => Response.json(${all}) }\n`)
  await writeFile(join(folder, 'page.mjs'), `${imports}\ndocument.title = JSON.stringify(${all})\n`)
}

function typesAlone() {
  const words = [
    '--ignoreConfig',
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    'false',
    '--lib',
    'es2022',
    '--module',
    'nodenext',
    '--types',
    '',
  ]
  const tsc = join(root, 'node_modules/.bin/tsc')
  const checked = spawnSync(tsc, [...words, '--target', 'es2022', join(library, 'dist/index.d.ts')], {
    encoding: 'utf8',
  })
  if (checked.status !== 0) console.error(checked.stdout)
  return checked.status === 0
}

async function bundled(entry) {
  const { outputFiles, metafile } = await build({
    ...(entry.endsWith('.mjs') ? { entryPoints: [entry] } : { stdin: { contents: entry, resolveDir: root } }),
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    conditions: ['workerd', 'worker', 'browser', 'import'],
    minify: true,
    write: false,
    metafile: true,
  })
  return { text: outputFiles[0].text, inputs: Object.keys(metafile.inputs) }
}

async function inWorker(folder) {
  const { text } = await bundled(join(folder, 'worker.mjs'))
  const worker = await startWorkerd({ folder, script: text, compatibilityDate: '2026-01-01' })
  try {
    return await (await fetch(worker.url)).json()
  } finally {
    await worker.stop()
  }
}

async function inBrowser(folder) {
  const browser = await browsers.launch({
    executablePath: await chromium.executablePath(),
    args: [...chromium.args, '--no-sandbox', '--disable-background-networking'],
  })
  try {
    const page = await browser.newPage()
    await page.setContent('<title></title>')
    await page.addScriptTag({ type: 'module', content: (await bundled(join(folder, 'page.mjs'))).text })
    await page.waitForFunction(() => document.title !== '')
    return JSON.parse(await page.title())
  } finally {
    await browser.close()
  }
}

async function reportSizes(report) {
  const { text, inputs } = await bundled("export * from '@svc/lp-math'")
  const [all, foreign] = [sizeOf(text), inputs.filter((input) => !/lp-math|<stdin>/.test(input))]
  report('all of it is at most 60 kB', all <= 60_000, `${all} bytes, minified and gzipped`)
  report('it brings no other package', foreign.length === 0, foreign.join(', '))
  const functions = Object.entries(await import('@svc/lp-math')).filter(([, value]) => typeof value === 'function')
  const sizes = []
  for (const [name] of functions) sizes.push(sizeOf((await bundled(`export { ${name} } from '@svc/lp-math'`)).text))
  const [median, most] = [sizes.toSorted((a, b) => a - b)[Math.floor(sizes.length / 2)], Math.max(...sizes)]
  const detail = `median ${median} bytes of ${sizes.length}, most ${most} (${functions[sizes.indexOf(most)][0]})`
  report('no function takes half of it along, and most not a twentieth', most < all / 2 && median < all / 20, detail)
}

function sizeOf(text) {
  return gzipSync(text, { level: 9 }).length
}

function isSame(found, expected) {
  if (JSON.stringify(found) === JSON.stringify(expected)) return true
  console.error(found, 'where the README says', expected)
  return false
}
