import { getAddress, isAddress } from 'viem'
import { openOperations } from '../approvals/open-operations.ts'
import { operatorName } from '../own-data-directory.ts'
import { parseFlags, parseWordsAndFlags } from '../parse-words-and-flags.ts'
import { UsageError } from '../usage-error.ts'

/** `svc keys rotate`: has every server on the state sign tokens with a new key, and says how long those of the old ones are taken. */
export async function rotate(argv: readonly string[]): Promise<number> {
  const flags = parseFlags(argv, { values: [...taken.values, 'overlap'], switches: taken.switches })
  const overlapMinutes = readOverlap(flags.overlap)
  const open = await openOperations(flags['data-dir'], process.env)
  try {
    await open.signIns.rotate({ overlapMs: heldMs(overlapMinutes) })
  } finally {
    await open.close()
  }
  const old =
    overlapMinutes === 0
      ? 'what an old key signed is refused from then on, in open streams as well, and whoever came with it signs in again. Writes that it left to be carried out, and tasks that run, go on until: svc keys revoke WALLET, or the id of the token'
      : `what an old key signed is taken until it ends, ${overlapMinutes} minutes at the most`
  const text = `Every server on this state signs tokens with a new key within a second; ${old}.`
  process.stdout.write(flags.json ? `${JSON.stringify({ rotated: true, overlapMinutes })}\n` : `${text}\n`)
  return 0
}

function readOverlap(given = `${longestOverlapMinutes}`): number {
  const minutes = /^\d{1,2}$/.test(given) ? Number(given) : Number.NaN
  if (minutes <= longestOverlapMinutes) return minutes
  const range = `a whole number of minutes from 0 to ${longestOverlapMinutes}`
  throw new UsageError(
    `--overlap takes ${range}: that long the tokens of the old key are taken, and they last no longer`,
  )
}

/**
 * How long old keys are taken. Who asks for no less than the life of a token is to lose none: servers sign with the old key until they look next,
 * and their clocks differ, by a minute at the most.
 */
function heldMs(overlapMinutes: number): number {
  return overlapMinutes * 60_000 + (overlapMinutes === longestOverlapMinutes ? mostSkewMs : 0)
}

/** As long as a token lasts. */
const longestOverlapMinutes = 15
const mostSkewMs = 60_000

/**
 * `svc keys revoke`: turns a wallet away that signed in, one token of it, or a caller who comes with tokens of others. Exit code 1 where that was so already.
 */
export function revoke(argv: readonly string[]): Promise<number> {
  return turn('revoke', argv)
}

/** Ends what `revoke` did. */
export function restore(argv: readonly string[]): Promise<number> {
  return turn('restore', argv)
}

async function turn(word: 'revoke' | 'restore', argv: readonly string[]): Promise<number> {
  const { words, flags } = parseWordsAndFlags(argv, taken)
  const [named, more] = words
  if (named === undefined || more !== undefined) throw new UsageError(`svc keys ${word} takes the ${accepted}`)
  const subject = subjectOf(named)
  if (subject === null) throw new UsageError(`svc keys ${word} takes the ${accepted}; this is none of these`)
  const open = await openOperations(flags['data-dir'], process.env)
  try {
    // Also of a token: it ends within a quarter of an hour, and what it left to be carried out may wait for much longer.
    const revocation = { subject, by: operatorName(), until: null }
    const isDone = await (word === 'revoke' ? open.signIns.revoke(revocation) : open.signIns.restore(subject))
    process.stdout.write(
      flags.json ? `${JSON.stringify({ subject, changed: isDone })}\n` : textOf(word, subject, isDone),
    )
    return isDone ? 0 : 1
  } finally {
    await open.close()
  }
}

const taken = { values: ['data-dir'], switches: ['json'] } as const
const accepted =
  'address of a wallet, id of a token of one (jti, as the audit log has it), or id of a caller that begins with oauth: or edge-access:'

function subjectOf(named: string): string | null {
  const address = named.replace(/^siwe:/, '')
  if (isAddress(address, { strict: true })) return `address:${getAddress(address)}`
  if (/^(oauth:[0-9a-f]{16}:[0-9a-f]{32}|edge-access:[A-Za-z0-9._-]{1,128})$/.test(named)) return named
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(named) ? `jti:${named}` : null
}

function textOf(word: 'revoke' | 'restore', subject: string, isDone: boolean): string {
  const [kind = '', name = ''] = subject.split(/:(.*)/s)
  const of = kind === 'address' ? `wallet ${name}` : kind === 'jti' ? `token ${name}` : `caller ${subject}`
  if (word === 'restore') return isDone ? `The ${of} may sign in again.\n` : `The ${of} was not revoked.\n`
  if (!isDone) return `The ${of} was revoked already.\n`
  const rest =
    kind === 'jti'
      ? 'its streams and what it left to be carried out end with it; the wallet may sign in again'
      : `its tokens, its streams and what it left to be carried out end, and it signs in no more until: svc keys restore ${kind === 'address' ? name : subject}`
  return `The ${of} is turned away by every server on this state within a second: ${rest}\n`
}
