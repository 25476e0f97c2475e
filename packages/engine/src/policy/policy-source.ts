import { ToolError } from '@svc/amm'
import { parsePolicy, type Policy } from './policy.ts'
import { readPolicyFile } from './read-policy-file.ts'

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
