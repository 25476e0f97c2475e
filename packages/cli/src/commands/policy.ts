import type { StopCause } from '@svc/tool-server/until-stopped'
import { UsageError } from '../usage-error.ts'

/**
 * `svc policy`: what the operator's policy says, is wrong about, and becomes elsewhere; `add-token` alone changes it. Resolves
 * to the exit code: 0 in order, 1 something is wrong, 2 the words of the call are off.
 */
export async function policy(argv: readonly string[], stopped: Promise<StopCause>): Promise<number> {
  const [name, ...rest] = argv
  if (name === 'check') return (await import('../policy/check.ts')).check(rest)
  if (name === 'explain') return (await import('../policy/explain.ts')).explain(rest)
  if (name === 'test') return (await import('../policy/run-cases.ts')).runCases(rest)
  if (name === 'schema') return (await import('../policy/schema.ts')).schema(rest)
  if (name === 'compile') return (await import('../policy/compile.ts')).compile(rest)
  if (name === 'add-token') return (await import('../policy/add-token.ts')).addToken(rest, stopped)
  throw new UsageError(
    'svc policy takes check [FILE], explain PLAN, add-token CHAIN TOKEN, test [FILE], schema or compile',
    { seeHelp: true },
  )
}
