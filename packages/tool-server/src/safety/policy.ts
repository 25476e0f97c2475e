import { readFile, stat } from 'node:fs/promises'
import { parseAmount } from '@svc/lp-math'
import { isAddress, type Address } from 'viem'
import * as z from 'zod'
import { ToolError } from '../tool-error.ts'

/**
 * The operator's policy, in the form it has in `policy.json`. Every member may be left out and then has the default
 * written here; an unknown member is refused. The agent has no way to change it.
 */
export const policySchema = z.strictObject({
  version: z.literal(1).default(1),
  /** Decimal US dollars. `daily` is any 24 hours, not a calendar day. */
  limitsUsd: z
    .strictObject({
      perTransaction: usd().default('500'),
      perSession: usd().default('1000'),
      daily: usd().default('2000'),
    })
    .prefault({}),
  /** Above this a person must approve; `null`: never. */
  approvalThresholdUsd: usd().nullable().default('250'),
  slippageBps: z.strictObject({ default: bps().default(50), cap: bps().default(500) }).prefault({}),
  deadlineSeconds: z.strictObject({ default: seconds().default(600), cap: seconds().default(600) }).prefault({}),
  /**
   * Which tokens may be part of a transaction: those of the chain's own list and those named here. `strict` refuses
   * others; `lenient` records the verdict and goes on. Left out: strict in production.
   */
  allowlist: z
    .strictObject({ mode: z.enum(['strict', 'lenient']).optional(), tokens: addressesByChain().default({}) })
    .prefault({}),
  /** Contracts that may be called beside the AMM's own. Their calldata is not decoded: name only what you trust. */
  contracts: addressesByChain().default({}),
  /** Addresses that may receive funds beside the wallet. */
  recipients: addressesByChain().default({}),
  /** Addresses that may be approved beside the AMM's own. */
  spenders: addressesByChain().default({}),
  /** Whether the delay of a risk tier is kept. Always so in production. */
  proxyDelay: z.boolean().default(false),
  /** Seconds between plan and signing for each risk tier, where delays are kept. */
  delaySeconds: z
    .strictObject({
      routine: delay().default(0),
      standard: delay().default(10 * 60),
      elevated: delay().default(60 * 60),
      critical: delay().default(24 * 60 * 60),
    })
    .prefault({}),
  approvals: z
    .strictObject({
      /**
       * Whose word counts above the threshold: `operator`, who decides with `svc approvals`; `client`, the person at the
       * program that calls, who is asked through it. Whoever holds a Write key could answer for that person, so
       * production leaves `client` out unless it is written here.
       */
      channels: z.array(z.enum(['operator', 'client'])).optional(),
      /** A request that nobody has decided, or an approval that nobody has used, ends after this long. */
      expirySeconds: seconds().default(60 * 60),
    })
    .prefault({}),
  /** How long the plan of a dry run can be carried out. */
  planExpirySeconds: seconds().default(10 * 60),
  /** The breaker opens on any of these and stays open until the operator re-arms it. */
  breaker: z
    .strictObject({
      /** Transactions in a row that were mined and reverted. */
      maxConsecutiveFailures: z.int().min(1).max(1000).default(5),
      /** Failures of any kind after signing within `windowMinutes`. */
      maxFailuresInWindow: z.int().min(1).max(10_000).default(10),
      windowMinutes: z.int().min(1).max(1440).default(60),
      /** Percent of what the wallet held, in US dollars, by which it may fall within the window other than by what was spent on record. */
      maxBalanceDropPct: z.int().min(1).max(100).default(20),
      /** Percent by which a token's real change may differ from the simulated one. */
      maxSimulationDriftPct: z.int().min(1).max(100).default(10),
    })
    .prefault({}),
  /** What single callers may do at most, by principal id: it can only take away from what their key gives. */
  principals: z
    .record(
      z.string().min(1).max(128),
      z.strictObject({
        /** Write tools this caller may use; all when left out. */
        tools: z.array(z.string().regex(/^[a-z][a-z0-9_]{0,63}$/)).optional(),
        limitsUsd: z
          .strictObject({ perTransaction: usd().optional(), perSession: usd().optional(), daily: usd().optional() })
          .optional(),
        approvalThresholdUsd: usd().optional(),
      }),
    )
    .default({}),
  /** Requests a minute: per IP for those that fail or lack authentication, per token for the others. */
  rateLimits: z
    .strictObject({
      unauthenticatedPerIp: z.int().min(1).max(1_000_000).default(120),
      perToken: z.int().min(1).max(1_000_000).default(600),
    })
    .prefault({}),
})

