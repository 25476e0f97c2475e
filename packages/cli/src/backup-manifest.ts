import { hash, createHash } from 'node:crypto'
import { readFile, readdir } from 'node:fs/promises'
import { join, relative } from 'node:path'
import * as z from 'zod'
import { createReadStream } from 'node:fs'
import { ownerKeyName } from '@svc/tool-server'
import { pageLinkName } from '@svc/tool-server/operator-page'
import { worldMarker } from './world-directory.ts'

/** What a backup is: of when, of which version and state, which files it has and what each must be. */
export type Manifest = z.output<typeof manifestSchema>

export const manifestName = 'manifest.json'

/** In which form this version writes backups; what it reads. */
export const backupFormat = 1

/** Whether a backup can hold a file of this name: one that leads nowhere else, and that a person can read. */
export function isFileName(name: string): boolean {
  return name !== '.' && name !== '..' && /^[^/\\\p{C}]{1,200}$/u.test(name)
}

const hex = z.string().regex(/^[0-9a-f]{64}$/)

const manifestSchema = z.strictObject({
  format: z.literal(backupFormat),
  /** Of the program that made it. */
  version: z.string(),
  createdAt: z.iso.datetime(),
  engine: z.enum(['sqlite', 'postgresql']),
  /** Of the schema, in order. */
  steps: z.array(z.string()),
  tables: z.array(
    z.strictObject({
      name: z.string().regex(/^[a-z_]+$/),
      columns: z.array(z.string().regex(/^[a-z_0-9]+$/)),
      lastSequence: z.string().regex(/^\d+$/).nullable(),
      rows: z.int().min(0),
      digest: hex,
    }),
  ),
  /** Where the audit log ends; `null` where it holds no line. */
  audit: z.strictObject({ seq: z.int(), hash: hex }).nullable(),
  /** Under the backup's `state` or `files`. No name of one leads out of it. */
  files: z.array(
    z.strictObject({
      path: z
        .string()
        .refine((path) => /^(?:state|files)\//.test(path) && isFileName(path.slice(path.indexOf('/') + 1))),
      bytes: z.int().min(0),
      sha256: hex,
    }),
  ),
  leftOut: z.array(z.strictObject({ name: z.string(), why: z.string() })),
})

/** With a sum over itself, so that one which was changed is found out as well. */
export function manifestText(manifest: Manifest): string {
  return `${JSON.stringify({ sha256: sumOfManifest(manifest), manifest }, null, 2)}\n`
}

/** Throws where there is none, or one that was changed or comes of another version. */
async function readManifest(backup: string): Promise<Manifest> {
  const text = await readFile(join(backup, manifestName), 'utf8').catch((cause: unknown) => {
    throw new Error(`${backup} is no backup: it has no ${manifestName}.`, { cause })
  })
  const outer = z.strictObject({ sha256: hex, manifest: z.unknown() }).safeParse(parseOrNull(text))
  if (!outer.success || sumOfManifest(outer.data.manifest) !== outer.data.sha256) {
    throw new Error(`The ${manifestName} of ${backup} is damaged. Take another backup.`)
  }
  const read = manifestSchema.safeParse(outer.data.manifest)
  if (read.success) return read.data
  throw new Error(`${backup} was made by another version of this program, which reads it.`)
}

function sumOfManifest(manifest: unknown): string {
  return hash('sha256', JSON.stringify(manifest))
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Holds every file against the manifest. Throws, naming the first that is missing or is not as it was written. */
export async function checkBackup(backup: string): Promise<Manifest> {
  const manifest = await readManifest(backup)
  for (const { path, bytes, sha256 } of manifest.files) {
    const found = await sumOf(join(backup, path)).catch((cause: unknown) => {
      throw new Error(`${path} is missing from the backup ${backup}. Take another backup.`, { cause })
    })
    if (found.bytes !== bytes || found.sha256 !== sha256) {
      throw new Error(`${path} of the backup ${backup} is damaged. Take another backup.`)
    }
  }
  return manifest
}

/** Size and SHA-256 of a file. */
export async function sumOf(path: string): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const sum = createHash('sha256')
  let bytes = 0
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    sum.update(chunk)
    bytes += chunk.length
  }
  return { bytes, sha256: sum.digest('hex') }
}

