import { accessSync, lstatSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { replaceFileDurably } from '@svc/runtime'
import { readSwitch, removeFile, type SwitchPlace, writeSwitch } from './switch-text.ts'

/**
 * Whether the operator has stopped signing: a file named `paused` stands in the data directory, whatever it holds, or a pause in the
 * database that servers share. It is looked up anew each time, never remembered. What cannot be read counts as an error, not as a "no".
 */
export async function isPaused(place: SwitchPlace): Promise<boolean> {
  return pausedSince(place.dataDir) !== null || (await sharedPause(place)) !== null
}

/** The pause in force, or `null`. What the file does not say, or says in another form, is `null` in it. */
export async function readPause(place: SwitchPlace): Promise<Pause | null> {
  const writtenAt = pausedSince(place.dataDir)
  const shared = await sharedPause(place)
  if (writtenAt === null) return shared
  const written = await readFile(join(place.dataDir, pausedName), 'utf8').then(
    (text) => parseAs(decisionSchema, text),
    () => null,
  )
  if (written === null && shared?.file !== undefined) return shared
  return { since: written?.at ?? writtenAt, by: written?.by ?? null, reason: written?.reason ?? null }
}

/** Stops signing, also of calls on their way, and of every server on a shared database. A pause that stands already is left as it is and given back. */
export async function pause(place: SwitchPlace, decision: SwitchDecision): Promise<Pause> {
  // Of servers that share a database a pause stands there: one of a file stops them only while the file stands, and its server looks.
  const standing = place.sharedSwitches === undefined ? await readPause(place) : await sharedPause(place)
  if (standing !== null && standing.file === undefined) return standing
  const text = `${JSON.stringify(decision)}\n`
  await (place.sharedSwitches?.replace('paused', text) ?? replaceFileDurably(join(place.dataDir, pausedName), text))
  return { since: decision.at, by: decision.by, reason: decision.reason }
}

/** Lets signing go on, and leaves for the audit log what ended and who said so. False when nothing was paused. */
export async function resume(place: SwitchPlace, decision: Omit<SwitchDecision, 'reason'>): Promise<boolean> {
  const standing = await readPause(place)
  if (standing === null) return false
  const past = withEnded((await readResume(place))?.past ?? [], standing, decision)
  await writeSwitch(place, 'resumed', `${JSON.stringify({ ...decision, reason: null, past })}\n`)
  await removeFile(join(place.dataDir, pausedName))
  await place.sharedSwitches?.replace('paused', null)
  return true
}

/**
 * Has a file named `paused` of this directory stop the other servers of the database as well, and what it stopped there go on when the file
 * is taken away by hand. `file` names it to a person.
 */
export async function sharePauseFile(place: SwitchPlace, file: string): Promise<void> {
  const shared = place.sharedSwitches
  if (shared === undefined) return
  const standsHere = pausedSince(place.dataDir) !== null
  const standing = await sharedPause(place)
  if (standsHere && standing === null) {
    const { since: at, by, reason } = (await readPause({ dataDir: place.dataDir })) ?? madeByHand(file)
    await shared.replace('paused', `${JSON.stringify({ by: by ?? `the file ${file}`, at, reason, file })}\n`)
  }
  if (!standsHere && standing?.file === file) await shared.replace('paused', null)
}

function madeByHand(file: string): Pause {
  return { since: new Date().toISOString(), by: `the file ${file}`, reason: null }
}

async function sharedPause({ sharedSwitches }: SwitchPlace): Promise<Pause | null> {
  const text = (await sharedSwitches?.read('paused')) ?? null
  if (text === null) return null
  const written = parseAs(decisionSchema, text)
  // Whatever stands there stops signing.
  if (written === null) return { since: new Date(0).toISOString(), by: null, reason: null }
  const { at: since, by, reason, file } = written
  return { since, by, reason, ...(file === undefined ? {} : { file }) }
}

/** Who ended the last pause, and when, and the pauses until then; `null` when no command ended one. */
export async function readResume(place: SwitchPlace): Promise<Resume | null> {
  const text = await readSwitch(place, 'resumed')
  return text === null ? null : parseAs(resumeSchema, text)
}

export type Pause = {
  /** ISO 8601: as written in the file, else when the file was made. */
  readonly since: string
  readonly by: string | null
  readonly reason: string | null
  /** The file of a data directory, perhaps on another machine, that pauses all servers of the database as long as it stands. */
  readonly file?: string
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

const decisionSchema = z.object({
  by: z.string().max(700),
  at: z.iso.datetime(),
  reason: z.string().max(1_000).nullable(),
  file: z.string().max(600).optional(),
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
