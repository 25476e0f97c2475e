import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
let folder: string

beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'svc-first-start-'))))
afterEach(() => rm(folder, { recursive: true, force: true }))

describe('what npm start builds', () => {
  const build = () => runNode([join(root, 'scripts/build-for-start.mjs'), folder])

  it('is said the first time and not when nothing is left to do, and no types are checked meanwhile', async () => {
    const compilerOptions = { composite: true, outDir: 'dist', rootDir: 'src', types: [] }
    await mkdir(join(folder, 'src'))
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src'] }))
    await writeFile(join(folder, 'src/main.ts'), "export const answer: number = 'no number'\n")
    expect(await build()).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringMatching(/^Building .*\n[^]*Built in/),
    })
    expect(await readFile(join(folder, 'dist/main.js'), 'utf8')).toContain("answer = 'no number'")
    expect(await build()).toEqual({ code: 0, stdout: '', stderr: expect.not.stringMatching(/^(Building|Built)/m) })
  })

  it('fails with the compiler’s words and where to see more', async () => {
    await writeFile(join(folder, 'tsconfig.json'), '{ "include": ["none"] }')
    expect(await build()).toMatchObject({ code: 1, stderr: expect.stringMatching(/TS18003[^]*see: npm run build\n$/) })
  })

  it('is all that the examples import', async () => {
    const script = await readFile(join(root, 'scripts/start.mjs'), 'utf8')
    const built = new Set<string>()
    for (const [, name = ''] of script.matchAll(/'packages\/([\w-]+)'/g)) await addReferences(name, built)
    const files = await readdir(join(root, 'examples'), { recursive: true })
    const texts = await Promise.all(
      files
        .filter((name) => /\.(mjs|test\.ts)$/.test(name))
        .map((name) => readFile(join(root, 'examples', name), 'utf8')),
    )
    const imported = new Set(
      texts.flatMap((text) => [...text.matchAll(/from '@svc\/([\w-]+)/g)].map(([, name]) => name)),
    )
    expect(imported.size).toBeGreaterThan(2)
    expect([...imported].filter((name) => !built.has(name ?? ''))).toEqual([])
  })
})

describe('npm start', () => {
  it('and what else a newcomer runs build what has changed', async () => {
    const { scripts } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
    const words = ['start', 'setup', 'setup:production', 'demo'].map((name) => scripts[name])
    expect(words).toEqual(
      ['up', 'setup', 'setup production', 'demo'].map((command) => `node scripts/start.mjs ${command}`),
    )
  })

  it('builds at first, then only what has changed, or where something that was built is gone', async () => {
    await layRepository('first')
    expect(await start()).toMatchObject({ code: 0, stdout: 'first: up --json\n' })
    const [compiler, away] = [join(folder, 'node_modules/typescript'), join(folder, 'away')]
    await rename(compiler, away)
    const { program: used } = JSON.parse(await readFile(join(folder, 'node_modules/.cache/svc-start.json'), 'utf8'))
    await utimes(used, new Date(0), new Date(0))
    expect(await start()).toEqual({ code: 0, stdout: 'first: up --json\n', stderr: '' })
    // By its age a later build tells what is not used any more.
    expect((await stat(used)).mtimeMs).toBeGreaterThan(Date.now() - 3_600_000)
    await rm(join(folder, 'packages/tool-server/dist/views'), { recursive: true })
    expect(await start()).toMatchObject({ code: 1, stdout: '' })
    await rename(away, compiler)
    await start()
    await writeFile(join(folder, 'packages/cli/src/main.ts'), program('second'))
    expect(await start()).toMatchObject({ code: 0, stdout: 'second: up --json\n' })
  })

  it('says where a package is not built, instead of doing nothing', async () => {
    await layRepository('first')
    await mkdir(join(folder, 'packages/beside/src'), { recursive: true })
    await writeFile(join(folder, 'packages/beside/package.json'), '{}')
    expect(await start()).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('see: npm run build') })
  })

  const start = () => runNode([join(folder, 'scripts/start.mjs'), 'up', '--json'])
  const program = (name: string) => `console.log('${name}:', process.argv.slice(2).join(' '))\n`

  /** As much of a clone as its scripts look at, whose command says its words after this name. */
  async function layRepository(name: string) {
    const write = async (path: string, text: string) => {
      await mkdir(join(folder, path, '..'), { recursive: true })
      await writeFile(join(folder, path), text)
    }
    await cp(join(root, 'scripts'), join(folder, 'scripts'), { recursive: true })
    await mkdir(join(folder, 'node_modules'))
    for (const made of ['typescript', 'esbuild'])
      await symlink(join(root, 'node_modules', made), join(folder, 'node_modules', made))
    const compilerOptions = { composite: true, outDir: 'dist', rootDir: 'src', types: [], module: 'esnext' }
    for (const [made, of] of Object.entries({
      cli: ['tool-server', 'support-api'],
      'test-utils': [],
      'tool-server': [],
      'support-api': [],
    })) {
      const references = of.map((other) => ({ path: `../${other}` }))
      await write(`packages/${made}/tsconfig.json`, JSON.stringify({ compilerOptions, include: ['src'], references }))
      await write(`packages/${made}/package.json`, '{}')
      await write(`packages/${made}/src/main.ts`, made === 'cli' ? program(name) : 'export {}\n')
    }
    for (const view of ['lp-range.ts', 'lp-backtest.ts', 'view.css'])
      await write(`packages/tool-server/src/views/${view}`, '')
    await write('package-lock.json', '{}')
    // What a desktop, and a branch that was left, put beside packages.
    await write('packages/.DS_Store', '')
    await mkdir(join(folder, 'packages/empty'))
  }
})

