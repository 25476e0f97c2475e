import { accessSync, lstatSync, renameSync } from 'node:fs'
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
  return findPauseFile(place.dataDir) !== null || (await sharedPause(place)) !== null
}

/** The pause in force, or `null`. What the file does not say, or says in another form, is `null` in it. */
export async function readPause(place: SwitchPlace): Promise<Pause | null> {
  return (await look(place)).standing
}

/** Stops signing, also of calls on their way, and of every server on a shared database. A pause that stands already is left as it is and given back. */
export async function pause(place: SwitchPlace, decision: SwitchDecision): Promise<Pause> {
  const { dataDir, sharedSwitches: shared } = place
  const text = `${JSON.stringify(decision)}\n`
  const begun = { since: decision.at, by: decision.by, reason: decision.reason }
  if (shared === undefined) {
    const { file, standing } = await look(place)
    // One that is being ended is none that this one could stand on.
    if (standing !== null && file?.name === pausedName) return standing
    await replaceFileDurably(join(dataDir, pausedName), text)
    return begun
  }
  // Of servers that share a database a pause stands there: one of a file stops them only while the file stands, and its server looks.
  for (;;) {
    const expected = await shared.read('paused')
    const standing = pauseIn(expected)
    if (standing !== null && standing.file === undefined) return standing
    if (await shared.compareAndSet([{ name: 'paused', expected, content: text }])) return begun
  }
}

/**
 * Lets signing go on, and leaves for the audit log what ended and who said so. Ends the one pause that stands when it looks, or `shown`, where
 * whoever resumes was shown one: another one, also one that is set meanwhile, stays and is given back.
 */
export async function resume(place: SwitchPlace, decision: SwitchEnd, shown?: Pick<Pause, 'since'>): Promise<Resumed> {
  const { dataDir, sharedSwitches: shared } = place
  const seen = await look(place)
  const { file, standing } = seen
  if (standing === null) return { ended: null, standing: null }
  if (shown !== undefined && shown.since !== standing.since) return { ended: null, standing }
  if (file !== null && !claimPauseFile(dataDir, file)) return { ended: null, standing: await readPause(place) }
  const endedText = (resumed: string | null) => {
    const past = withEnded((resumed === null ? null : parseAs(resumeSchema, resumed))?.past ?? [], standing, decision)
    return `${JSON.stringify({ ...decision, reason: null, past })}\n`
  }
  if (shared === undefined) {
    await writeSwitch(place, 'resumed', endedText(await readSwitch(place, 'resumed')))
    await removeFile(join(dataDir, endingName))
    return { ended: standing, standing: null }
  }
  if (file !== null) await removeFile(join(dataDir, endingName))
  for (let paused = seen.sharedText; ;) {
    const resumed = await shared.read('resumed')
    const isEnded = await shared.compareAndSet([
      { name: 'paused', expected: paused, content: null },
      { name: 'resumed', expected: resumed, content: endedText(resumed) },
    ])
    if (isEnded) return { ended: standing, standing: null }
    const now = await shared.read('paused')
    // Of a file's own pause the server of its directory may have told the others, or have found that the file is gone.
    const isOfFile = file !== null && (now === null || pauseIn(now)?.since === standing.since)
    if (now !== paused && !isOfFile) return { ended: null, standing: pauseIn(now) }
    paused = now
  }
}

/**
 * Has a file named `paused` of this directory stop the other servers of the database as well, and what it stopped there go on when the file
 * is taken away by hand. `file` names it to a person, `server` the server of the directory.
 */
export async function sharePauseFile(place: SwitchPlace, { file, server }: PauseFileName): Promise<void> {
  const { dataDir, sharedSwitches: shared } = place
  if (shared === undefined) return
  const standsHere = findPauseFile(dataDir) !== null
  const expected = await shared.read('paused')
  const standing = pauseIn(expected)
  if (standsHere && standing === null) {
    const { since: at, by, reason } = (await readPause({ dataDir })) ?? madeByHand(file)
    const content = `${JSON.stringify({ by: by ?? `the file ${file}`, at, reason, file, server })}\n`
    await shared.compareAndSet([{ name: 'paused', expected, content }])
  }
  // An operator may have set one meanwhile that outlasts the file.
  if (!standsHere && standing?.server === server)
    await shared.compareAndSet([{ name: 'paused', expected, content: null }])
}