/**
 * Reads what of a data directory goes into a backup beside state and audit log: switches, what is on record, policy and keys. Of `.env` the
 * wallet's secrets are left out unless they are asked for. Nothing of a file that is not known here is taken; each is named.
 */
export async function readKeptFiles(dataDir: string, options: KeptOptions): Promise<KeptFiles> {
  const names = await readdir(dataDir)
  const files: { readonly name: string; readonly text: string }[] = []
  const leftOut: LeftOut[] = []
  for (const name of [...kept, ...chainsFileIn(dataDir, options)]) {
    if (!names.includes(name)) continue
    const text = await readFile(join(dataDir, name), 'utf8').catch((error: NodeJS.ErrnoException) => {
      // A pause that was ended between the two looks.
      if (error.code === 'ENOENT') return null
      throw error
    })
    if (text === null) continue
    const isSecret = name === '.env' && !options.withWalletSecrets
    const { lines, secrets } = isSecret ? withoutWalletSecrets(text) : { lines: text, secrets: [] }
    files.push({ name, text: lines })
    leftOut.push(...secrets.map((secret) => ({ name: secret, why: 'a secret of the wallet' })))
  }
  const taken = new Set(files.map(({ name }) => name))
  for (const name of names) {
    if (taken.has(name) || elsewhere.test(name)) continue
    leftOut.push({ name, why: reasons[name] ?? 'no file of the state' })
  }
  return { files, leftOut }
}

export type KeptFiles = {
  readonly files: readonly { readonly name: string; readonly text: string }[]
  readonly leftOut: readonly LeftOut[]
}

/** A file, or a setting of `.env`, that is in no backup. */
export type LeftOut = { readonly name: string; readonly why: string }

type KeptOptions = {
  readonly withWalletSecrets: boolean
  /** As the settings name it. */
  readonly chainsFile: string | null
}

/** What a pause and what is on record say is read before the state and the audit log are: a line is written twice rather than never. */
const kept = [
  'paused',
  'resumed.json',
  'breaker.json',
  'recorded.json',
  'recorded-decisions.json',
  'recorded-sign-ins.json',
  'daily-alert.json',
  'balances.json',
  'owed-allowances.json',
  'policy.json',
  'policy.test.json',
  'setup.json',
  '.env',
] as const

/** Part of the backup in another form, or of one process alone. */
const elsewhere =
  /^(?:state\.db(?:-wal|-shm)?|audit(?:-\d+)?\.jsonl|audit-checkpoints\.json|server\.lock(?:-journal)?|server\.id|lost\+found|.*\.tmp)$/

const reasons: Readonly<Record<string, string>> = {
  '.env.bak': 'former settings, with their secrets',
  [ownerKeyName]: 'the key that can lift the policy of the wallet: it belongs on another machine',
  [worldMarker]: 'the wallet of a local world, whose chain is gone when it ends',
  [pageLinkName]: 'a link to the operator page, which opens once',
  'wallet-in-the-making.json': 'keys of a wallet that is being made: finish that first, with svc setup',
  'support-api': 'the state of another server: back that up by itself',
}

/** Only where it stands in the directory itself. Throws for a name that no backup can hold. */
function chainsFileIn(dataDir: string, { chainsFile }: KeptOptions): readonly string[] {
  if (chainsFile === null) return []
  const name = relative(dataDir, chainsFile)
  if (name.startsWith('..') || name.includes('/')) return []
  if (isFileName(name) && !elsewhere.test(name) && !kept.some((one) => one === name)) return [name]
  throw new Error(
    'The file that SVC_CHAINS_FILE names has a name that cannot be in a backup. Rename it, for example to chains.json.',
  )
}

/** Settings that sign, or let a provider sign. */
export const walletSecrets = ['PRIVATE_KEY', 'WALLET_APP_SECRET', 'WALLET_AUTH_PRIVATE_KEY']

function withoutWalletSecrets(text: string): { readonly lines: string; readonly secrets: readonly string[] } {
  // Also one that a person has put out of use, or set for a shell: it signs all the same.
  const isSecret = (line: string) => {
    const name = /^[\s#]*(?:export\s+)?([A-Z_]+)\s*=/.exec(line)?.[1]
    return walletSecrets.find((secret) => secret === name)
  }
  const lines = text.split('\n')
  const secrets = lines.flatMap((line) => isSecret(line) ?? [])
  return { lines: lines.filter((line) => isSecret(line) === undefined).join('\n'), secrets }
}
