import type { Hex } from 'viem'
import type { SignedEvent } from './evaluate-policy.ts'
import type { AggregationDocument, PolicyDocument } from './policy.ts'
import { ProviderError } from './faults.ts'

/** Everything the stand-in remembers. Ids count up, so that a test sees the same ones each time. */
export function createProviderState(): ProviderState {
  const counts = new Map<string, number>()
  return {
    wallets: new Map(),
    policies: new Map(),
    quorums: new Map(),
    aggregations: new Map(),
    conditionSets: new Map(),
    replies: new Map(),
    nextId: (prefix) => {
      const count = (counts.get(prefix) ?? 0) + 1
      counts.set(prefix, count)
      return `${prefix}${`${count}`.padStart(24 - prefix.length, '0')}`
    },
  }
}

/** Finds one by id. Throws `ProviderError` 404. */
export function find<T>(things: ReadonlyMap<string, T>, id: string, what: string): T {
  const found = things.get(id)
  if (found === undefined) throw new ProviderError(404, 'not_found', `${what} not found.`)
  return found
}

export type ProviderState = {
  readonly wallets: Map<string, ProviderWallet>
  readonly policies: Map<string, StoredPolicy>
  readonly quorums: Map<string, KeyQuorum>
  readonly aggregations: Map<string, AggregationDocument>
  readonly conditionSets: Map<string, readonly string[]>
  /** By idempotency key: what was asked and what it was answered. */
  readonly replies: Map<string, StoredReply>
  readonly nextId: (prefix: string) => string
}

/** Without an owner the app secret alone changes it. */
export type StoredPolicy = PolicyDocument & { readonly owner_id: string | null; readonly created_at: number }

export type KeyQuorum = {
  readonly id: string
  readonly public_keys: readonly string[]
  readonly authorization_threshold: number
}

export type ProviderWallet = {
  readonly id: string
  readonly address: Hex
  /** The app's own name for it. */
  readonly externalId: string | null
  readonly privateKey: Hex
  /** Without an owner the app secret alone signs. */
  readonly ownerId: string | null
  readonly policyIds: readonly string[]
  readonly signers: readonly AdditionalSigner[]
  readonly signed: SignedEvent[]
  readonly createdAtMs: number
}

export type AdditionalSigner = { readonly signer_id: string; readonly override_policy_ids: readonly string[] }

export type StoredReply = { readonly asked: string; readonly atMs: number; readonly answer: Promise<unknown> }
