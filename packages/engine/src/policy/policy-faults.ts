import { ToolError } from '@svc/amm'

/** What is wrong with a policy file, for the operator: each wrong member by its path, or the file, and what fixes it. */
export function policyFaults(error: ToolError, file: string): PolicyFaults {
  const { message, details, suggestion } = error.cause instanceof ToolError ? error.cause : error
  const problems = details.map((detail) => `${detail.field || 'policy'}: ${detail.message}`)
  return {
    problems: problems.length === 0 ? [message.replace(/\.$/, '')] : problems,
    fix: `${suggestion} See what is left with: svc policy check ${file}`,
  }
}

export type PolicyFaults = { readonly problems: readonly string[]; readonly fix: string }
