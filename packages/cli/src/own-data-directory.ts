import { readdir } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { resolve } from 'node:path'

/**
 * The data directory a command works on, absolute: `--data-dir`, else SVC_DATA_DIR, else `.svc`. Throws for one in which
 * no server of ours has run: a switch that is thrown in the wrong directory stops nothing.
 */
export async function ownDataDirectory(
  flag: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const path = resolve(flag ?? (environment['SVC_DATA_DIR'] || '.svc'))
  const names = await readdir(path).catch((cause: unknown) => {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
    throw new Error(`${path} ${isMissing ? 'does not exist' : 'cannot be read'}. ${fix}`, { cause })
  })
  if (!names.some((name) => marks.has(name))) throw new Error(`No server has run in ${path}. ${fix}`)
  return path
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
