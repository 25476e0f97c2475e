import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import { makeDirectory, replaceFileDurably, syncFolder } from '@svc/runtime'
import { acquireServerLock } from '@svc/store'
import { type RestoredCopy, type StateCopy, type StateRow, writeState } from '@svc/store/backup'
import { mergeEnvFile, readEnvFile, restoringName } from '@svc/tool-server'
import { checkBackup } from './check-backup.ts'
import type { Manifest } from './manifest.ts'

/**
 * Brings a backup back into an empty data directory, and into the database where the settings name one. What is restored starts paused: of
 * what was signed, spent and revoked since the backup it knows nothing. Until all of it is in place the directory holds a
 * folder `restoring`, and no server starts on it; made again, a restore that was cut off begins anew. Throws for a directory on which
 * a server runs (`DATA_DIR_LOCKED`, `LEASE_HELD`), one that holds anything, and a backup that is damaged; then nothing of it is in force.
 */
export async function restore(backup: string, target: RestoreTarget): Promise<Manifest> {
  const manifest = await checkBackup(backup)
  const { dataDir } = target
  makeDirectory(dataDir)
  await requireEmpty(dataDir)
  const lock = await acquireServerLock(dataDir)
  try {
    await requireEmpty(dataDir)
    await clear(dataDir, manifest)
    const staged = join(dataDir, restoringName)
    await mkdir(staged, { mode: 0o700 })
    await syncFolder(dataDir)
    const decision = pauseOf(manifest, target)
    await putState(backup, manifest, { ...target, decision }, staged)
    await putFiles(backup, manifest, { ...target, decision }, staged)
    // Before anything that a server could sign with.
    await rename(join(staged, pausedName), join(dataDir, pausedName))
    for (const name of await readdir(staged)) await rename(join(staged, name), join(dataDir, name))
    await syncFolder(dataDir)
    await rmdir(staged)
    await syncFolder(dataDir)
    return manifest
  } finally {
    lock.release()
  }
}

export type RestoreTarget = {
  /** Absolute path. */
  readonly dataDir: string
  /** `null` where the state is to stand in the directory. */
  readonly databaseUrl: string | null
  /** Who restores, for the audit log. */
  readonly by: string
}

const pausedName = 'paused'

/** A volume has its own folder at its root; the lock may be that of an earlier try. */
const mayBeThere: ReadonlySet<string> = new Set(['server.lock', 'server.lock-journal', 'lost+found'])

/** But for what a restore that was cut off has left, which it put there itself. */
async function requireEmpty(dataDir: string): Promise<void> {
  const names = await readdir(dataDir)
  if (names.includes(restoringName)) return
  const other = names.find((name) => !mayBeThere.has(name))
  if (other === undefined) return
  throw new Error(
    `${dataDir} holds ${other}. A backup is restored into an empty directory: name another one, or move this one away first.`,
  )
}

/**
 * Takes away what an earlier try has left, and nothing else: before `paused` was moved out of the folder nothing was, and of
 * the rest what is still in the folder was not. Throws for anything beside that, which somebody else has put there.
 */
async function clear(dataDir: string, { files }: Manifest): Promise<void> {
  const staged = join(dataDir, restoringName)
  const found = (await readdir(dataDir)).filter((name) => !mayBeThere.has(name) && name !== restoringName)
  const left: readonly string[] = await readdir(staged).catch(() => [])
  const ours = found.includes(pausedName)
    ? new Set(['state.db', 'state.db-wal', 'state.db-shm', pausedName, ...files.map(({ path }) => basename(path))])
    : new Set<string>()
  const other = found.find((name) => !ours.has(name) || left.includes(name))
  if (other !== undefined) {
    throw new Error(
      `${dataDir} holds ${other}, which the restore that was cut off has not put there. Move it away, then run svc restore again with the same backup.`,
    )
  }
  // `paused` last, by which the others are known, and then the folder, by which a restore is.
  for (const name of found) if (name !== pausedName) await rm(join(dataDir, name))
  await rm(join(dataDir, pausedName), { force: true })
  await rm(staged, { recursive: true, force: true })
}

async function putState(
  backup: string,
  { steps, tables }: Manifest,
  { databaseUrl, decision }: Put,
  staged: string,
): Promise<void> {
  const copy: StateCopy = { steps, tables, rows: (table) => rowsIn(join(backup, 'state', `${table}.jsonl`)) }
  await writeState(databaseUrl === null ? { path: join(staged, 'state.db') } : { url: databaseUrl }, copy, decision)
}

async function* rowsIn(path: string): AsyncGenerator<StateRow> {
  const lines = createInterface({ input: createReadStream(path, 'utf8'), crlfDelay: Number.POSITIVE_INFINITY })
  for await (const line of lines) yield JSON.parse(line) as StateRow
}

async function putFiles(
  backup: string,
  { files }: Manifest,
  { databaseUrl, decision }: Put,
  staged: string,
): Promise<void> {
  const names = files.flatMap(({ path }) => (path.startsWith('files/') ? [path.slice('files/'.length)] : []))
  for (const name of names) {
    const into = createWriteStream(join(staged, name), { flags: 'wx', mode: 0o600, flush: true })
    await pipeline(createReadStream(join(backup, 'files', name)), into)
  }
  const settings = join(staged, '.env')
  const named = readEnvFile(settings)['SVC_DATABASE_URL']
  // The database of the settings is the one that was restored into.
  if (named !== undefined && named !== databaseUrl) mergeEnvFile(settings, { SVC_DATABASE_URL: databaseUrl })
  await rm(`${settings}.bak`, { force: true })
  await replaceFileDurably(join(staged, pausedName), `${JSON.stringify(decision)}\n`)
}

type Put = RestoreTarget & { readonly decision: RestoredCopy }

/** Stands in the directory, and in the state itself for whoever opens that from another one. */
function pauseOf({ files, createdAt }: Manifest, { by }: RestoreTarget): RestoredCopy {
  const wasPaused = files.some(({ path }) => path === `files/${pausedName}`)
  const before = wasPaused ? '; it was paused when the backup was made' : ''
  const reason = `restored from the backup of ${createdAt}: what was signed, spent and revoked since is not in it${before}`
  return { by, at: new Date().toISOString(), reason }
}
