import type { SwitchDecision, Pause, SigningState } from '@svc/engine/switches'
import type { OpenSwitches } from '../approvals/open-operations.ts'
import { operatorName, ownDataDirectory } from '../own-data-directory.ts'
import { parseFlags } from '../parse-words-and-flags.ts'
import { printableText } from '../terminal-text.ts'
import { UsageError } from '../usage-error.ts'

/** `svc pause`: stops signing at once, beside the running server or before it starts. Resolves to the exit code. */
export async function pause(argv: readonly string[]): Promise<number> {
  const flags = parseFlags(argv, { values: ['reason', 'data-dir'] })
  const reason = flags.reason ?? null
  if (reason !== null && reason.length > 500)
    throw new UsageError('svc pause takes a --reason of at most 500 characters')
  const dataDir = await ownDataDirectory(flags['data-dir'], process.env)
  const at = new Date().toISOString()
  const { standing, isOfAll } = await pauseAll(dataDir, { by: operatorName(), at, reason })
  const isNew = standing.since === at
  process.stdout.write(
    `${isNew ? 'Paused' : `Paused already, ${pauseText(standing)}`}: nothing more is signed from ${dataDir}${isOfAll ? ', nor by any other server on its database' : ''}, also for calls on their way. What is out already is still\n` +
      'looked after until it is mined. A signed order may be filled until its deadline all the same; svc status says whether there is any.\n' +
      'Go on with: svc resume ' +
      `--data-dir ${dataDir}\n`,
  )
  if (!isNew && reason !== null) {
    process.stdout.write('The new reason is not written down: a pause keeps the one it began with.\n')
  }
  return 0
}

/** For all servers of a database at once; where that is away, nobody signs, and the directory keeps the pause until its server can tell the others. */
async function pauseAll(dataDir: string, decision: SwitchDecision) {
  const { pause: stop } = await import('@svc/engine/switches')
  const { openSwitches } = await import('../approvals/open-operations.ts')
  const open = await openSwitches(dataDir, process.env).catch(() => null)
  if (open === null) return { standing: await stop({ dataDir }, decision), isOfAll: false }
  try {
    return { standing: await stop(open.place, decision), isOfAll: open.place.sharedSwitches !== undefined }
  } catch {
    return { standing: await stop({ dataDir }, decision), isOfAll: false }
  } finally {
    await open.close()
  }
}

/** `svc resume`: ends a pause, and with `--rearm` closes the circuit breaker. Exit code 1 when signing stays stopped. */
export async function resume(argv: readonly string[]): Promise<number> {
  const flags = parseFlags(argv, { values: ['data-dir'], switches: ['rearm'] })
  const dataDir = await ownDataDirectory(flags['data-dir'], process.env)
  const { openSwitches } = await import('../approvals/open-operations.ts')
  const open = await openSwitches(dataDir, process.env)
  try {
    return await resumeAt(open, { dataDir, isRearm: flags.rearm })
  } finally {
    await open.close()
  }
}

async function resumeAt(
  { place, restored }: OpenSwitches,
  { dataDir, isRearm }: { readonly dataDir: string; readonly isRearm: boolean },
): Promise<number> {
  const {
    createCircuitBreaker,
    neverCounted,
    pause: stop,
    readServerId,
    resume: goOn,
  } = await import('@svc/engine/switches')
  const decision = { by: operatorName(), at: new Date().toISOString() }
  const breaker = createCircuitBreaker({ ...place, limits: () => neverCounted, now: Date.now })
  const { open, since, cause, stops } = await breaker.status()
  const rearmed = isRearm && (await breaker.rearm(decision))
  // A server that has not started since has written no pause yet: what ends is on record all the same.
  if (restored !== null) await stop(place, restored.copy)
  const { ended, standing } = await goOn(place, decision)
  if (standing !== null) {
    process.stdout.write(
      `Another pause was set meanwhile, ${pauseText(standing)}: it stands, and nothing is signed. Look at it with svc status, then resume again.\n`,
    )
    return 1
  }
  await restored?.release()
  process.stdout.write(ended === null ? 'Nothing was paused.\n' : 'Resumed.\n')
  if (restored !== null) process.stdout.write(`Released what was ${restored.copy.reason}.\n`)
  if (ended?.file !== undefined && ended.server !== (await readServerId(dataDir))) {
    process.stdout.write(`The file ${printableText(ended.file)} pauses all servers again at once: remove it there.\n`)
    return 1
  }
  if (!open) {
    if (isRearm) process.stdout.write('The circuit breaker was not open.\n')
    return 0
  }
  const but = stops === 'all-but-ways-home' ? ', but for what only brings funds home,' : ''
  const what = `the circuit breaker, open since ${since} (${cause})`
  process.stdout.write(
    rearmed
      ? `Re-armed ${what}.\n`
      : `Signing stays stopped${but} by ${what}. Re-arm it with: svc resume --rearm --data-dir ${dataDir}\n`,
  )
  return rearmed ? 0 : 1
}

/** A sentence for each of them that stops signing, with how to go on; none while nothing does. */
export function stopSentences({ pause, breaker }: SigningState, dataDir: string): readonly string[] {
  const but = breaker.stops === 'all-but-ways-home' ? ', but for what only brings funds home' : ''
  return [
    ...(pause === null ? [] : [`Signing is paused ${pauseText(pause)}. Go on with: svc resume --data-dir ${dataDir}`]),
    ...(breaker.open
      ? [
          `Signing is stopped${but}: the circuit breaker is open since ${breaker.since} (${printableText(breaker.cause ?? 'no cause is written down')}). Find out why, then: svc resume --rearm --data-dir ${dataDir}`,
        ]
      : []),
  ]
}

/** For example `since 2026-01-31T12:00:00.000Z by operator:ada, because "odd transfers"`. */
function pauseText({ since, by, reason }: Pause): string {
  const who = by === null ? '' : ` by ${printableText(by)}`
  return `since ${since}${who}, ${reason === null ? 'no reason given' : `because "${printableText(reason)}"`}`
}
