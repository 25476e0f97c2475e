// Joins chunks that esbuild split: each file that Node loads costs a start a millisecond, and a bundle in parts is mostly parts that one
// start reads one after the other.
import { createHash } from 'node:crypto'
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { build } from 'esbuild'

/**
 * Makes one file, `core-<hash>.mjs` in `folder`, of those chunks there that the file `start` imports and the file `apart` does not, and has all
 * others import from it. `metafile` is of the build in `outdir` that made them; chunks that anything imports lazily stay as they are. Names of the
 * file and of what it exports go by what is in it: what runs while its folder is replaced finds its own or nothing. Throws where an import is left
 * of what was joined.
 */
export async function joinChunks({ outdir, folder, metafile, start, apart }, options) {
  const outputs = new Map(
    Object.entries(metafile.outputs).map(([path, { imports }]) => [relative(outdir, path), linksOf(imports, outdir)]),
  )
  const lazy = new Set([...outputs.values()].flatMap(({ lazily }) => lazily))
  const elsewhere = closure(apart, outputs)
  const joined = [...closure(start, outputs)].filter(
    (path) => path !== start && !lazy.has(path) && !elsewhere.has(path),
  )
  const exportsOf = (path) => metafile.outputs[relative(process.cwd(), join(outdir, path))].exports
  const names = new Map(joined.map((path) => [basename(path), { prefix: prefixOf(path), path }]))
  const draft = join(outdir, folder, 'core.mjs')
  await build({
    ...options,
    stdin: {
      contents: [...names]
        .map(([file, { prefix, path }]) => {
          const list = exportsOf(path).map((name) => `${name} as ${prefix}${name}`)
          return list.length === 0 ? `import './${file}'` : `export { ${list.join(', ')} } from './${file}'`
        })
        .join('\n'),
      resolveDir: join(outdir, folder),
    },
    outfile: draft,
    // The package in which the bundle may lie says that its modules do nothing but export; chunks do more.
    ignoreAnnotations: true,
    plugins: [onlyOf(names)],
  })
  const core = `core-${createHash('sha256').update(readFileSync(draft)).digest('hex').slice(0, 8)}.mjs`
  renameSync(draft, join(outdir, folder, core))
  for (const path of joined) rmSync(join(outdir, path))
  const kept = [...outputs.keys()].filter((path) => path.endsWith('.mjs') && !joined.includes(path))
  for (const path of kept) importFromCore(join(outdir, path), names, core)
  for (const path of [...kept, join(folder, core)]) {
    const text = readFileSync(join(outdir, path), 'utf8')
    const left = [...names.keys()].find((name) => text.includes(name))
    if (left !== undefined) throw new Error(`${path} still imports ${left}, which was joined into ${core}`)
  }
}

/** `chunk-7KUVAMYG.mjs` gives `c7KUVAMYG_`. */
const prefixOf = (path) => `c${basename(path, '.mjs').replace(/^.*-/, '')}_`

function linksOf(imports, outdir) {
  const of = (kind) =>
    imports.filter((link) => link.kind === kind && !link.external).map(({ path }) => relative(outdir, path))
  return { statically: of('import-statement'), lazily: of('dynamic-import') }
}

function closure(path, outputs, seen = new Set()) {
  if (seen.has(path)) return seen
  seen.add(path)
  for (const next of outputs.get(path).statically) closure(next, outputs, seen)
  return seen
}

const onlyOf = (names) => ({
  name: 'only-of',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.?\// }, ({ path, kind }) =>
      kind !== 'dynamic-import' && names.has(basename(path)) ? undefined : { path, external: true },
    )
  },
})

/** `import{a as b}from"./chunk-7KUVAMYG.mjs"` becomes `import{c7KUVAMYG_a as b}from"./core-1a2b3c4d.mjs"`. */
function importFromCore(file, names, core) {
  const text = readFileSync(file, 'utf8')
  const changed = text.replaceAll(
    /import(?:\s*\{([^}]*)\}\s*from)?\s*"(\.\.?\/(?:[^"/]+\/)*)([^"/]+\.mjs)"/g,
    (statement, list, folder, name) => {
      const chunk = names.get(name)
      if (chunk === undefined) return statement
      const imported = (list ?? '')
        .split(',')
        .map((one) => one.trim().split(/\s+as\s+/))
        .filter(([name]) => name !== '')
        .map(([name, as = name]) => `${chunk.prefix}${name} as ${as}`)
      return `${imported.length === 0 ? 'import' : `import{${imported.join(',')}}from`}"${folder}${core}"`
    },
  )
  if (changed !== text) writeFileSync(file, changed)
}
