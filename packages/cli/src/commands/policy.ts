import type { StopCause } from '@svc/tool-server/until-stopped'
import { runWord } from '../run-word.ts'

/**
 * `svc policy`: what the operator's policy says, is wrong about, and becomes elsewhere; `add-token` alone changes it. Resolves
 * to the exit code: 0 in order, 1 something is wrong, 2 the words of the call are off.
 */
export async function policy(argv: readonly string[], stopped: Promise<StopCause>): Promise<number> {
  const words = {
    check: async (rest: readonly string[]) => (await import('../policy/check.ts')).check(rest),
    explain: async (rest: readonly string[]) => (await import('../policy/explain.ts')).explain(rest),
    test: async (rest: readonly string[]) => (await import('../policy/run-cases.ts')).runCases(rest),
    schema: async (rest: readonly string[]) => (await import('../policy/schema.ts')).schema(rest),
    compile: async (rest: readonly string[]) => (await import('../policy/compile.ts')).compile(rest),
    'add-token': async (rest: readonly string[]) => (await import('../policy/add-token.ts')).addToken(rest, stopped),
  }
  return runWord(
    argv,
    words,
    'svc policy takes check [FILE], explain PLAN, add-token CHAIN TOKEN, test [FILE], schema or compile',
  )
}
