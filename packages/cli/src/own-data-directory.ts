import { readdir, readFile, stat } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { nearestName } from '@svc/runtime/nearest-name'

/**
 * The data directory a command works on, absolute: `--data-dir`, else SVC_DATA_DIR, else `.svc`. Throws for one in which
 * no server of ours has run: a switch that is thrown in the wrong directory stops nothing. The one beside it that may have been meant is named.
 */
export async function ownDataDirectory(
  flag: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const path = resolve(flag ?? (environment['SVC_DATA_DIR'] || '.svc'))
  if (!isMarked(await readNames(path)))
    throw new Error(`No server has run in ${path}. ${await meantDirectory(path)}${serverDirectoryFix}`)
  return path
}

/** Throws where a directory that a flag named does not exist or cannot be read, naming the one beside it that may have been meant. */
export async function requireDirectory(path: string): Promise<void> {
  await readNames(path)
}

/**
 * `Did you mean PATH? `, with a directory beside this one in which a server has run and whose name is a few slips away; empty where
 * there is none.
 */
export async function meantDirectory(path: string): Promise<string> {
  const parent = dirname(resolve(path))
  const own = basename(resolve(path))
  const entries = await readdir(parent, { withFileTypes: true }).catch(() => [])
  const folders = entries.filter((entry) => entry.isDirectory() && entry.name !== own).map(({ name }) => name)
  const near = folders.filter((name) => nearestName(own, [name]) !== null)
  const served = await Promise.all(near.map((name) => readdir(join(parent, name)).then(isMarked, () => false)))
  const meant = nearestName(
    own,
    near.filter((_name, index) => served[index] === true),
  )
  return meant === null ? '' : `Did you mean ${join(parent, meant)}? `
}

/**
 * The sentence for an error of the system about a directory that a server is to keep its data in, ending with `fix`; `null` for an
 * error about anything else.
 */
export async function directoryRefusal(error: unknown, directory: string, fix: string): Promise<Error | null> {
  const { directoryObstacle } = await import('@svc/runtime')
  const obstacle = directoryObstacle(error)
  if (obstacle === null || !isAbout(error, directory)) return null
  const right = /\((EACCES|EPERM)\)/.test(obstacle) ? await rightTo(resolve(directory)) : ''
  return new Error(`the data directory ${resolve(directory)} cannot be used: ${obstacle}. ${right}${fix}`, {
    cause: error,
  })
}

/** What helps against a right that is missing; empty where the system does not say whose the directory is. */
async function rightTo(directory: string): Promise<string> {
  const { path, owner, self } = await ownerOf(directory)
  if (owner === null || self === null) return ''
  if (owner === self) return `${path} is your own: give yourself the right with chmod u+rwx. `
  return `${path} belongs to ${owner}, and you are ${self}: run this as that user. `
}

/** Whose a directory is, or else the nearest one above it that can be looked at, and who asks. */
async function ownerOf(path: string): Promise<{ path: string; owner: string | null; self: string | null }> {
  const found = await stat(path).catch(() => null)
  if (found === null && dirname(path) !== path) return ownerOf(dirname(path))
  return { path, owner: await userOf(found?.uid), self: await userOf(process.geteuid?.()) }
}

/** A user by name and number, or by number where the system lists no name. */
async function userOf(uid: number | undefined): Promise<string | null> {
  if (uid === undefined) return null
  const list = await readFile('/etc/passwd', 'utf8').catch(() => '')
  const fields = list.split('\n').map((line) => line.split(':'))
  const name = fields.find(([, , number]) => number === `${uid}`)?.[0]
  return name === undefined ? `uid ${uid}` : `${name} (uid ${uid})`
}

/** Whether an error names the directory, what lies in it, or what is on the way to it. */
function isAbout(error: unknown, directory: string): boolean {
  if (!(error instanceof Error && 'path' in error)) return false
  const [one, other] = [`${resolve(String(error.path))}/`, `${resolve(directory)}/`]
  return one.startsWith(other) || other.startsWith(one)
}

/** Who gives a command, for the audit log: the name the operating system knows them by. */
export function operatorName(): string {
  try {
    return `operator:${userInfo().username}`
  } catch {
    return `operator:${process.getuid?.() ?? 'unknown'}`
  }
}

export const serverDirectoryFix = 'Name the data directory of the server with --data-dir or SVC_DATA_DIR.'

/** What a server with a wallet leaves in its directory before anything else. */
const marks: ReadonlySet<string> = new Set(['server.lock', 'state.db', 'audit.jsonl'])

function isMarked(names: readonly string[]): boolean {
  return names.some((name) => marks.has(name))
}

async function readNames(path: string): Promise<readonly string[]> {
  return readdir(path).catch(async (cause: unknown) => {
    const code = cause instanceof Error && 'code' in cause ? cause.code : null
    const isMissing = code === 'ENOENT'
    const right = code === 'EACCES' ? await rightTo(path) : ''
    if (right !== '') throw new Error(right.trimEnd(), { cause })
    const meant = await meantDirectory(path)
    const how = isMissing ? 'does not exist' : code === 'ENOTDIR' ? 'is a file and no directory' : 'cannot be read'
    throw new Error(`${path} ${how}. ${meant}${serverDirectoryFix}`, { cause })
  })
}