export type Policy = Readonly<z.output<typeof policySchema>> & {
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
  const written = path === undefined ? {} : await readPolicyFile(path)
  return parsePolicy(written, options)
}

/** Checks the content of a policy file. Throws `VALIDATION_FAILED` naming each wrong member. */
export function parsePolicy(written: unknown, options: { readonly production: boolean }): Policy {
  const parsed = policySchema.safeParse(written)
  if (!parsed.success) {
    throw new ToolError('VALIDATION_FAILED', 'The policy file is not valid.', {
      details: parsed.error.issues.map((issue) => ({ field: issue.path.join('.'), message: issue.message })),
      suggestion: 'Correct the members named in details; nothing is signed under a policy that cannot be read.',
    })
  }
  const policy = parsed.data
  const order = inconsistency(policy)
  if (order !== null) {
    throw new ToolError('VALIDATION_FAILED', 'The policy file contradicts itself.', { details: [order] })
  }
  const mode = policy.allowlist.mode ?? (options.production ? 'strict' : 'lenient')
  const channels: ApprovalChannel[] =
    policy.approvals.channels ?? (options.production ? ['operator'] : ['operator', 'client'])
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

async function readPolicyFile(path: string): Promise<unknown> {
  let text: string
  try {
    const facts = await stat(path)
    if ((facts.mode & 0o022) !== 0) throw unreadable('The policy file may be written by others than its owner.')
    text = await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {}
    throw error
  }
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw unreadable('The policy file is not JSON.', cause)
  }
}

function unreadable(message: string, cause?: unknown): ToolError {
  return new ToolError('VALIDATION_FAILED', message, {
    suggestion: 'Mend policy.json (mode 0600) in the data directory, or remove it for the defaults.',
    cause,
  })
}

function inconsistency(policy: z.output<typeof policySchema>): { field: string; message: string } | null {
  const { perTransaction, perSession, daily } = policy.limitsUsd
  if (usdMicros(perTransaction) > usdMicros(perSession)) {
    return { field: 'limitsUsd.perTransaction', message: 'must not be above limitsUsd.perSession' }
  }
  if (usdMicros(perSession) > usdMicros(daily)) {
    return { field: 'limitsUsd.perSession', message: 'must not be above limitsUsd.daily' }
  }
  for (const name of ['slippageBps', 'deadlineSeconds'] as const) {
    if (policy[name].default > policy[name].cap) {
      return { field: `${name}.default`, message: `must not be above ${name}.cap` }
    }
  }
  return null
}

function usd() {
  return z.string().regex(/^(0|[1-9]\d{0,11})(\.\d{1,6})?$/, 'accepted: decimal US dollars such as "500" or "0.25"')
}

function bps() {
  return z.int().min(0).max(10_000)
}

function delay() {
  return z
    .int()
    .min(0)
    .max(30 * 86_400)
}

function seconds() {
  return z.int().min(1).max(86_400)
}

function addressesByChain() {
  const address = z.custom<Address>(
    (value) => typeof value === 'string' && isAddress(value, { strict: true }),
    'accepted: a checksummed address',
  )
  return z.record(z.string().regex(/^[1-9]\d{0,15}$/, 'accepted: a chain id'), z.array(address).max(1000))
}