async function addReferences(name: string, built: Set<string>): Promise<void> {
  built.add(name)
  const project = JSON.parse(await readFile(join(root, 'packages', name, 'tsconfig.json'), 'utf8')) as Project
  for (const { path } of project.references ?? []) await addReferences(path.replace('../', ''), built)
}

type Project = { readonly references?: readonly { readonly path: string }[] }

it('svc says before a build that it is not built', async () => {
  await cp(join(root, 'packages/cli/bin'), join(folder, 'bin'), { recursive: true })
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }')
  const { code, stdout, stderr } = await runNode([join(folder, 'bin/svc.js'), 'help'])
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(/^svc: it is not built\. .*npm run build.*\n$/)
})

// npm warns from what the lockfile says. Two packages that tests alone use ask for a newer Node than they need: their `engines` were
// taken out there, and an `npm install` that writes them again is to take them out again.
it('npm ci warns of no engine on the oldest Node that this repository is for', async () => {
  const { packages } = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as Lockfile
  const asking = Object.entries(packages).filter(([, { engines }]) => !admits(engines?.node ?? '*', [20, 19, 0]))
  expect(asking.map(([path, { engines }]) => `${path} ${engines?.node}`)).toEqual([])
})

type Lockfile = { readonly packages: Readonly<Record<string, { readonly engines?: { readonly node?: string } }>> }

/** Of ranges as package.json files have them: `||` between alternatives, a blank between what must hold together. */
function admits(range: string, version: readonly number[]): boolean {
  return range.split('||').some((all) => {
    const terms = all
      .trim()
      .replaceAll(/([<>=^~]) +/g, '$1')
      .split(/ +/)
    return terms.every((term) => holds(term, version))
  })
}

function holds(term: string, version: readonly number[]): boolean {
  const [, sign = '', text = ''] = /^([<>=^~]*)v?([\dx*.]*)$/.exec(term) ?? []
  const parts = text
    .split('.')
    .filter((part) => /^\d+$/.test(part))
    .map(Number)
  if (parts.length === 0) return true
  const order = [0, 1, 2].map((i) => (version[i] ?? 0) - (parts[i] ?? 0)).find((difference) => difference !== 0) ?? 0
  if (sign === '>=') return order >= 0
  if (sign === '>') return order > 0
  if (sign === '<') return order < 0
  if (sign === '<=') return order <= 0
  if (sign === '^') return order >= 0 && version[0] === parts[0]
  if (sign === '~') return order >= 0 && version[0] === parts[0] && (parts[1] === undefined || version[1] === parts[1])
  return parts.every((part, i) => version[i] === part)
}

function runNode(words: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [...words], (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr }),
    )
  })
}
