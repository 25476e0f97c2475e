import { operatorName, ownDataDirectory } from '../own-data-directory.ts'
import { parseFlags } from '../parse-words-and-flags.ts'
import { pauseText } from '../signing-state.ts'
import { UsageError } from '../usage-error.ts'

/** `svc pause`: stops signing at once, beside the running server or before it starts. Resolves to the exit code. */
export async function pause(argv: readonly string[]): Promise<number> {
  const flags = parseFlags(argv, { values: ['reason', 'data-dir'] })
  const reason = flags.reason ?? null
  if (reason !== null && reason.length > 500)
    throw new UsageError('svc pause takes a --reason of at most 500 characters')
  const dataDir = await ownDataDirectory(flags['data-dir'], process.env)
  const { pause: stop } = await import('@svc/engine/switches')
  const at = new Date().toISOString()
  const standing = await stop(dataDir, { by: operatorName(), at, reason })
  const isNew = standing.since === at
  process.stdout.write(
    `${isNew ? 'Paused' : `Paused already, ${pauseText(standing)}`}: nothing more is signed from ${dataDir}, also for calls on their way. What is out already is still\n` +
      'looked after until it is mined. A signed order may be filled until its deadline all the same; svc status says whether there is any.\n' +
      'Go on with: svc resume ' +
      `--data-dir ${dataDir}\n`,
  )
  if (!isNew && reason !== null) {
    process.stdout.write('The new reason is not written down: a pause keeps the one it began with.\n')
  }
  return 0
}

/** `svc resume`: ends a pause, and with `--rearm` closes the circuit breaker. Exit code 1 when signing stays stopped. */
export async function resume(argv: readonly string[]): Promise<number> {
  const flags = parseFlags(argv, { values: ['data-dir'], switches: ['rearm'] })
  const dataDir = await ownDataDirectory(flags['data-dir'], process.env)
  const { createCircuitBreaker, neverCounted, pause: stop, resume: goOn } = await import('@svc/engine/switches')
  const { openRestored } = await import('../approvals/open-operations.ts')
  const decision = { by: operatorName(), at: new Date().toISOString() }
  const breaker = createCircuitBreaker({ dataDir, limits: () => neverCounted, now: Date.now })
  const { open, since, cause, stops } = await breaker.status()
  const rearmed = flags.rearm && (await breaker.rearm(decision))
  const restored = await openRestored(dataDir, process.env)
  // A server that has not started since has written no pause yet: what ends is on record all the same.
  if (restored !== null) await stop(dataDir, restored.copy)
  const resumed = await goOn(dataDir, decision)
  await restored?.release()
  process.stdout.write(resumed ? 'Resumed.\n' : 'Nothing was paused.\n')
  if (restored !== null) process.stdout.write(`Released what was ${restored.copy.reason}.\n`)
  if (!open) {
    if (flags.rearm) process.stdout.write('The circuit breaker was not open.\n')
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
