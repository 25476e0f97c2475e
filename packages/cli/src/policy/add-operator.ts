import { createHash } from 'node:crypto'
import { ToolError } from '@svc/amm'
import { operatorName, parsePolicy, passkeyOf, readPolicyFile } from '@svc/engine/policy'
import type { StopCause } from '@svc/tool-server/until-stopped'
import { requireAsking, saysYes, type Terminal } from '../ask-on-terminal.ts'
import { parseWordsAndFlags } from '../parse-words-and-flags.ts'
import { UsageError } from '../usage-error.ts'
import { policyPlace, printProblems } from './policy-place.ts'
import { replacePolicy, membersOf } from './edit-policy.ts'

/**
 * `svc policy add-operator NAME PASSKEY`: writes the public half of a passkey, as the operator page shows it, into the policy file under a name,
 * once a person has said yes: from then on it may decide from afar. Resolves to 1 where the person says no; then nothing is written.
 */
export async function addOperator(
  argv: readonly string[],
  stopped: Promise<StopCause>,
  terminal: Terminal = { input: process.stdin, output: process.stdout },
): Promise<number> {
  const { words, flags } = parseWordsAndFlags(argv, flagNames)
  const { name, passkey } = readWords(words)
  const { config, path } = await policyPlace(flags['data-dir'], flags.policy ?? null, process.env)
  requireAsking(flags, terminal)
  try {
    const file = await readPolicyFile(path)
    const change = withPasskey(file?.written ?? {}, name, passkey)
    parsePolicy(change.written, { production: config.production || flags.production })
    const fingerprint = fingerprintOf(passkey.publicKey)
    if (!flags.json) terminal.output.write(textOf(name, fingerprint, path))
    const isWanted =
      change.isChanged && (flags.yes || (!flags.json && (await saysYes('Is this your passkey?', terminal, stopped))))
    const written = isWanted ? await replacePolicy(path, change.written, file?.sha256 ?? null) : { backup: null }
    const status = !change.isChanged ? 'unchanged' : isWanted ? 'added' : flags.json ? 'proposed' : 'declined'
    const shown = { status, operator: name, passkey: passkey.id, fingerprint, file: path, ...written }
    terminal.output.write(flags.json ? `${JSON.stringify(shown)}\n` : `${ends[status](path)}\n`)
    return status === 'declined' ? 1 : 0
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    printProblems('svc policy add-operator', error)
    return 1
  }
}

const flagNames = { values: ['data-dir', 'policy'], switches: ['yes', 'json', 'production'] } as const

type Passkey = { readonly id: string; readonly publicKey: string }

function readWords([name, code, more]: readonly string[]): { readonly name: string; readonly passkey: Passkey } {
  if (name === undefined || code === undefined || more !== undefined)
    throw new UsageError('svc policy add-operator takes NAME and PASSKEY, as the page /operator shows them')
  if (!operatorName.test(name)) throw new UsageError('NAME: accepted: a-z, 0-9, . _ and -, at most 32')
  const [id = '', publicKey = '', rest] = code.split('.')
  if (rest !== undefined || id === '' || passkeyOf(publicKey) === null)
    throw new UsageError(
      'PASSKEY: accepted: the id of a passkey, a dot, and its public key, as the page /operator shows them',
    )
  return { name, passkey: { id, publicKey } }
}

/** The content of a policy file in which this passkey is this operator's; every other member stays as it is. */
function withPasskey(written: unknown, name: string, passkey: Passkey) {
  const policy = membersOf(written)
  const operators = membersOf(policy['operators'])
  const { passkeys } = membersOf(operators[name]) as { readonly passkeys?: unknown }
  const had: readonly unknown[] = Array.isArray(passkeys) ? passkeys : []
  const isChanged = !had.some((one) => JSON.stringify(one) === JSON.stringify(passkey))
  const versioned = Object.keys(policy).length === 0 ? { version: 1 } : policy
  return {
    isChanged,
    written: { ...versioned, operators: { ...operators, [name]: { passkeys: isChanged ? [...had, passkey] : had } } },
  }
}

/** As the page shows it. */
function fingerprintOf(publicKey: string): string {
  return createHash('sha256').update(Buffer.from(publicKey, 'base64url')).digest('hex').slice(0, 16)
}

function textOf(name: string, fingerprint: string, path: string): string {
  return [
    `operator     ${name}`,
    `fingerprint  ${fingerprint}, which the page on your device must show as well`,
    'means        whoever holds that device and unlocks it approves, denies, cancels, pauses and resumes from afar',
    `written to   ${path}`,
    '',
  ].join('\n')
}

const ends: Readonly<Record<'added' | 'unchanged' | 'proposed' | 'declined', (path: string) => string>> = {
  added: (path) => `Written to ${path}. To take it away again, take it out of operators there; it is felt at once.`,
  unchanged: (path) => `${path} names it already. Nothing was written.`,
  proposed: () => 'Nothing was written.',
  declined: () => 'Nothing was written: only the word yes, written out, writes it.',
}
