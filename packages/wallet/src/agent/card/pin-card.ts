import { WalletError } from '../../wallet-error.ts'
import type { AgentCard } from './agent-card.ts'
import { canonicalBytes, contentAddress } from './canonical-bytes.ts'
import { registrationFile } from './registration-file.ts'
import { withDeadline } from '../../with-deadline.ts'

/**
 * Pins the registration file of a card and gives its CID, which is computed here: a service that names another one is not
 * believed. Throws `PIN_FAILED` or `PIN_CID_MISMATCH`.
 */
export async function pinCard(card: AgentCard, service: PinService, options: PinOptions): Promise<string> {
  const bytes = canonicalBytes(registrationFile(card))
  const expected = contentAddress(bytes)
  const { fetch, signal, timeoutMs = 15_000 } = options
  const cid = await withDeadline({ timeoutMs, signal }, (signal) => service({ card, bytes, fetch, signal }))
  if (cid === expected) return cid
  const message = 'The pin service names another address than the content has.'
  throw new WalletError('PIN_CID_MISMATCH', message, { details: { expected, named: cid.slice(0, 100) } })
}

/** Pins, and says under which CID. */
export type PinService = (request: PinRequest) => Promise<string>

/** One card to pin, as a pin service gets it. */
export type PinRequest = {
  readonly card: AgentCard
  /** What is pinned, byte for byte. */
  readonly bytes: Uint8Array
  readonly fetch: typeof fetch
  readonly signal: AbortSignal
}

/** What pinning a card needs of its surroundings. */
export type PinOptions = {
  readonly fetch: typeof fetch
  readonly signal?: AbortSignal
  /** 15 s where it is missing. */
  readonly timeoutMs?: number
}
