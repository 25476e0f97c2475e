import { readdir, stat } from 'node:fs/promises'
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
    throw new Error(`No server has run in ${path}. ${await meantDirectory(path)}${fix}`)
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
  return new Error(`the data directory ${resolve(directory)} cannot be used: ${obstacle}. ${fix}`, { cause: error })
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

const fix = 'Name the data directory of the server with --data-dir or SVC_DATA_DIR.'

/** What a server with a wallet leaves in its directory before anything else. */
const marks: ReadonlySet<string> = new Set(['server.lock', 'state.db', 'audit.jsonl'])

function isMarked(names: readonly string[]): boolean {
  return names.some((name) => marks.has(name))
}

async function readNames(path: string): Promise<readonly string[]> {
  return readdir(path).catch(async (cause: unknown) => {
    const code = cause instanceof Error && 'code' in cause ? cause.code : null
    const isMissing = code === 'ENOENT'
    const owner = code === 'EACCES' ? await otherOwner(path) : null
    if (owner !== null) throw new Error(`${path} belongs to ${owner}: run this as that user.`, { cause })
    const meant = await meantDirectory(path)
    throw new Error(`${path} ${isMissing ? 'does not exist' : 'cannot be read'}. ${meant}${fix}`, { cause })
  })
}

/** Whose a directory is that this user may not read; `null` where it is its own, or where nobody says. */
async function otherOwner(path: string): Promise<string | null> {
  const { uid } = await stat(path).catch(() => ({ uid: null }))
  if (uid === null || uid === process.geteuid?.()) return null
  return uid === 0 ? 'root' : `the user with id ${uid}`
}
