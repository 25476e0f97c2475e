import { join } from 'node:path'
import { readFileIfPresent, replaceFileDurably } from '@svc/runtime'
import type { Revocation } from '@svc/store'
import { createMutex } from '@svc/wallet/core'
import * as z from 'zod'
import type { SignInEvent } from './sign-in-options.ts'

/**
 * Tells what the operator did to callers who sign in: the commands that do it are not the one writer of an audit log, so they leave it in the
 * state, also while no server runs. What was said stands in `recorded-sign-ins.json` of the directory; a crash between the two repeats a line and loses
 * none. Without a directory only what changes while the server runs is recorded.
 */
export function createSignInRecord({ directory, report, onError }: SignInRecordOptions): SignInRecord {
  const path = directory === null ? null : join(directory, 'recorded-sign-ins.json')
  let recorded: Recorded | null = null
  let epoch = -1
  let isFailing = false
  const inTurn = createMutex()

  async function reportAll(known: Recorded, seen: SeenSignIns): Promise<void> {
    if (seen.epoch === epoch && seen.rotation === known.rotation) return
    const events = eventsSince(known, seen)
    for (const event of events) await report(event)
    recorded = recordedOf(seen)
    if (path !== null && events.length > 0) await replaceFileDurably(path, JSON.stringify(recorded))
    epoch = seen.epoch
    isFailing = false
  }
  return {
    look: (seen) =>
      inTurn(async () => {
        const known = (recorded ??= path === null ? recordedOf(seen) : await readRecorded(path))
        await reportAll(known, seen).catch((error: unknown) => {
          if (!isFailing) onError(error)
          isFailing = true
        })
      }),
    settled: () => inTurn(async () => {}),
  }
}

export type SignInRecord = {
  /** Resolves once all is recorded that was done by now. What cannot be recorded is so with a later look; `onError` hears why, once. Rejects where the file cannot be read. */
  look(seen: SeenSignIns): Promise<void>
  /** Resolves once nothing is under way, so that the next server repeats nothing. */
  settled(): Promise<void>
}

export type SignInRecordOptions = {
  /** `null` for a server without an audit log. */
  readonly directory: string | null
  readonly report: (event: SignInEvent) => Promise<void>
  readonly onError: (error: unknown) => void
}

export type SeenSignIns = {
  /** Grows with every change of the rest. */
  readonly epoch: number
  readonly revocations: readonly Revocation[]
  /** How often keys were changed, and the id of the key of now; `null` where this server has none. */
  readonly rotation: number
  readonly kid: string | null
}

function eventsSince(recorded: Recorded, { revocations, rotation, kid }: SeenSignIns): readonly SignInEvent[] {
  const stands = new Set(revocations.map(nameOf))
  const before = new Set(recorded.revoked.map(nameOf))
  return [
    // What was forgotten because its time was over was not ended by anybody.
    ...recorded.revoked
      .filter((one) => one.until === null && !stands.has(nameOf(one)))
      .map(({ subject }) => ({ event: 'auth.restored' as const, subject })),
    ...revocations.filter((one) => !before.has(nameOf(one))).map(revoked),
    ...(kid !== null && rotation > recorded.rotation ? [{ event: 'auth.keys-rotated' as const, kid }] : []),
  ]
}

function revoked({ subject, by, revokedAt }: Revocation): SignInEvent {
  return { event: 'auth.revoked', subject, by, revokedAt: new Date(revokedAt).toISOString() }
}

/** One may be revoked, restored, and revoked again. */
function nameOf({ subject, revokedAt }: Pick<Revocation, 'subject' | 'revokedAt'>): string {
  return `${revokedAt} ${subject}`
}

function recordedOf({ revocations, rotation }: SeenSignIns): Recorded {
  return { revoked: revocations.map(({ subject, revokedAt, until }) => ({ subject, revokedAt, until })), rotation }
}

async function readRecorded(path: string): Promise<Recorded> {
  const text = await readFileIfPresent(path)
  if (text === null) return { revoked: [], rotation: 0 }
  try {
    return form.parse(JSON.parse(text))
  } catch (cause) {
    throw new Error(
      `${path} cannot be read: what it says of revocations decides which of them are written into the audit log. Put it back from a copy, or remove it: then all that stand are written again.`,
      { cause },
    )
  }
}

const form = z.object({
  revoked: z.array(z.object({ subject: z.string(), revokedAt: z.number(), until: z.number().nullable() })),
  rotation: z.number(),
})

type Recorded = z.output<typeof form>
