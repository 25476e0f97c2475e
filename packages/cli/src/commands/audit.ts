import { UsageError } from '../usage-error.ts'

/** `svc audit`: checks, shows and replays the audit log, beside the running server. Resolves to the exit code. */
export async function audit(argv: readonly string[]): Promise<number> {
  const [name, ...rest] = argv
  if (name === 'verify') return (await import('../audit/verify.ts')).verify(rest)
  if (name === 'show') return (await import('../audit/show.ts')).show(rest)
  if (name === 'replay') return (await import('../audit/replay.ts')).replay(rest)
  throw new UsageError('svc audit takes verify, show or replay', { seeHelp: true })
}
