import { accessSync, lstatSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { readFileIfPresent, replaceFileDurably } from '@svc/runtime'

/**
 * Whether the operator has stopped signing: a file named `paused` stands in the data directory, whatever it holds. It is
 * looked up anew each time, never remembered. A directory that cannot be read counts as an error, not as a "no".
 */
export async function isPaused(dataDir: string): Promise<boolean> {
  return pausedSince(dataDir) !== null
}

/** The pause in force, or `null`. What the file does not say, or says in another form, is `null` in it. */
export async function readPause(dataDir: string): Promise<Pause | null> {
  const writtenAt = pausedSince(dataDir)
  if (writtenAt === null) return null
  const written = await readFile(join(dataDir, pausedName), 'utf8').then(
    (text) => parseAs(decisionSchema, text),
    () => null,
  )
  return { since: written?.at ?? writtenAt, by: written?.by ?? null, reason: written?.reason ?? null }
}

/** Stops signing, also of calls on their way. A pause that stands already is left as it is and given back. */
export async function pause(dataDir: string, decision: SwitchDecision): Promise<Pause> {
  const standing = await readPause(dataDir)
  if (standing !== null) return standing
  await replaceFileDurably(join(dataDir, pausedName), `${JSON.stringify(decision)}\n`)
  return { since: decision.at, by: decision.by, reason: decision.reason }
}

/** Lets signing go on, and leaves for the audit log what ended and who said so. False when nothing was paused. */
export async function resume(dataDir: string, decision: Omit<SwitchDecision, 'reason'>): Promise<boolean> {
  const standing = await readPause(dataDir)
  if (standing === null) return false
  const past = withEnded((await readResume(dataDir))?.past ?? [], standing, decision)
  await replaceFileDurably(join(dataDir, resumedName), `${JSON.stringify({ ...decision, reason: null, past })}\n`)
  await rm(join(dataDir, pausedName))
  return true
}

/** Who ended the last pause, and when, and the pauses until then; `null` when no command ended one. */
export async function readResume(dataDir: string): Promise<Resume | null> {
  const text = await readFileIfPresent(join(dataDir, resumedName))
  return text === null ? null : parseAs(resumeSchema, text)
}

export type Pause = {
  /** ISO 8601: as written in the file, else when the file was made. */
  readonly since: string
  readonly by: string | null
  readonly reason: string | null
}

export type Resume = SwitchDecision & { readonly past: readonly PastTime<Pause>[] }

/** What an operator's command leaves in a switch's file. */
export type SwitchDecision = {
  /** For example `operator:ada`. */
  readonly by: string
  /** ISO 8601. */
  readonly at: string
  readonly reason: string | null
}

/**
 * The form in which a switch's file keeps the times that have ended, oldest first: the audit log is written by the server
 * alone, so what begins and ends between two of its looks stands here until it looks again. Absent in older files.
 */
export function switchHistory<Begun extends z.ZodType>(begun: Begun) {
  return z.array(z.object({ begun, end: z.object({ by: z.string(), at: z.string() }) })).default([])
}

/** The history with one more time at its end; no more than the newest 100 are kept. */
export function withEnded<Begun>(
  past: readonly PastTime<Begun>[],
  begun: Begun,
  { by, at }: SwitchEnd,
): PastTime<Begun>[] {
  return [...past.slice(1 - mostKept), { begun, end: { by, at } }]
}

/** How a switch was set, and how that ended. */
export type PastTime<Begun> = { readonly begun: Begun; readonly end: SwitchEnd }

/** Who ended it, and when (ISO 8601). */
export type SwitchEnd = { readonly by: string; readonly at: string }

const pausedName = 'paused'
const resumedName = 'resumed.json'

const decisionSchema = z.object({
  by: z.string().max(200),
  at: z.iso.datetime(),
  reason: z.string().max(1_000).nullable(),
})

const pauseSchema = z.object({ since: z.string(), by: z.string().nullable(), reason: z.string().nullable() })
const resumeSchema = decisionSchema.extend({ past: switchHistory(pauseSchema) })

function parseAs<Schema extends z.ZodType>(schema: Schema, text: string): z.output<Schema> | null {
  try {
    return schema.parse(JSON.parse(text))
  } catch {
    return null
  }
}

/**
 * When the file was made, or `null` when there is none. Looked up without leaving the thread: it is asked again and again,
 * last of all right before a signature, where nothing should come between the answer and what is done on it.
 */
function pausedSince(dataDir: string): string | null {
  const found = lstatSync(join(dataDir, pausedName), { throwIfNoEntry: false })
  if (found !== undefined) return found.mtime.toISOString()
  // Without the directory itself nobody could have paused: that is a fault, not permission to sign.
  accessSync(dataDir)
  return null
}

const mostKept = 100
