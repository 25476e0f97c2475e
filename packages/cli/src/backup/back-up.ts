import { mkdir, mkdtemp, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { copyAuditLog, verifyAuditLog } from '@svc/engine/switches'
import { syncFolder } from '@svc/runtime'
import type { StorePlace } from '@svc/store'
import { type CopiedTable, createRowsDigest, readState, type StateSnapshot } from '@svc/store/backup'
import { checkBackup, sumOf } from './check-backup.ts'
import { type KeptFiles, readKeptFiles } from './kept-files.ts'
import { backupFormat, type Manifest, manifestName, manifestText } from './manifest.ts'

/**
 * Makes a backup of a server's state in a new directory, beside the server and while it writes. The files come first, then the state as of
 * one moment, and the audit log last, so that it holds a line of all that stands in the state. The directory has its name once all of it is
 * on disk; until then, and when it is cut off, it ends in `.part` and some letters. Throws where something has the name already.
 */
export async function backUp(source: BackupSource, target: string): Promise<BackupMade> {
  const isThere = await stat(target).then(
    () => true,
    () => false,
  )
  if (isThere) throw new Error(`${target} is there already. Name a new directory for the backup.`)
  const part = await mkdtemp(join(dirname(target), `${basename(target)}.part-`))
  try {
    await Promise.all([mkdir(join(part, 'state')), mkdir(join(part, 'files'))])
    const kept = await readKeptFiles(source.dataDir, source)
    for (const { name, text } of kept.files) await writeDurably(join(part, 'files', name), text)
    const state = await readState(source.place, (snapshot) => writeTables(snapshot, join(part, 'state')))
    await copyAuditLog(source.dataDir, join(part, 'files'))
    const { broken, last } = await verifyAuditLog(join(part, 'files'))
    const manifest = await describe({ source, part, kept, state, audit: last })
    await writeDurably(join(part, manifestName), manifestText(manifest))
    // As a restore will: what that would refuse is no backup.
    await checkBackup(part)
    for (const folder of [join(part, 'state'), join(part, 'files'), part]) await syncFolder(folder)
    await rename(part, target)
    await syncFolder(dirname(target))
    return { manifest, auditBreak: broken === null ? null : `${broken.file}, line ${broken.line}, ${broken.how}` }
  } catch (error) {
    await rm(part, { recursive: true, force: true })
    throw error
  }
}

export type BackupSource = {
  /** Absolute path. */
  readonly dataDir: string
  readonly place: StorePlace
  readonly chainsFile: string | null
  readonly withWalletSecrets: boolean
  /** Of this program. */
  readonly version: string
}

export type BackupMade = {
  readonly manifest: Manifest
  /** Where the chain of the audit log is broken, in the log itself as in its copy. */
  readonly auditBreak: string | null
}

type State = Pick<StateSnapshot, 'engine' | 'steps'> & { readonly tables: readonly CopiedTable[] }

/** A file a table, a row a line. */
async function writeTables({ engine, steps, tables }: StateSnapshot, folder: string): Promise<State> {
  const copied: CopiedTable[] = []
  for (const { name, columns, lastSequence, rows } of tables) {
    const digest = createRowsDigest()
    const file = await open(join(folder, `${name}.jsonl`), 'wx', 0o600)
    try {
      let lines = ''
      for await (const row of rows()) {
        digest.add(row)
        lines += `${JSON.stringify(row)}\n`
        if (lines.length < bytesAtOnce) continue
        await file.write(lines)
        lines = ''
      }
      await file.write(lines)
      await file.sync()
    } finally {
      await file.close()
    }
    copied.push({ name, columns, lastSequence, ...digest.read() })
  }
  return { engine, steps, tables: copied }
}

const bytesAtOnce = 1 << 20

async function describe({ source, part, kept, state, audit }: Described): Promise<Manifest> {
  const paths = await Promise.all(
    ['state', 'files'].map(async (folder) => (await readdir(join(part, folder))).map((name) => `${folder}/${name}`)),
  )
  const files = await Promise.all(
    paths.flat().map(async (path) => {
      const { bytes, sha256 } = await sumOf(join(part, path))
      return { path, bytes, sha256 }
    }),
  )
  return {
    format: backupFormat,
    version: source.version,
    createdAt: new Date().toISOString(),
    engine: state.engine,
    steps: [...state.steps],
    tables: state.tables.map((table) => ({ ...table, columns: [...table.columns] })),
    audit,
    files,
    leftOut: [...kept.leftOut],
  }
}

type Described = {
  readonly source: BackupSource
  readonly part: string
  readonly kept: KeptFiles
  readonly state: State
  readonly audit: Manifest['audit']
}

async function writeDurably(path: string, text: string): Promise<void> {
  await writeFile(path, text, { flag: 'wx', mode: 0o600, flush: true })
}
