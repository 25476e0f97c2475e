import { readFile, mkdir, mkdtemp, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { resolve, basename, dirname, join } from 'node:path'
import {
  type Manifest,
  backupFormat,
  manifestName,
  manifestText,
  checkBackup,
  sumOf,
  type KeptFiles,
  readKeptFiles,
} from '../backup-manifest.ts'
import { statePlace } from '../approvals/open-operations.ts'
import { parseWordsAndFlags } from '../parse-words-and-flags.ts'
import { UsageError } from '../usage-error.ts'
import { printableText } from '../terminal-text.ts'
import { copyAuditLog, verifyAuditLog } from '@svc/engine/switches'
import { syncFolder } from '@svc/runtime'
import type { StorePlace } from '@svc/store'
import { type CopiedTable, createRowsDigest, readState, type StateSnapshot } from '@svc/store/backup'

/**
 * `svc backup DIR`: a backup of a server's state, beside it and while it writes. Resolves to the exit code: 0 made, 1 made of an audit log whose
 * chain is broken.
 */
export async function backup(argv: readonly string[]): Promise<number> {
  const { words, flags } = parseWordsAndFlags(argv, { values: ['data-dir'], switches: ['with-wallet-secrets'] })
  const [target, more] = words
  if (target === undefined || more !== undefined) {
    throw new UsageError('svc backup takes the name of a new directory for the backup')
  }
  const { place, dataDir, chainsFile } = await statePlace(flags['data-dir'], process.env)
  const source = {
    dataDir,
    place,
    chainsFile,
    withWalletSecrets: flags['with-wallet-secrets'],
    version: await versionOfThis(),
  }
  const { manifest, auditBreak } = await backUp(source, resolve(target))
  process.stdout.write(`Backed up ${dataDir} into ${resolve(target)}: ${contentText(manifest)}.\n`)
  for (const { name, why } of manifest.leftOut) process.stdout.write(`Left out: ${printableText(name)} (${why})\n`)
  if (flags['with-wallet-secrets'])
    process.stdout.write('It holds the secrets of the wallet: whoever has it can sign.\n')
  if (auditBreak === null) return 0
  process.stdout.write(
    `The chain of the audit log is broken, in the log itself: ${auditBreak}. See: svc audit verify\n`,
  )
  return 1
}

/** For example `412 rows of 22 tables (SQLite), audit log up to number 96, as of 2026-01-31T12:00:00.000Z`. */
export function contentText({ tables, engine, audit, createdAt }: Manifest): string {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  const name = engine === 'sqlite' ? 'SQLite' : 'PostgreSQL'
  const log = audit === null ? 'an empty audit log' : `the audit log up to number ${audit.seq}`
  return `${rows} rows of ${tables.length} tables (${name}) and ${log}, as of ${createdAt}`
}

async function versionOfThis(): Promise<string> {
  const facts = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string
  }
  return facts.version
}

/**
 * Makes a backup of a server's state in a new directory, beside the server and while it writes. The files come first, then the state as of
 * one moment, and the audit log last, so that it holds a line of all that stands in the state. The directory has its name once all of it is
 * on disk; until then, and when it is cut off, it ends in `.part` and some letters. Throws where something has the name already.
 */
async function backUp(source: BackupSource, target: string): Promise<BackupMade> {
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
