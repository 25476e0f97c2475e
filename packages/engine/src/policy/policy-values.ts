import * as z from 'zod'
import { getAddress, isAddress } from 'viem'
import { grantableScopes } from '../call/call.ts'
import { createPublicKey, type KeyObject } from 'node:crypto'

/** Those that stages of authentication give (`principal-id.ts`): a name nobody comes with would bound nobody. */
export function principalId() {
  const accepted =
    'accepted: local, or api-key: or bearer: and 16 lower-case hex digits, as svc keys list prints them for the keys of a server, siwe: and a checksummed address, oauth: or edge-access: and the rest of an id as the log has it'
  return z
    .string()
    .regex(idForm, accepted)
    .refine((id) => !id.startsWith('siwe:') || isSpelled(id.slice('siwe:'.length)), accepted)
}

const idForm =
  /^(local|(api-key|bearer):[0-9a-f]{16}|siwe:0x[0-9a-fA-F]{40}|oauth:[0-9a-f]{16}:[0-9a-f]{32}|edge-access:[A-Za-z0-9._-]{1,128})$/

/** What those may be granted beside reading who sign in with a wallet, by address or by registered agent, or whom an access edge lets in. */
export function signInGrants() {
  const granted = z
    .array(z.enum(grantableScopes, `accepted: ${grantableScopes.join(', ')}`))
    .max(grantableScopes.length)
  const agentId = z
    .string()
    .regex(/^[1-9]\d{0,15}:(0|[1-9]\d{0,77})$/, 'accepted: <chainId>:<tokenId>, such as "8453:17"')
  const grants = z.strictObject({
    wallets: z
      .record(address().refine(isSpelled, 'accepted: a checksummed address'), granted)
      .default({})
      .describe(
        'Scopes by address, checksummed. For example { "0x940181a94A35A4569E4529A3CDfB74e38FD98631": ["write:liquidity"] }.',
      ),
    agents: z
      .record(agentId, granted)
      .default({})
      .describe(
        'Scopes by the id of a registered agent (chain id, colon, token id, such as 8453:17): of whoever owns it, or is its wallet, when they sign in. An agent can be sold; name an address where only its holder is meant.',
      ),
    services: z
      .record(z.string().regex(/^[A-Za-z0-9._-]{1,128}$/, 'accepted: the id of a service token at the edge'), granted)
      .default({})
      .describe('Scopes by the id of a service token (`common_name`) at the access edge (SVC_EDGE_ISSUER).'),
  })
  return grants
    .prefault({})
    .describe(
      'What callers may do beside reading who sign in with a wallet of their own (SVC_SIWE_CHAIN), or whom an access edge lets in. Each wallet has what is granted here and suggested by the role of its registered agent as well, which is its own word. What is taken back is felt at once, also by who is signed in; what is granted comes with the next sign-in. Against strangers who call themselves managers.',
    )
}

/** By such a name somebody is found, so it has one spelling: the checksum alone, which one in small letters has not. */
function isSpelled(written: string): boolean {
  return isAddress(written) && getAddress(written) === written
}

export function valueRule() {
  return z.strictObject({
    maxLossBps: bps().optional().describe('In place of the common maxLossBps.'),
    maxPriceImpactBps: bps().optional().describe('In place of the common maxPriceImpactBps.'),
    maxPoolDeviationBps: bps().optional().describe('In place of the common maxPoolDeviationBps.'),
  })
}

export function poolRule() {
  const budget = 'US dollars that may be spent in this pool in any 24 hours. It also replaces speculativeUsd there.'
  return valueRule().extend({ budgetUsd: usd().optional().describe(budget) })
}

export function poolId() {
  const accepted = 'accepted: the address of a pair or pool, or a 32-byte PoolId'
  return z.templateLiteral(['0x', z.string().regex(/^([0-9a-fA-F]{40}|[0-9a-fA-F]{64})$/)], accepted)
}

export function priceSources() {
  return z.strictObject({
    feed: z
      .strictObject({
        address: address().describe('Contract of the aggregator.'),
        heartbeatSeconds: seconds().describe('Longest time between two answers, as its operator publishes it.'),
        deviationBps: bps().describe('Hundredths of a percent by which the price moves before it answers anew.'),
        decimals: whole(0, 36).describe('Decimals of its answers.'),
      })
      .optional()
      .describe('A Chainlink aggregator of the price in US dollars.'),
    pools: z
      .array(
        z.strictObject({
          version: z.enum(['v2', 'v3', 'v4']),
          id: poolId(),
          quote: address(),
          fee: whole(0, 1_000_000),
          tickSpacing: whole(1, 32_767).optional(),
          native: z.boolean().optional(),
        }),
      )
      .max(8)
      .default([])
      .describe('Pools against a listed token, at most eight.'),
    expectedUsd: z
      .strictObject({
        low: price().describe('US dollars of one whole token.'),
        high: price().describe('The same, not below low.'),
      })
      .refine(({ low, high }) => Number(low) <= Number(high), 'accepted: low not above high')
      .optional()
      .describe(
        'US dollars of one whole token between which a person expects it. Where pools alone price it, it leaves without a person only at prices between these.',
      ),
  })
}

/** When the circuit breaker opens. */
export function breakerThresholds() {
  return z.strictObject({
    maxConsecutiveFailures: whole(1, 1000).default(5).describe('Transactions in a row mined and reverted.'),
    maxFailuresInWindow: whole(1, 10_000)
      .default(10)
      .describe('Failures of any kind after signing, within the window.'),
    windowMinutes: whole(1, 1440).default(60).describe('Minutes of the window.'),
    maxBalanceDropPct: whole(1, 100)
      .default(20)
      .describe(
        'Percent of what the wallet held, in US dollars of now, by which all of it, or native currency alone, may fall within the window other than by what was spent on record, gas included. Against losses no limit sees.',
      ),
    maxSimulationDriftPct: whole(1, 100)
      .default(10)
      .describe(
        "Percent by which a token's real change may differ from the simulated one. Against a simulation that is lied to.",
      ),
  })
}

