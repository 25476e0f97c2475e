// A copy of the repository whose packages import each other: what is changed in it reaches every test of it, and nothing else.
import { execFileSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** Copies what git tracks or would track and what is built, and links what is installed. Gives the folder of the copy. */
export async function copyTree(root) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-mutation-'))
  for (const path of listFiles(root)) await copy(root, folder, path)
  for (const name of await readdir(join(root, 'packages'))) {
    const paths = ['dist', 'tsconfig.tsbuildinfo'].map((path) => join('packages', name, path))
    for (const path of paths) await copy(root, folder, path)
    await linkInstalled(join(root, 'packages', name), join(folder, 'packages', name))
  }
  await linkInstalled(root, folder)
  return folder
}

/** The files of the repository below the paths (all without any), those included that are not committed yet. */
export function listFiles(root, paths = []) {
  const words = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...paths]
  const listed = execFileSync('git', words, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 })
  return [...new Set(listed.split('\0').filter(Boolean))]
}

async function copy(root, folder, path) {
  await mkdir(dirname(join(folder, path)), { recursive: true })
  // A file that is deleted and not yet committed is still tracked.
  await cp(join(root, path), join(folder, path), { recursive: true, verbatimSymlinks: true }).catch(ignoreMissing)
}

/** Links each installed package, but those of the repository, whose links lead to their neighbours of the same tree. */
async function linkInstalled(from, to) {
  const names = await readdir(join(from, 'node_modules')).catch(ignoreMissing)
  if (names === undefined) return
  await mkdir(join(to, 'node_modules'), { recursive: true })
  for (const name of names) {
    if (name === '.cache') continue
    const [source, target] = [from, to].map((folder) => join(folder, 'node_modules', name))
    if (name === '@svc') await cp(source, target, { recursive: true, verbatimSymlinks: true })
    else await symlink(source, target)
  }
}

function ignoreMissing(error) {
  if (error.code !== 'ENOENT') throw error
}
