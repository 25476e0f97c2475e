import { createHash } from 'node:crypto'
import { parseAmount } from '@svc/lp-math'
import type * as z from 'zod'
import { type ErrorDetail, ToolError } from '@svc/amm'
import { policyProblems, readPolicyFile } from './read-policy-file.ts'
import { policySchema } from './policy-schema.ts'

/** The operator's policy with every default filled in. The agent has no way to change it. */
export type Policy = Readonly<Omit<z.output<typeof policySchema>, '$schema'>> & {
  readonly limitsUsd: {
    /** US dollars of the one caller in any 24 hours, where the policy of a caller has such a limit. */
    readonly principalDaily?: string
  }
  readonly allowlist: { readonly mode: 'strict' | 'lenient' }
  readonly approvals: { readonly channels: readonly ApprovalChannel[] }
}

export type ApprovalChannel = 'operator' | 'client'

/**
 * Reads the operator's policy file; without a path, or without a file at it, the defaults hold. In production the
 * allowlist is strict unless the file says otherwise, and the delays of the risk tiers are always kept. Throws
 * `VALIDATION_FAILED` naming each wrong member, and refuses a file that others than its owner may write.
 */
export async function loadPolicy(path: string | undefined, options: { readonly production: boolean }): Promise<Policy> {
  const file = path === undefined ? null : await readPolicyFile(path)
  return parsePolicy(file === null ? {} : file.written, options)
}

/** Checks the content of a policy file. Throws `VALIDATION_FAILED` naming each wrong member. */
export function parsePolicy(written: unknown, options: { readonly production: boolean }): Policy {
  refuseOtherVersions(written)
  const parsed = policySchema.safeParse(written)
  if (!parsed.success) throw invalid('The policy file is not valid.', policyProblems(parsed.error))
  const { $schema: _, ...policy } = parsed.data
  const contradictions = [...inconsistencies(policy, written), ...looserGrants(policy)]
  if (contradictions.length > 0) throw invalid('The policy file contradicts itself.', contradictions)
  const mode = policy.allowlist.mode ?? (options.production ? 'strict' : 'lenient')
  // Who names operators has them decide, and not whoever holds a key of the server.
  const decideAlone = options.production || Object.keys(policy.operators).length > 0
  const channels: ApprovalChannel[] = policy.approvals.channels ?? (decideAlone ? ['operator'] : ['operator', 'client'])
  return Object.freeze({
    ...policy,
    allowlist: { ...policy.allowlist, mode },
    approvals: { ...policy.approvals, channels },
    proxyDelay: policy.proxyDelay || options.production,
  })
}

/** Micro dollars (1e-6 US dollars) of a decimal text of the policy. */
export function usdMicros(decimal: string): bigint {
  return parseAmount(decimal, 6)
}

/** SHA-256 of a policy as it is in force for all callers, defaults included. */
export function policyHash(policy: Policy): string {
  return createHash('sha256').update(JSON.stringify(policy)).digest('hex')
}

type Written = Omit<z.output<typeof policySchema>, '$schema'>
type Problem = ErrorDetail & { readonly field: string }

/** A file of another version is not read at all: its members may mean something else. A later format is migrated here. */
function refuseOtherVersions(written: unknown): void {
  if (typeof written !== 'object' || written === null || !('version' in written) || written.version === 1) return
  const message = 'accepted: 1, the only version of the format that this server reads'
  throw invalid('The policy file is of a version that this server does not know.', [{ field: 'version', message }])
}

/** Every member that is above one it may not be above, with the values of both, also where one of them is a default. */
function inconsistencies(policy: Written, written: unknown): readonly Problem[] {
  const { perTransaction, perSession, daily } = policy.limitsUsd
  const limits = [
    { name: 'limitsUsd.perTransaction', value: perTransaction },
    { name: 'limitsUsd.perSession', value: perSession },
    { name: 'limitsUsd.daily', value: daily },
  ] as const
  const [, session, day] = limits
  const bounded = [
    { own: limits[0], bound: usdMicros(daily) < usdMicros(perSession) ? day : session },
    { own: session, bound: day },
    ...(['slippageBps', 'deadlineSeconds'] as const).map((name) => ({
      own: { name: `${name}.default`, value: `${policy[name].default}` },
      bound: { name: `${name}.cap`, value: `${policy[name].cap}` },
    })),
  ]
  const above = bounded.filter(({ own, bound }) => usdMicros(own.value) > usdMicros(bound.value))
  return above.map(({ own, bound }) => {
    const isDefault = { own: !isWritten(written, own.name), bound: !isWritten(written, bound.name) }
    const is = `is ${own.value}${isDefault.own ? ' (default)' : ''}`
    const than = `above ${bound.name}, ${bound.value}${isDefault.bound ? ' (default)' : ''}`
    const raise = isDefault.bound ? `, or raise ${bound.name}` : ''
    return { field: own.name, message: `${is}, ${than}: write at most ${bound.value}${raise}` }
  })
}

function isWritten(written: unknown, name: string): boolean {
  const [group = '', member = ''] = name.split('.')
  const inside: unknown = typeof written === 'object' && written !== null ? Reflect.get(written, group) : undefined
  return typeof inside === 'object' && inside !== null && Object.hasOwn(inside, member)
}

/** A grant only takes away: one that would give more is a mistake of the operator's, and is named. */
function looserGrants(policy: Written): readonly Problem[] {
  return Object.entries(policy.principals).flatMap(([id, grant]) => {
    const given: readonly (readonly [string, string | undefined, string | null])[] = [
      ...limitNames.map((name) => [`limitsUsd.${name}`, grant.limitsUsd?.[name], policy.limitsUsd[name]] as const),
      ['approvalThresholdUsd', grant.approvalThresholdUsd, policy.approvalThresholdUsd],
    ]
    const looser = given.filter(
      ([, own, common]) => own !== undefined && common !== null && usdMicros(own) > usdMicros(common),
    )
    return looser.map(([name, , common]) => ({
      field: `principals.${id}.${name}`,
      message: `must not be above ${name} (${common}): a grant can only tighten`,
    }))
  })
}

const limitNames = ['perTransaction', 'perSession', 'daily'] as const

function invalid(message: string, details: readonly ErrorDetail[]): ToolError {
  return new ToolError('VALIDATION_FAILED', message, {
    details,
    suggestion: 'Correct what is named; nothing is signed under a policy that cannot be read.',
  })
}

/**
 * The policy of the local chain that `svc up` writes: high limits, nobody to ask, and the chain's own TWAMM hook, vaults and batch delegate.
 * Its money is worth nothing.
 */
export function devnetPolicy(
  named: Pick<z.input<typeof policySchema>, 'twammHooks' | 'vaults' | 'batchDelegate'> = {},
): z.input<typeof policySchema> {
  return {
    version: 1,
    limitsUsd: { perTransaction: '50000', perSession: '100000', daily: '250000' },
    approvalThresholdUsd: null,
    allowlist: { mode: 'lenient' },
    ...named,
    rateLimits: { unauthenticatedPerIp: 12_000, perIp: 120_000, perToken: 60_000 },
  }
}
