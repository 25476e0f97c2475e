import type { Chain } from '@svc/wallet/core'
import { type Address, isAddress } from 'viem'
import * as z from 'zod'
import { type ErrorDetail, readIntent, ToolError } from '@svc/amm'
import { explainPolicy } from './explain-policy.ts'
import type { PolicyCheck } from './value-checks.ts'
import { usdMicros, type Policy } from '../policy/policy.ts'

/**
 * Runs named cases against a policy, without chain, prices or ledger: what each intent would get as the first spend of
 * its caller. `allow` means that it is signed at once; what a person must approve, or what must wait, is a `deny`. Throws
 * `VALIDATION_FAILED` naming each wrong member of the cases.
 */
export function runPolicyCases(written: unknown, options: PolicyCasesOptions): readonly PolicyCaseResult[] {
  const parsed = casesSchema.safeParse(written)
  if (!parsed.success) {
    throw invalid(parsed.error.issues.map(({ path, message }) => ({ field: path.join('.'), message })))
  }
  const { cases } = parsed.data
  const wallet = parsed.data.wallet ?? options.wallet ?? null
  if (wallet === null) throw invalid([{ field: 'wallet', message: walletNeeded }])
  return cases.map((one) => {
    const chain = options.chains.find(({ id }) => id === one.intent.chainId)
    if (chain === undefined) return { name: one.name, passed: false, problem: noChain(one.intent.chainId), checks: [] }
    const { policy, nowSeconds } = options
    const question = {
      tool: one.tool ?? null,
      principalId: one.principal ?? null,
      intent: one.intent,
      spendUsdMicros: one.spendUsd === undefined ? null : usdMicros(one.spendUsd),
      gasUsdMicros: null,
      used: null,
      weighed: null,
    }
    const checks = explainPolicy(question, { chain, policy, wallet, nowSeconds: one.nowSeconds ?? nowSeconds })
    const problem = problemOf(one, checks)
    return { name: one.name, passed: problem === null, problem, checks }
  })
}

export type PolicyCasesOptions = {
  /** For a file that names none. */
  readonly wallet?: Address | null
  readonly policy: Policy
  readonly chains: readonly Chain[]
  /** Unix seconds, for cases that name no time of their own. */
  readonly nowSeconds: number
}

export type PolicyCaseResult = {
  readonly name: string
  readonly passed: boolean
  readonly problem: string | null
  readonly checks: readonly PolicyCheck[]
}

function invalid(details: readonly ErrorDetail[]): ToolError {
  return new ToolError('VALIDATION_FAILED', 'The file of cases is not valid.', {
    details,
    suggestion: 'Correct what is named; docs/policy.md shows the form.',
  })
}

const walletNeeded =
  "accepted: the address of the agent's wallet; only in the directory of a local world it may be left out, whose wallet it then is"

const address = z.custom<Address>(
  (value) => typeof value === 'string' && isAddress(value, { strict: false }),
  'accepted: an address',
)

/** An intent as the store keeps it, its bigints as decimal text. */
function intentOf() {
  return z.unknown().transform((written, context) => {
    try {
      return readIntent(JSON.stringify(written))
    } catch (error) {
      const issues = error instanceof z.ZodError ? error.issues : [{ path: [], message: 'accepted: an intent' }]
      for (const { path, message } of issues) context.addIssue({ code: 'custom', path: [...path], message })
      return z.NEVER
    }
  })
}

const casesSchema = z.strictObject({
  /** The agent's wallet, which may always receive. */
  wallet: address.optional(),
  cases: z
    .array(
      z.strictObject({
        name: z.string().min(1).max(200),
        intent: intentOf(),
        tool: z.string().max(64).optional(),
        principal: z.string().max(128).optional(),
        /** Decimal US dollars that the limits are asked for, gas only where it is in them; without it they are not asked. */
        spendUsd: z
          .string()
          .regex(/^(0|[1-9]\d{0,11})(\.\d{1,6})?$/, 'accepted: decimal US dollars')
          .optional(),
        /** Unix seconds at which the call is made. */
        nowSeconds: z.int().min(0).optional(),
        expect: z.enum(['allow', 'deny']),
        code: z.string().max(64).optional(),
      }),
    )
    .min(1, 'accepted: at least one case')
    .max(10_000),
})

function noChain(id: number): string {
  return `no chain of this server has the id ${id}`
}

type Case = z.output<typeof casesSchema>['cases'][number]

function problemOf({ expect, code }: Case, checks: readonly PolicyCheck[]): string | null {
  const codes = [...new Set(checks.flatMap((check) => (check.code === null ? [] : [check.code])))]
  const got = codes.length === 0 ? 'allow' : 'deny'
  const gotText = codes.length === 0 ? 'allowed' : `denied with ${codes.join(', ')}`
  if (got !== expect) return `expected ${expect}, but it is ${gotText}`
  if (code === undefined || codes.some((one) => one === code)) return null
  return `expected ${code}, but it is ${gotText}`
}
