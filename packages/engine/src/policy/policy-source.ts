import { ToolError } from '@svc/amm'
import { parsePolicy, type Policy } from './policy.ts'
import { readPolicyFile } from './read-policy-file.ts'
import type { Log } from '@svc/runtime'

/**
 * Opens the policy file, which may be absent: then the defaults hold. `current` reads the file again, and parses it when
 * its bytes are others than before. Both throw `POLICY_INVALID` while the file is broken, belongs to another user, may be
 * written by others, or is gone although there was one: the policy before is not kept in silence.
 */
export async function openPolicySource(path: string, options: { readonly production: boolean }): Promise<PolicySource> {
  const first = await read(null)
  let known = first

  async function read(before: Known | null): Promise<Known> {
    const file = await readPolicyFile(path).catch(refuse)
    const sha256 = file?.sha256 ?? null
    if (before !== null && before.sha256 === sha256) return before
    if (before !== null && sha256 === null) throw gone()
    return { policy: parse(file?.written ?? {}, options), sha256 }
  }

  return Object.freeze({
    started: first.policy,
    startedFromFile: first.sha256 !== null,
    latest: () => known.policy,
    current: async () => {
      known = await read(known)
      return known.policy
    },
  })
}

export type PolicySource = {
  readonly started: Policy
  /** False where there was no file then, so that the defaults hold. */
  readonly startedFromFile: boolean
  /** The same object as long as the bytes of the file are the same. */
  current(): Promise<Policy>
  /** As `current` last gave it; reads nothing and never throws. */
  latest(): Policy
}

/** `sha256`: of the file's bytes; `null` without a file. */
type Known = { readonly policy: Policy; readonly sha256: string | null }

function parse(written: unknown, options: { readonly production: boolean }): Policy {
  try {
    return parsePolicy(written, options)
  } catch (error) {
    return refuse(error)
  }
}

function refuse(cause: unknown): never {
  if (!(cause instanceof ToolError)) throw cause
  throw new ToolError('POLICY_INVALID', cause.message, { details: cause.details, cause })
}

function gone(): ToolError {
  return new ToolError('POLICY_INVALID', 'The policy file was removed while the server ran.', {
    suggestion: 'Put policy.json back, or restart the server to let the defaults hold.',
  })
}

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
