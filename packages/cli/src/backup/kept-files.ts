import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { isFileName } from './manifest.ts'
import { ownerKeyName } from '@svc/tool-server'
import { pageLinkName } from '@svc/tool-server/operator-page'
import { worldMarker } from '../world-directory.ts'

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
