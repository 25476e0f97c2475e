import type { AgentCard, AgentTrust } from './agent-card.ts'
import type { Hex } from 'viem'
import type { RegistrySpeech } from '../registry/identity-registry.ts'
import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { WalletError } from '../../wallet-error.ts'

/**
 * The registration file of ERC-8004 that says what the card says, and nothing that the card does not: whoever has the card
 * makes the same file. The card's own `domains`, `trust` and `metadata` stay in it as they are. Its metadata may name an
 * `image`, and by `registration` (`eip155:<chainId>:<registry>/<tokenId>`) where the agent is registered.
 */
export function registrationFile(card: AgentCard): RegistrationFile {
  return {
    type: 'https://eips.ethereum.org/EIPS/eip-8004#registration-v1',
    name: card.name,
    description: card.description,
    image: card.metadata['image'] ?? '',
    services: [
      ...card.services.map(({ type, url }) => ({ ...protocols[type], endpoint: url })),
      ...(card.domains.length === 0 ? [] : [taxonomy(card)]),
    ],
    x402Support: false,
    active: true,
    registrations: registrationsOf(card),
    supportedTrust: supportedTrust(card.trust),
    domains: card.domains,
    trust: card.trust,
    metadata: card.metadata,
  }
}

/** ERC-8004, "Registration file". */
export type RegistrationFile = Pick<AgentCard, 'domains' | 'trust' | 'metadata'> & {
  readonly type: 'https://eips.ethereum.org/EIPS/eip-8004#registration-v1'
  readonly name: string
  readonly description: string
  readonly image: string
  readonly services: readonly RegistrationService[]
  readonly x402Support: boolean
  readonly active: boolean
  /** `agentId` is the token id as a number, `agentRegistry` is `eip155:<chainId>:<address>`. */
  readonly registrations: readonly { readonly agentId: number; readonly agentRegistry: string }[]
  readonly supportedTrust: readonly string[]
}

/** One way to reach the agent, as the registration file names it. */
export type RegistrationService = {
  readonly name: string
  readonly endpoint: string
  readonly version: string
  readonly domains?: readonly string[]
}

const protocols = {
  mcp: { name: 'MCP', version: '2025-06-18' },
  a2a: { name: 'A2A', version: '0.3.0' },
} as const

/** Primary domains first; slugs that the taxonomy writes otherwise are translated (OASF 0.8). */
function taxonomy({ domains }: AgentCard): RegistrationService {
  const sorted = domains.toSorted((a, b) => Number(b.primary) - Number(a.primary))
  return {
    name: 'OASF',
    endpoint: 'https://github.com/agntcy/oasf/',
    version: '0.8',
    domains: sorted.map(({ domain }) => canonicalSlugs.get(domain) ?? domain),
  }
}

const canonicalSlugs: ReadonlyMap<string, string> = new Map([
  ['finance_and_business/asset_management', 'finance_and_business/finance'],
  ['technology/software_development', 'technology/software_engineering/software_development'],
])

/** What `registration` must look like in a card's metadata to come into the file. */
export const registrationForm = /^(eip155:[1-9]\d*:0x[0-9a-fA-F]{40})\/(\d{1,15})$/

function registrationsOf({ metadata }: AgentCard): RegistrationFile['registrations'] {
  const [, agentRegistry, agentId] = registrationForm.exec(metadata['registration'] ?? '') ?? []
  return agentRegistry === undefined ? [] : [{ agentId: Number(agentId), agentRegistry }]
}

function supportedTrust({ reputation, cryptoEconomic, zkml }: AgentTrust): string[] {
  return [
    ...(reputation ? ['reputation'] : []),
    ...(cryptoEconomic ? ['crypto-economic'] : []),
    ...(zkml ? ['zkml'] : []),
  ]
}

/**
 * The one sequence of bytes that stands for a value of JSON (RFC 8785, in UTF-8): what is pinned, hashed and compared.
 * Throws `VALIDATION_CARD_INVALID` for what JSON cannot say.
 */
export function canonicalBytes(value: unknown): Uint8Array {
  const text = canonicalize(value)
  if (text === undefined) {
    const details = { fields: [{ field: 'card', accepted: 'what can be written as JSON' }] }
    throw new WalletError('VALIDATION_CARD_INVALID', 'The value cannot be written as JSON.', { details })
  }
  return new TextEncoder().encode(text)
}

/**
 * The CID of bytes that fit one block: version 1, raw codec (0x55), sha2-256, in base32. Kubo with raw leaves, Pinata v3
 * and UnixFS importers give the same for content up to 256 KiB. Source: multiformats/cid, "CIDv1".
 */
export function contentAddress(bytes: Uint8Array): string {
  const digest = createHash('sha256').update(bytes).digest()
  return `b${base32(Uint8Array.of(0x01, 0x55, 0x12, 0x20, ...digest))}`
}

/** RFC 4648 base32, lower case, without padding. */
function base32(bytes: Uint8Array): string {
  let text = ''
  let bits = 0
  let held = 0
  for (const byte of bytes) {
    held = (held << 8) | byte
    for (bits += 8; bits >= 5; bits -= 5) text += alphabet[(held >> (bits - 5)) & 31]
    held &= 255
  }
  return bits === 0 ? text : text + alphabet[(held << (5 - bits)) & 31]
}

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'

/** Calldata of the registry's own call for a card whose file is at the URI. */
export function encodeRegistration(speech: RegistrySpeech, card: AgentCard, agentURI: string): Hex {
  return speech.encodeRegister({ ...entriesOf(card), metadataURI: agentURI, metadata: card.metadata })
}

/** What the direct call says of a card besides its metadata. */
export function entriesOf(card: AgentCard) {
  return { handle: card.name, interfaceType: card.services[0]?.type ?? 'none' } as const
}
