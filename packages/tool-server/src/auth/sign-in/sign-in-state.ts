import { startSweeper } from '@svc/engine'
import type { Revocation, SignIns } from '@svc/store'
import type { Revocations } from '../token-stage.ts'
import { createVerificationKeys, makeSigningKey, type SigningKey, type VerificationKeys } from './tokens.ts'
import { join } from 'node:path'
import { readFileIfPresent, replaceFileDurably } from '@svc/runtime'
import { createMutex } from '@svc/wallet/core'
import * as z from 'zod'
import type { SignInEvent } from './sign-in.ts'

/**
 * What this server knows of keys and revocations, as all servers on its state have left them there: looked at a few times in a second, by one
 * number as long as nothing changed. Changes its own key when that was asked for. Rejects where the state cannot be read at all.
 */
export async function openSignInState(options: SignInStateOptions): Promise<SignInKnowledge> {
  const { signIns, signsTokens, now, onLooked, onError } = options
  const keys = createVerificationKeys(now)
  const held = await readFirst(signIns, { signsTokens, now })
  await keys.update(held.keys)
  const world = { signIns, now, keys, held }
  let waiting: (() => void)[] = []
  let isReported = false
  const sweep = async () => {
    // Whoever comes while it looks waits for the next one.
    const woken = waiting
    waiting = []
    // A database that is away keeps a look waiting for longer than anybody may rest on the one before.
    const meanwhile = setInterval(onLooked, meanwhileMs).unref()
    await look(world).then(
      () => (isReported = false),
      (error: unknown) => {
        if (!isReported) onError(error)
        isReported = true
      },
    )
    clearInterval(meanwhile)
    onLooked()
    for (const go of woken) go()
  }
  const sweeper = startSweeper({ everyMs: lookEveryMs, sweep, onError })
  let isClosed = false
  const nextLook = () => new Promise<void>((resolve) => (isClosed ? resolve() : void waiting.push(resolve)))
  return {
    keys,
    async signingKey() {
      if (held.key === null) throw new TypeError('This server signs no tokens.')
      const epoch = await signIns.epoch()
      // Also while this server is about to change its key: a look takes the epoch in before it publishes the new one.
      if (epoch !== held.epoch || held.asked !== held.rotation) await nextLook()
      if (held.epoch < epoch || held.asked !== held.rotation)
        throw new Error('The key of this server could not be changed yet.')
      return held.key
    },
    epoch: () => held.epoch,
    isRevoked: (subject) => held.revocations.has(subject),
    isFresh: () => now() - held.readAt <= freshMs,
    seen: () => ({
      epoch: held.epoch,
      revocations: [...held.revocations.values()],
      rotation: held.rotation,
      kid: held.key?.kid ?? null,
    }),
    nextLook,
    close() {
      isClosed = true
      sweeper.stop()
      for (const go of waiting.splice(0)) go()
    },
  }
}

export type SignInStateOptions = {
  readonly signIns: SignIns
  /** Whether this server issues tokens, and so has a key. */
  readonly signsTokens: boolean
  /** Unix milliseconds. */
  readonly now: () => number
  /** After every look, and each second that one lasts. */
  readonly onLooked: () => void
  /** Hears once that a look failed, at what is to be read or at the key that is to be published, until one does not. */
  readonly onError: (error: unknown) => void
}

export type SignInKnowledge = Revocations & {
  readonly keys: VerificationKeys
  /** The one in force, as the state has it now. Rejects where that cannot be read, and where this server issues no tokens. */
  signingKey(): Promise<SigningKey>
  /** What the last look found. */
  seen(): SeenSignIns
  /** Resolves once the state was looked at that others have left by now, or nobody looks any more. */
  nextLook(): Promise<void>
  close(): void
}

/** Twice and more within the second in which a revocation is felt. */
const lookEveryMs = 350
const meanwhileMs = 1_000
const freshMs = 10_000
/** A key is published anew in half of it, and forgotten after it once its server has ended; longer than a token lives. */
const keyLifeMs = 60 * 60_000

type World = Pick<SignInStateOptions, 'signIns' | 'now'> & {
  readonly keys: ReturnType<typeof createVerificationKeys>
  readonly held: Awaited<ReturnType<typeof readFirst>>
}

async function look(world: World): Promise<void> {
  const { signIns, now, held } = world
  if ((await signIns.epoch()) !== held.epoch) await take(world)
  // What is known rests on what was read, also where nothing can be written.
  held.readAt = now()
  // Looked at by itself, so that a change of keys that failed is tried again.
  if (held.key !== null) {
    if (held.asked !== held.rotation) await changeKey(world)
    else if (held.acceptedUntil - now() < keyLifeMs / 2) await renew(world, held.key)
  }
}

async function take(world: World): Promise<void> {
  const { signIns, keys, held } = world
  const { epoch, rotation, keys: published, revocations } = await signIns.state()
  await keys.update(published)
  Object.assign(held, { epoch, revocations: bySubject(revocations), asked: rotation })
}

/** How long what the old key signed is taken, whoever asked for the change has said. */
async function changeKey({ signIns, now, keys, held }: World): Promise<void> {
  const acceptedUntil = now() + keyLifeMs
  const key = await makeSigningKey(signIns, acceptedUntil)
  Object.assign(held, { key, rotation: held.asked, acceptedUntil })
  await keys.update((await signIns.state()).keys)
}

/** A key that was to be changed meanwhile is accepted for no longer than was said then. */
async function renew({ signIns, now, held }: World, key: SigningKey): Promise<void> {
  const acceptedUntil = now() + keyLifeMs
  await signIns.publishKey({ ...key, acceptedUntil }, held.rotation)
  held.acceptedUntil = acceptedUntil
}

async function readFirst(signIns: SignIns, { signsTokens, now }: Pick<SignInStateOptions, 'signsTokens' | 'now'>) {
  const acceptedUntil = now() + keyLifeMs
  // Before the key is there: of a change that is asked for meanwhile it is one of the old ones.
  const { rotation } = await signIns.state()
  const key = signsTokens ? await makeSigningKey(signIns, acceptedUntil) : null
  const { epoch, rotation: asked, keys, revocations } = await signIns.state()
  return {
    key,
    acceptedUntil,
    epoch,
    rotation: key === null ? asked : rotation,
    /** The rotation that was asked for last. */
    asked,
    keys,
    revocations: bySubject(revocations),
    readAt: now(),
  }
}

function bySubject(revocations: readonly Revocation[]): ReadonlyMap<string, Revocation> {
  return new Map(revocations.map((revocation) => [revocation.subject, revocation]))
}

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

type SeenSignIns = {
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
