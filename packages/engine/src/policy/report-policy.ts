import { ToolError } from '@svc/amm'
import type { Log } from '@svc/runtime'
import type { PolicySource } from './policy-source.ts'

/**
 * The same source, which tells the log when the file breaks, once for each way it is broken, and when it is in order
 * again: the caller that is refused cannot fix it, and the operator is not the caller.
 */
export function reportPolicy(source: PolicySource, options: ReportPolicyOptions): PolicySource {
  const { file, log } = options
  let reported: string | null = null

  function report(error: unknown): void {
    if (!(error instanceof ToolError)) return
    const { problems, fix } = policyFaults(error, file)
    const found = problems.join('\n')
    if (found === reported) return
    reported = found
    log.error('policy.invalid', { file, problems, effect: 'nothing is signed until it is fixed', fix })
  }

  return Object.freeze({
    started: source.started,
    startedFromFile: source.startedFromFile,
    latest: () => source.latest(),
    current: async () => {
      try {
        const policy = await source.current()
        if (reported !== null) log.warn('policy.mended', { file })
        reported = null
        return policy
      } catch (error) {
        report(error)
        throw error
      }
    },
  })
}

export type ReportPolicyOptions = {
  /** Path of the policy file. */
  readonly file: string
  readonly log: Pick<Log, 'error' | 'warn'>
}

/** What is wrong with a policy file, for the operator: each wrong member by its path, or the file, and what fixes it. */
export function policyFaults(error: ToolError, file: string): PolicyFaults {
  const { message, details, suggestion } = error.cause instanceof ToolError ? error.cause : error
  const problems = details.map((detail) => `${detail.field || 'policy'}: ${detail.message}`)
  return {
    problems: problems.length === 0 ? [message.replace(/\.$/, '')] : problems,
    fix: `${suggestion} See what is left with: svc policy check ${file}`,
  }
}

type PolicyFaults = { readonly problems: readonly string[]; readonly fix: string }
