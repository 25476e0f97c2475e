import { join, resolve, basename } from 'node:path'
import { StoreError, acquireServerLock } from '@svc/store'
import { readEnvFile, mergeEnvFile, restoringName } from '@svc/tool-server'
import { walletSecrets, type Manifest, checkBackup } from '../backup-manifest.ts'
import { operatorName } from '../own-data-directory.ts'
import { parseWordsAndFlags } from '../parse-words-and-flags.ts'
import { UsageError } from '../usage-error.ts'
import { contentText } from './backup.ts'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import { makeDirectory, replaceFileDurably, syncFolder } from '@svc/runtime'
import { type RestoredCopy, type StateCopy, type StateRow, writeState } from '@svc/store/backup'

/**
 * `svc restore DIR`: brings a backup back into an empty data directory, and into the database where the settings name one; `--check` looks
 * only whether the backup is whole. Resolves to the exit code.
 */
export async function restore(argv: readonly string[]): Promise<number> {
  const { words, flags } = parseWordsAndFlags(argv, { values: ['data-dir'], switches: ['check'] })
  const [name, more] = words
  if (name === undefined || more !== undefined) throw new UsageError('svc restore takes the directory of one backup')
  if (flags['data-dir'] === '') throw new UsageError('--data-dir takes the name of a directory')
  const backup = resolve(name)
  if (flags.check) {
    process.stdout.write(`Whole: ${backup} holds ${contentText(await checkBackup(backup))}.\n`)
    return 0
  }
  const target: RestoreTarget = {
    dataDir: resolve(flags['data-dir'] ?? (process.env['SVC_DATA_DIR'] || '.svc')),
    databaseUrl:
      process.env['SVC_DATABASE_URL'] || readEnvFile(join(backup, 'files', '.env'))['SVC_DATABASE_URL'] || null,
    by: operatorName(),
  }
  const manifest = await restoreBackup(backup, target).catch((error: unknown) => {
    if (!(error instanceof StoreError && error.code === 'LEASE_HELD')) throw error
    throw new Error('A server runs on the database. Stop it, or name an empty database with SVC_DATABASE_URL.', {
      cause: error,
    })
  })
  process.stdout.write(restoredText(manifest, target))
  return 0
}

function restoredText(manifest: Manifest, { dataDir, databaseUrl }: RestoreTarget): string {
  const place = databaseUrl === null ? dataDir : `${dataDir} and the database of SVC_DATABASE_URL`
  const missing = manifest.leftOut.map(({ name }) => name).filter((one) => walletSecrets.includes(one))
  return [
    `Restored into ${place}: ${contentText(manifest)}.`,
    'Signing is paused: of what was signed, spent and revoked since the backup nothing is known here.',
    ...(missing.length === 0
      ? []
      : [`Not in the backup: ${missing.join(', ')}. Set them where the server finds them.`]),
    'Before it goes on:',
    '  1. See that the former server is stopped for good: two of them would write for one wallet.',
    '  2. Start the server. It follows what was out at the time of the backup to its end, paused.',
    '  3. Hold the last transactions of the wallet in a block explorer against: svc transactions list --all',
    '     What the explorer alone has is in no limit of this day. Revoke again what was revoked since: svc keys revoke',
    `  4. Then: svc resume --data-dir ${dataDir}`,
    '',
  ].join('\n')
}

/**
 * Brings a backup back into an empty data directory, and into the database where the settings name one. What is restored starts paused: of
 * what was signed, spent and revoked since the backup it knows nothing. Until all of it is in place the directory holds a
 * folder `restoring`, and no server starts on it; made again, a restore that was cut off begins anew. Throws for a directory on which
 * a server runs (`DATA_DIR_LOCKED`, `LEASE_HELD`), one that holds anything, and a backup that is damaged; then nothing of it is in force.
 */
export async function restoreBackup(backup: string, target: RestoreTarget): Promise<Manifest> {
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

type RestoreTarget = {
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
