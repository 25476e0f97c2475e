import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { backUp } from '../backup/back-up.ts'
import type { Manifest } from '../backup/manifest.ts'
import { statePlace } from '../approvals/open-operations.ts'
import { parseWordsAndFlags } from '../parse-words-and-flags.ts'
import { UsageError } from '../usage-error.ts'
import { printableText } from '../printable-text.ts'

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
