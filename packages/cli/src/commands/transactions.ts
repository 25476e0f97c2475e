import type { StopCause } from '@svc/tool-server/until-stopped'
import { runWord } from '../run-word.ts'

/**
 * `svc transactions`: what the wallet has signed and how it stands, beside the running server, and the operator's word on
 * what is out. Resolves to the exit code: 0 done, 1 it could not be done, 2 the words of the call are off.
 */
export async function transactions(argv: readonly string[], stopped: Promise<StopCause>): Promise<number> {
  const words = {
    list: async (rest: readonly string[]) => (await import('../transactions/list.ts')).list(rest),
    show: async (rest: readonly string[]) => (await import('../transactions/show.ts')).show(rest),
    cancel: async (rest: readonly string[]) => (await import('../transactions/cancel.ts')).cancel(rest, stopped),
    resolve: async (rest: readonly string[]) => (await import('../transactions/resolve.ts')).resolve(rest, stopped),
  }
  return runWord(argv, words, 'svc transactions takes list, show HASH, cancel HASH or resolve HASH')
}
