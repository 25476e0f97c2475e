import { accessSync, constants } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, dirname, join } from 'node:path'

/**
 * Finds the anvil program: `SVC_ANVIL_PATH`, then the binary that npm installed for Linux on x64, then `anvil` on PATH.
 * Throws an error that says how to get one when none of them is an executable file.
 */
export function anvilPath(env: Environment, packaged: string | null = packagedPath()): string {
  const named = env['SVC_ANVIL_PATH']
  if (named) {
    if (isExecutable(named)) return named
    throw new Error(`SVC_ANVIL_PATH is ${named}, which is not an executable file. ${howToGetOne}`)
  }
  const found = [packaged, ...pathCandidates(env)].find((path) => path !== null && isExecutable(path))
  if (found) return found
  throw new Error(`The local chain needs the program anvil, and none was found. ${howToGetOne}`)
}

type Environment = Readonly<Record<string, string | undefined>>

const howToGetOne =
  'On Linux x64, npm installs it with the optional dependencies. On macOS, and on Linux for other processors, install ' +
  'Foundry (curl -L https://foundry.paradigm.xyz | bash, then foundryup). On Windows, use Foundry inside WSL, or the ' +
  'release archive that holds anvil.exe. Then put anvil on PATH, or its full path into SVC_ANVIL_PATH.'

function packagedPath(): string | null {
  if (process.platform !== 'linux' || process.arch !== 'x64') return null
  try {
    const manifest = createRequire(import.meta.url).resolve('@foundry-rs/anvil-linux-amd64/package.json')
    return join(dirname(manifest), 'bin', 'anvil')
  } catch {
    return null
  }
}

function pathCandidates(env: Environment): string[] {
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  const names = process.platform === 'win32' ? ['anvil.exe'] : ['anvil']
  return folders.flatMap((folder) => names.map((name) => join(folder, name)))
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
