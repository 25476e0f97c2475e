// node scripts/views.mjs [DIRECTORY]: makes the MCP App views, packages/tool-server/dist/views/*.html unless named: each one
// file that holds its script and style and may load nothing else.
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const server = new URL('../packages/tool-server/', import.meta.url)
const views = { 'lp-range': 'Price range', 'lp-backtest': 'Backtest' }

export async function makeViews(directory = fileURLToPath(new URL('dist/views/', server))) {
  const style = readFileSync(new URL('src/views/view.css', server), 'utf8').trim()
  mkdirSync(directory, { recursive: true })
  for (const [name, title] of Object.entries(views)) {
    // Whole at once: a server may be reading what was there before.
    const unnamed = join(directory, `${name}.${process.pid}`)
    writeFileSync(unnamed, pageOf(title, style, await scriptOf(name)))
    renameSync(unnamed, join(directory, `${name}.html`))
  }
  return directory
}

async function scriptOf(name) {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(`src/views/${name}.ts`, server))],
    bundle: true,
    minify: true,
    write: false,
    platform: 'browser',
    format: 'iife',
    target: 'es2022',
    legalComments: 'eof',
    conditions: ['svc-source'],
    logLevel: 'warning',
  })
  return outputFiles[0].text.trim()
}

function pageOf(title, style, script) {
  const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
  const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; base-uri 'none'; form-action 'none'`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<main></main>
<script>${script}</script>
</body>
</html>
`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(await makeViews(process.argv[2]))
