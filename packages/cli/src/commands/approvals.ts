import type { StopCause } from '@svc/tool-server/until-stopped'
import { runWord } from '../run-word.ts'

/**
 * `svc approvals`: the operator's word on operations that await one, beside the running server. Resolves to the exit code:
 * 0 done, 1 it could not be done, 2 the words of the call are off.
 */
export async function approvals(argv: readonly string[], stopped: Promise<StopCause>): Promise<number> {
  const decide = async (word: 'approve' | 'deny', rest: readonly string[]) =>
    (await import('../approvals/decide.ts')).decide(word, rest, stopped)
  const words = {
    list: async (rest: readonly string[]) => (await import('../approvals/list.ts')).list(rest),
    show: async (rest: readonly string[]) => (await import('../approvals/show.ts')).show(rest),
    approve: (rest: readonly string[]) => decide('approve', rest),
    deny: (rest: readonly string[]) => decide('deny', rest),
    cancel: async (rest: readonly string[]) => (await import('../approvals/cancel.ts')).cancel(rest),
    page: async (rest: readonly string[]) => (await import('../approvals/page.ts')).page(rest, stopped),
  }
  return runWord(argv, words, 'svc approvals takes list, show ID, approve ID, deny ID, cancel ID or page')
}
