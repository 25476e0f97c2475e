import { operatorName, ownDataDirectory } from '../own-data-directory.ts'
import { parseFlags } from '../parse-flags.ts'
import { UsageError } from '../usage-error.ts'

/** `svc pause`: stops signing at once, beside the running server or before it starts. Resolves to the exit code. */
export async function pause(argv: readonly string[]): Promise<number> {
  const flags = parseFlags(argv, { values: ['reason', 'data-dir'] })
  const reason = flags.reason ?? null
  if (reason !== null && reason.length > 500)
    throw new UsageError('svc pause takes a --reason of at most 500 characters')
  const dataDir = await ownDataDirectory(flags['data-dir'], process.env)
  const { pause: stop } = await import('@svc/tool-server/operator')
  const at = new Date().toISOString()
  const { since } = await stop(dataDir, { by: operatorName(), at, reason })
  const said = since === at ? 'Paused' : `Paused already, since ${since}`
  process.stdout.write(
    `${said}: nothing more is signed from ${dataDir}, also for calls on their way. What is out already is still\n` +
      'looked after until it is mined. Go on with: svc resume ' +
      `--data-dir ${dataDir}\n`,
  )
  return 0
}
