import type { ErrorCode } from '@svc/amm'
import type { Refusal } from '../call/refusal.ts'

/** Makes the check of one rule out of the refusals that are its own, by their codes. */
export function checkOf(
  rule: string | null,
  refusals: readonly Refusal[],
  codes: readonly ErrorCode[],
  { says, asked, change }: CheckTexts,
): PolicyCheck {
  const own = refusals.filter(({ code }) => codes.includes(code))
  const because = own.map(({ message, details = [] }) => {
    const facts = details.flatMap((detail) =>
      Object.entries(detail).flatMap(([name, fact]) => (name === 'message' || name === 'field' ? [] : [fact])),
    )
    return facts.length === 0 ? message : `${message} (${facts.map(String).join(', ')})`
  })
  const code = own[0]?.code ?? null
  return { rule, says, asked, verdict: code === null ? 'allow' : 'deny', code, because, change: code ? change : null }
}

export type CheckTexts = Pick<PolicyCheck, 'says' | 'asked' | 'change'>

export type PolicyCheck = {
  /** The member of the policy; `null` for what no policy allows. */
  readonly rule: string | null
  /** What the policy says there. */
  readonly says: string
  readonly asked: string
  /** `noted`: recorded and let through. `ask`: a person decides. `wait`: not before its delay is over. */
  readonly verdict: 'allow' | 'noted' | 'ask' | 'wait' | 'deny' | 'unknown'
  /** The code a call would get; `null` where it passes. */
  readonly code: ErrorCode | null
  /** What exactly is in the way. */
  readonly because: readonly string[]
  /** How the operator could let it pass; `null` where it passes or nothing could. */
  readonly change: string | null
}