type PauseFileName = { readonly file: string; readonly server: string }

function madeByHand(file: string): Pause {
  return { since: new Date().toISOString(), by: `the file ${file}`, reason: null }
}

/** The pause in force, and where it stands. */
async function look(place: SwitchPlace): Promise<Seen> {
  const file = findPauseFile(place.dataDir)
  const sharedText = (await place.sharedSwitches?.read('paused')) ?? null
  const ofAll = pauseIn(sharedText)
  if (file === null) return { file, sharedText, standing: ofAll }
  const written = await readFile(join(place.dataDir, file.name), 'utf8').then(
    (text) => parseAs(decisionSchema, text),
    () => null,
  )
  if (written === null && ofAll?.file !== undefined) return { file, sharedText, standing: ofAll }
  // To the nearest millisecond, as the system's tools show it.
  const madeAt = new Date(Number(file.mtimeNs) / 1e6 + 0.5).toISOString()
  const standing = { since: written?.at ?? madeAt, by: written?.by ?? null, reason: written?.reason ?? null }
  return { file, sharedText, standing }
}

type Seen = { readonly file: PauseFile | null; readonly sharedText: string | null; readonly standing: Pause | null }

async function sharedPause({ sharedSwitches }: SwitchPlace): Promise<Pause | null> {
  return pauseIn((await sharedSwitches?.read('paused')) ?? null)
}

function pauseIn(text: string | null): Pause | null {
  if (text === null) return null
  const written = parseAs(decisionSchema, text)
  // Whatever stands there stops signing.
  if (written === null) return { since: new Date(0).toISOString(), by: null, reason: null }
  const { at: since, by, reason, file, server } = written
  return { since, by, reason, ...(file === undefined ? {} : { file }), ...(server === undefined ? {} : { server }) }
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
  /** The id of the server of that directory. */
  readonly server?: string
}

/** What `resume` ended, `null` where it ended nothing; and what stands then, where that is another pause. */
export type Resumed = { readonly ended: Pause | null; readonly standing: Pause | null }

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
const endingName = 'paused.ending'

const decisionSchema = z.object({
  by: z.string().max(700),
  at: z.iso.datetime(),
  reason: z.string().max(1_000).nullable(),
  file: z.string().max(600).optional(),
  server: z.string().max(64).optional(),
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
 * The file that pauses, or `null` when there is none. Looked up without leaving the thread: it is asked again and again,
 * last of all right before a signature, where nothing should come between the answer and what is done on it.
 */
function findPauseFile(dataDir: string): PauseFile | null {
  // It bears the other name while it is ended, and the first again where that was not the pause that was meant.
  for (const name of [pausedName, endingName, pausedName]) {
    const found = lstatSync(join(dataDir, name), { throwIfNoEntry: false, bigint: true })
    if (found !== undefined) return { name, ino: found.ino, mtimeNs: found.mtimeNs }
  }
  // Without the directory itself nobody could have paused: that is a fault, not permission to sign.
  accessSync(dataDir)
  return null
}

type PauseFile = { readonly name: string; readonly ino: bigint; readonly mtimeNs: bigint }

/** Has this one file end, and no other that took its place: it goes on to stop signing, under another name. False where it is another one, which stays. */
function claimPauseFile(dataDir: string, seen: PauseFile): boolean {
  const [paused, ending] = [join(dataDir, pausedName), join(dataDir, endingName)]
  try {
    if (seen.name === pausedName) renameSync(paused, ending)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false
    throw error
  }
  const found = lstatSync(ending, { throwIfNoEntry: false, bigint: true })
  if (found === undefined) return false
  if (found.ino === seen.ino && found.mtimeNs === seen.mtimeNs) return true
  if (lstatSync(paused, { throwIfNoEntry: false }) === undefined) renameSync(ending, paused)
  return false
}

const mostKept = 100
