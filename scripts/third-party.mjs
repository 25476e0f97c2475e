import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/**
 * The licences of what a bundle holds of others, with their texts and notices, which have to go along with it. `inputs` are the files that the
 * bundler read, as it names them from the folder `from`.
 */
export function thirdPartyText(inputs, from) {
  const found = inputs.flatMap((input) => packageFolder(input) ?? [])
  const folders = new Set(found.map((folder) => resolve(from, folder)))
  const known = new Map()
  for (const folder of folders) {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const spdx = typeof license === 'object' ? license.type : license
    known.set(`${name} ${version}`, { folder, spdx })
  }
  const parts = [...known]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([title, { folder, spdx }]) => {
      const name = title.split(' ')[0]
      const source = spdx.startsWith('MPL-')
        ? `Unchanged; its source is in the package ${name} at the npm registry.\n`
        : ''
      return `${title} (${spdx})\n${source}\n${textsIn(folder)}`
    })
  return `Parts of others in this bundle, and their licences.\n\n${parts.join(`\n${'-'.repeat(80)}\n\n`)}`
}

/** `null` for a file that is of no installed package; the folder that is bundled may itself stand below another `node_modules`. */
function packageFolder(path) {
  return /^(?:.*[\\/])?node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+(?=[\\/])/.exec(path)?.[0] ?? null
}

function textsIn(folder) {
  const names = readdirSync(folder).filter((name) => /^(?:licen[cs]e|notice|copying)(?:[.-]|$)/i.test(name))
  return names
    .toSorted()
    .map((name) => `${readFileSync(join(folder, name), 'utf8').trim()}\n`)
    .join('\n')
}