export function toolName() {
  return z.string().regex(/^[a-z][a-z0-9_]{0,63}$/, 'accepted: the name of a tool')
}

export function usd() {
  const accepted = 'accepted: decimal US dollars in quotes, such as "500" or "0.25"'
  return z.string(accepted).regex(/^(0|[1-9]\d{0,11})(\.\d{1,6})?$/, accepted)
}

export function price() {
  const accepted = 'accepted: decimal US dollars above zero in quotes, such as "0.25"'
  return z.string(accepted).regex(/^(?!0(\.0+)?$)(0|[1-9]\d{0,11})(\.\d{1,18})?$/, accepted)
}

export function whole(min: number, max: number) {
  const accepted = `accepted: a whole number from ${min} to ${max}`
  return z.int(accepted).min(min, accepted).max(max, accepted)
}

export function bps() {
  return whole(0, 10_000)
}

export function delay() {
  return whole(0, 30 * 86_400)
}

export function seconds() {
  return whole(1, 86_400)
}

export function byChain<Entries extends z.ZodType>(entries: Entries) {
  return z.record(z.string().regex(/^[1-9]\d{0,15}$/, 'accepted: a chain id such as "8453"'), entries)
}

export function addresses() {
  return z.array(address()).max(1000)
}

export function address() {
  const accepted = 'accepted: a checksummed address'
  const shape = z.templateLiteral(['0x', z.string().regex(/^[0-9a-fA-F]{40}$/)], accepted)
  return shape.refine((value) => isAddress(value, { strict: true }), accepted)
}

export function contract() {
  const selector = z.templateLiteral(['0x', z.string().regex(/^[0-9a-f]{8}$/)], 'accepted: 0x and 8 hex digits')
  const listed = z.strictObject({ address: address(), selectors: z.array(selector).min(1).max(100) })
  return z.union([address(), listed], {
    error: 'accepted: a checksummed address, or { address, selectors } with at least one selector such as "0xa9059cbb"',
  })
}

export function twammHook() {
  const accepted = 'accepted: a 32-byte PoolId in lower case'
  const pool = z.templateLiteral(['0x', z.string().regex(/^[0-9a-f]{64}$/)], accepted)
  return z.strictObject({ hook: address(), pools: z.array(pool).max(100) })
}

/** Who decides from afar, each by name with the public halves of their passkeys, as `svc policy add-operator` writes them. */
export function operators() {
  const passkey = z.strictObject({
    id: z
      .string()
      .regex(/^[A-Za-z0-9_-]{16,1364}$/, 'accepted: the id of a passkey, in base64url')
      .describe('The id of the passkey, in base64url.'),
    publicKey: z
      .string()
      .regex(/^[A-Za-z0-9_-]{80,1200}$/, accepted)
      .refine((text) => passkeyOf(text) !== null, accepted)
      .describe(
        'Its public key: SPKI in base64url, of P-256, or of RSA with 2048 bits or more and an odd exponent from 3.',
      ),
  })
  const operator = z.strictObject({
    passkeys: z.array(passkey).min(1).max(8).describe('One for each device; any of them confirms.'),
  })
  return z
    .record(z.string().regex(operatorName, 'accepted: a name of a-z, 0-9, . _ and -, at most 32'), operator)
    .refine(isOneOperators, 'accepted: each passkey under one name, and each public key once')
    .default({})
    .describe(
      'Who may approve, deny, cancel, pause and resume on the operator page from afar (SVC_OPERATOR_PAGE), by name: { "ada": { "passkeys": [{ "id", "publicKey" }] } }. Each decision is confirmed by a passkey that stands here, and by nothing else: no API key, token or signed-in wallet decides. Whoever is taken out is out at once. Against an agent that approves what it asked for.',
    )
}

/** A name as it may stand in the policy. */
export const operatorName = /^[a-z0-9][a-z0-9._-]{0,31}$/

/** A public key that passkeys sign with, out of SPKI in base64url; `null` for what is none. */
export function passkeyOf(publicKey: string): KeyObject | null {
  try {
    const der = Buffer.from(publicKey, 'base64url')
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' })
    const { namedCurve, modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {}
    const isP256 = key.asymmetricKeyType === 'ec' && namedCurve === 'prime256v1'
    // With an exponent of 1 anybody signs, and with an even one nobody.
    const isSound = publicExponent >= 3n && publicExponent % 2n === 1n
    const isRsa = key.asymmetricKeyType === 'rsa' && modulusLength >= 2_048 && isSound
    return isP256 || isRsa ? key : null
  } catch {
    return null
  }
}

const accepted = 'accepted: a public key as svc policy add-operator writes it'

/** What two people hold together would say of neither who decided, and a key under a second id would outlive the first. */
function isOneOperators(named: Readonly<Record<string, { readonly passkeys: readonly Passkey[] }>>): boolean {
  const passkeys = Object.values(named).flatMap((operator) => operator.passkeys)
  const ids = passkeys.map(({ id }) => id)
  // By its numbers: the same key has more than one spelling.
  const keys = passkeys.flatMap(({ publicKey }) => {
    const key = passkeyOf(publicKey)
    return key === null ? [] : [JSON.stringify(key.export({ format: 'jwk' }))]
  })
  return new Set(ids).size === ids.length && new Set(keys).size === keys.length
}

type Passkey = { readonly id: string; readonly publicKey: string }
