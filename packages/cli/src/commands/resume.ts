import { operatorName, ownDataDirectory } from '../own-data-directory.ts'
import { parseFlags } from '../parse-flags.ts'

/** `svc resume`: ends a pause, and with `--rearm` closes the circuit breaker. Exit code 1 when signing stays stopped. */
export async function resume(argv: readonly string[]): Promise<number> {
  const flags = parseFlags(argv, { values: ['data-dir'], switches: ['rearm'] })
  const dataDir = await ownDataDirectory(flags['data-dir'], process.env)
  const { createCircuitBreaker, resume: goOn } = await import('@svc/engine/switches')
  const decision = { by: operatorName(), at: new Date().toISOString() }
  const breaker = createCircuitBreaker({ dataDir, limits: () => neverCounted, now: Date.now })
  const { open, since, cause, stops } = await breaker.status()
  const rearmed = flags.rearm && (await breaker.rearm(decision))
  const resumed = await goOn(dataDir, decision)
  process.stdout.write(resumed ? 'Resumed.\n' : 'Nothing was paused.\n')
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

/** This process counts no failures. */
const neverCounted = { maxConsecutiveFailures: Infinity, maxFailuresInWindow: Infinity, windowMinutes: 0 }
