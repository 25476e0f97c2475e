// npm run versions: the next version, as the changesets in `.changeset` say how far it goes: in every manifest, the lockfile, the sources and
// files of deployment that name it, and as a heading of CHANGELOG.md. Then `npm run docs` writes what is generated from it.
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Beside the manifests: who says it, and in which words. */
const namedIn = {
  'packages/support-api/src/version.ts': (version) => `version = '${version}'`,
  'packages/tool-server/src/status/status.ts': (version) => `version = '${version}'`,
  'deploy/support-api/Dockerfile': (version) => `svc-support-api:${version}`,
  'deploy/support-api/kubernetes.yaml': (version) => `svc-support-api:${version}`,
}

const root = process.cwd()
const read = (path) => readFileSync(join(root, path), 'utf8')
const write = (path, text) => writeFileSync(join(root, path), text)
const versionOf = (path) => JSON.parse(read(path)).version

const former = versionOf('package.json')
execFileSync(process.execPath, [join(root, 'node_modules/@changesets/cli/bin.js'), 'version'], {
  cwd: root,
  stdio: 'inherit',
})
const manifests = readdirSync(join(root, 'packages')).map((name) => `packages/${name}/package.json`)
const [version, ...others] = new Set(manifests.map(versionOf))
if (others.length > 0) throw new Error(`The packages have several versions: ${[version, ...others].join(', ')}`)
if (version === former) throw new Error('There is no changeset: write one with npx changeset')

const pinned = new RegExp(`("@svc/[a-z-]+": )"${former.replaceAll('.', '\\.')}"`, 'g')
const own = (text) =>
  text.replace(`"version": "${former}"`, `"version": "${version}"`).replaceAll(pinned, `$1"${version}"`)
write('package.json', own(read('package.json')))
const lock = JSON.parse(read('package-lock.json'))
lock.version = version
for (const [place, entry] of Object.entries(lock.packages)) {
  if (!place.includes('node_modules/')) lock.packages[place] = JSON.parse(own(JSON.stringify(entry, null, 1)))
}
write('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`)
for (const [path, words] of Object.entries(namedIn)) {
  const text = read(path)
  if (!text.includes(words(former))) throw new Error(`${path} does not name ${former}`)
  write(path, text.replaceAll(words(former), words(version)))
}
write('CHANGELOG.md', read('CHANGELOG.md').replace('## Unreleased\n', `## Unreleased\n\n## ${version}\n`))
console.log(`${former} is ${version} now. Next: npm run docs, npm run check.`)
