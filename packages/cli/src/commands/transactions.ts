import type { StopCause } from '@svc/tool-server/until-stopped'
import { UsageError } from '../usage-error.ts'

/**
 * `svc transactions`: what the wallet has signed and how it stands, beside the running server, and the operator's word on
 * what is out. Resolves to the exit code: 0 done, 1 it could not be done, 2 the words of the call are off.
 */
export async function transactions(argv: readonly string[], stopped: Promise<StopCause>): Promise<number> {
  const [name, ...rest] = argv
  if (name === 'list') return (await import('../transactions/list.ts')).list(rest)
  if (name === 'show') return (await import('../transactions/show.ts')).show(rest)
  if (name === 'cancel') return (await import('../transactions/cancel.ts')).cancel(rest, stopped)
  if (name === 'resolve') return (await import('../transactions/resolve.ts')).resolve(rest, stopped)
  throw new UsageError('svc transactions takes list, show HASH, cancel HASH or resolve HASH', { seeHelp: true })
}
