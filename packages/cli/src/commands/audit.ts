import { runWord } from '../run-word.ts'

/** `svc audit`: checks, shows and replays the audit log, beside the running server. Resolves to the exit code. */
export async function audit(argv: readonly string[]): Promise<number> {
  const words = {
    verify: async (rest: readonly string[]) => (await import('../audit/verify.ts')).verify(rest),
    show: async (rest: readonly string[]) => (await import('../audit/show.ts')).show(rest),
    replay: async (rest: readonly string[]) => (await import('../audit/replay.ts')).replay(rest),
  }
  return runWord(argv, words, 'svc audit takes verify, show or replay')
}
