// node scripts/mcpb.mjs [FILE]: packs the built tool server as a `.mcpb`, which clients of MCP install with a click; packages/tool-server/dist/svc.mcpb
// unless named. Two runs over one build are the same to the byte. Prints the file and its SHA-256, which a registry asks for.
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { zipSync } from 'fflate'
import { bundle } from './bundle.mjs'
import { bundleManifest, entryPoint } from './listing.mjs'

const packages = new URL('../packages/', import.meta.url)
const inPackages = (file) => fileURLToPath(new URL(file, packages))

export async function packMcpb(outfile = inPackages('tool-server/dist/svc.mcpb')) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-mcpb-'))
  try {
    await bundle(join(folder, entryPoint))
    const { catalogue, settings } = await import(inPackages('tool-server/dist/index.js'))
    const manifest = JSON.parse(readFileSync(inPackages('tool-server/package.json'), 'utf8'))
    const listed = bundleManifest({ manifest, settings, tools: catalogue })
    writeFileSync(join(folder, 'manifest.json'), `${JSON.stringify(listed, null, 2)}\n`)
    writeFileSync(join(folder, 'LICENSE'), readFileSync(inPackages('tool-server/LICENSE')))
    const bytes = zipSync(filesIn(folder), { level: 9, mtime: epoch })
    writeFileSync(outfile, bytes)
    return { file: outfile, sha256: createHash('sha256').update(bytes).digest('hex') }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The first day that a zip can name, in the time of whoever packs: it has no zones. */
const epoch = new Date(1980, 0, 1)

/** By their names in the archive, always in one order. */
function filesIn(folder) {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .map((name) => name.replaceAll('\\', '/'))
  return Object.fromEntries(names.toSorted().map((name) => [name, new Uint8Array(readFileSync(join(folder, name)))]))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { file, sha256 } = await packMcpb(process.argv[2])
  console.log(`${file} ${sha256}`)
}
