import { UsageError } from '../usage-error.ts'

/**
 * `svc policy`: what the operator's policy says, is wrong about, and becomes elsewhere. Changes nothing. Resolves to the
 * exit code: 0 in order, 1 something is wrong, 2 the words of the call are off.
 */
export async function policy(argv: readonly string[]): Promise<number> {
  const [name, ...rest] = argv
  if (name === 'check') return (await import('../policy/check.ts')).check(rest)
  if (name === 'explain') return (await import('../policy/explain.ts')).explain(rest)
  if (name === 'test') return (await import('../policy/run-cases.ts')).runCases(rest)
  if (name === 'schema') return (await import('../policy/schema.ts')).schema(rest)
  if (name === 'compile') return (await import('../policy/compile.ts')).compile(rest)
  throw new UsageError('svc policy takes check [FILE], explain PLAN, test [FILE], schema or compile. See: svc help')
}
