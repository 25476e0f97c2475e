import type { Hex } from 'viem'
import type { AgentCard } from './agent-card.ts'
import type { RegistrySpeech } from '../registry/registry-speech.ts'
import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { WalletError } from '../../wallet-error.ts'

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
