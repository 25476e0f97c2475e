import type { Pause } from '@svc/engine/switches'
import { operatorName, ownDataDirectory } from '../own-data-directory.ts'
import { parseFlags } from '../parse-flags.ts'
import { printableText } from '../printable-text.ts'
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
    `${isNew ? 'Paused' : standingText(standing)}: nothing more is signed from ${dataDir}, also for calls on their way. What is out already is still\n` +
      'looked after until it is mined. Go on with: svc resume ' +
      `--data-dir ${dataDir}\n`,
  )
  if (!isNew && reason !== null) {
    process.stdout.write('The new reason is not written down: a pause keeps the one it began with.\n')
  }
  return 0
}

/** For example `Paused already, since 2026-01-31T12:00:00.000Z by operator:ada, because "odd transfers"`. */
function standingText({ since, by, reason }: Pause): string {
  const who = by === null ? '' : ` by ${printableText(by)}`
  return `Paused already, since ${since}${who}, ${reason === null ? 'no reason given' : `because "${printableText(reason)}"`}`
}
