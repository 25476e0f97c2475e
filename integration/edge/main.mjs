// The LP library where there is no Node: see ./run.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import chromium from '@sparticuz/chromium'
import { build } from 'esbuild'
import { chromium as browsers } from 'playwright-core'

const root = fileURLToPath(new URL('../../', import.meta.url))
const library = join(root, 'packages/lp-math')
const binary = fileURLToPath(new URL('node_modules/@cloudflare/workerd-linux-64/bin/workerd', import.meta.url))
const folder = await mkdtemp(join(root, 'node_modules/.edge-'))
let failures = 0
try {
  const readme = await readFile(join(library, 'README.md'), 'utf8')
  const programs = [...readme.matchAll(/^```js\n([^]*?)^```/gm)].map(([, program]) => program)
  const expected = programs.map((program) => [...program.matchAll(/\/\/ → (.*)$/gm)].map(([, line]) => line))
  await writePrograms(programs)
  report('its types need no library of a browser and none of Node', typesAlone())
  report('a worker prints what the examples say', isSame(await inWorker(), expected))
  report('a browser prints what the examples say', isSame(await inBrowser(), expected))
  await reportSizes()
} finally {
  await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
}
process.exitCode = failures === 0 ? 0 : 1

function report(what, holds, detail = '') {
  if (!holds) failures += 1
  console.log(`${holds ? 'holds' : 'FAILS'}  ${what}${detail === '' ? '' : `: ${detail}`}`)
}

/** Each program as a module whose default export is what it printed, and one module of all of them. */
async function writePrograms(programs) {
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
    ...(entry.endsWith('.mjs')
      ? { entryPoints: [join(folder, entry)] }
      : { stdin: { contents: entry, resolveDir: root } }),
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

async function inWorker() {
  await writeFile(join(folder, 'bundle.mjs'), (await bundled('worker.mjs')).text)
  await writeFile(
    join(folder, 'config.capnp'),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (modules = [(name = "bundle.mjs", esModule = embed "bundle.mjs")], compatibilityDate = "2026-01-01"))],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]
);
`,
  )
  const worker = spawn(binary, ['serve', '--control-fd=3', join(folder, 'config.capnp')], {
    stdio: ['ignore', 'inherit', 'inherit', 'pipe'],
  })
  try {
    for await (const line of createInterface({ input: worker.stdio[3] })) {
      const { event, port } = JSON.parse(line)
      if (event === 'listen') return await (await fetch(`http://127.0.0.1:${port}/`)).json()
    }
    throw new Error('the worker ended before it listened')
  } finally {
    worker.kill()
    if (worker.exitCode === null && worker.signalCode === null) await once(worker, 'exit')
  }
}

async function inBrowser() {
  const browser = await browsers.launch({
    executablePath: await chromium.executablePath(),
    args: [...chromium.args, '--no-sandbox', '--disable-background-networking'],
  })
  try {
    const page = await browser.newPage()
    await page.setContent('<title></title>')
    await page.addScriptTag({ type: 'module', content: (await bundled('page.mjs')).text })
    await page.waitForFunction(() => document.title !== '')
    return JSON.parse(await page.title())
  } finally {
    await browser.close()
  }
}

async function reportSizes() {
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
