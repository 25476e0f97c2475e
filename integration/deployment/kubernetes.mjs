// Two readings of a manifest: the models hold values to their types, formats and what must be there, and overlook a member that they do not
// know; the compiler holds the same text to the types of the models, where such a member is an error.
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseAllDocuments } from 'yaml'

const tsc = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url))
/** Under node_modules, whose folders the compiler looks for the models in. */
const draft = fileURLToPath(new URL('node_modules/.manifests/', import.meta.url))

/** The documents of a manifest. Throws for one that is no YAML. */
export function documentsOf(text) {
  return parseAllDocuments(text).map((document) => {
    if (document.errors.length > 0) throw document.errors[0]
    return document.toJS()
  })
}

/** Throws for the first document that its model refuses. */
export async function holdToModels(documents) {
  for (const document of documents) {
    const models = await import(`kubernetes-models/${document.apiVersion}`)
    if (models[document.kind] === undefined) throw new Error(`no ${document.kind} in ${document.apiVersion}`)
    new models[document.kind](document).validate()
  }
}

/** What the compiler says of the documents of each name; empty where they are what their types say. */
export function holdToTypes(manifests) {
  rmSync(draft, { recursive: true, force: true })
  mkdirSync(draft, { recursive: true })
  const files = Object.entries(manifests).map(([name, documents]) => {
    const file = join(draft, `${name}.ts`)
    writeFileSync(file, documents.map(declared).join('\n'))
    return file
  })
  const options = [
    '--ignoreConfig',
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--module',
    'nodenext',
    '--target',
    'es2022',
    '--types',
    '',
  ]
  const { stdout, stderr } = spawnSync(process.execPath, [tsc, ...options, ...files], { encoding: 'utf8' })
  return `${stdout}${stderr}`.trim()
}

function declared(document, index) {
  const { apiVersion, kind } = document
  return `import type { I${kind} as Kind${index} } from 'kubernetes-models/${apiVersion}'
export const document${index}: Kind${index} = ${JSON.stringify(document)}`
}
