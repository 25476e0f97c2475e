import type { StopCause } from '@svc/tool-server/until-stopped'
import { UsageError } from '../usage-error.ts'

/**
 * `svc approvals`: the operator's word on operations that await one, beside the running server. Resolves to the exit code:
 * 0 done, 1 it could not be done, 2 the words of the call are off.
 */
export async function approvals(argv: readonly string[], stopped: Promise<StopCause>): Promise<number> {
  const [name, ...rest] = argv
  if (name === 'list') return (await import('../approvals/list.ts')).list(rest)
  if (name === 'show') return (await import('../approvals/show.ts')).show(rest)
  if (name === 'approve' || name === 'deny') return (await import('../approvals/decide.ts')).decide(name, rest, stopped)
  if (name === 'cancel') return (await import('../approvals/cancel.ts')).cancel(rest)
  if (name === 'page') return (await import('../approvals/page.ts')).page(rest, stopped)
  throw new UsageError('svc approvals takes list, show ID, approve ID, deny ID, cancel ID or page', { seeHelp: true })
}
