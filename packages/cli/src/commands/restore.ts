import { join, resolve } from 'node:path'
import { StoreError } from '@svc/store'
import { readEnvFile } from '@svc/tool-server'
import { walletSecrets } from '../backup/kept-files.ts'
import type { Manifest } from '../backup/manifest.ts'
import { checkBackup } from '../backup/check-backup.ts'
import { restore as bringBack, type RestoreTarget } from '../backup/restore.ts'
import { operatorName } from '../own-data-directory.ts'
import { parseWordsAndFlags } from '../parse-words-and-flags.ts'
import { UsageError } from '../usage-error.ts'
import { contentText } from './backup.ts'

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
  const manifest = await bringBack(backup, target).catch((error: unknown) => {
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
