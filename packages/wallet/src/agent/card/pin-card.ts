import type { Secret } from '../../secret.ts'
import { WalletError } from '../../wallet-error.ts'
import { withDeadline } from '../../with-deadline.ts'
import type { AgentCard } from './agent-card.ts'
import { boundedBytes } from '../../bounded-bytes.ts'
import { canonicalBytes, contentAddress } from './canonical-bytes.ts'
import { registrationFile } from './registration-file.ts'

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
  readonly signal?: AbortSignal | undefined
  /** 15 s where it is missing. */
  readonly timeoutMs?: number | undefined
}

/** Your own account at Pinata (its files API, version 3). */
export function pinata(uploadUrl: string, jwt: Secret): PinService {
  return ({ card, bytes, fetch, signal }) => {
    const form = new FormData()
    form.append('network', 'public')
    form.append('name', `${card.name}.json`)
    form.append('file', new Blob([new Uint8Array(bytes)], { type: 'application/json' }), 'registration.json')
    return postForCid(fetch, `${uploadUrl.replace(/\/+$/, '')}/v3/files`, {
      headers: { authorization: `Bearer ${jwt.reveal()}` },
      body: form,
      signal,
      cidIn: ({ data }) => (typeof data === 'object' && data !== null && 'cid' in data ? data.cid : undefined),
    })
  }
}

/** Posts once and reads the CID out of the answer. What the service says in an error stays in `cause`. */
export async function postForCid(send: typeof fetch, url: string, request: CidRequest): Promise<string> {
  const { headers, body, signal, cidIn } = request
  const answer = await send(url, { method: 'POST', headers, body, signal, redirect: 'error' }).catch(
    (cause: unknown) => {
      throw new WalletError('PIN_FAILED', 'The pin service does not answer.', { cause, details: { status: null } })
    },
  )
  const bytes = await boundedBytes(answer, { mostBytes: mostAnswerBytes, signal }).catch((cause: unknown) => {
    const { status } = answer
    throw new WalletError('PIN_FAILED', 'The pin service broke off its answer.', { cause, details: { status } })
  })
  const text = new TextDecoder().decode(bytes)
  if (!answer.ok) {
    const cause = new Error(text.slice(0, 1_000))
    throw new WalletError('PIN_FAILED', `The pin service answered ${answer.status}.`, {
      cause,
      details: { status: answer.status, retryAfter: answer.headers.get('retry-after') },
    })
  }
  const cid = cidIn(parse(text))
  if (typeof cid === 'string' && cid !== '') return cid
  const { status } = answer
  throw new WalletError('PIN_FAILED', 'The pin service answered without a CID.', { details: { status } })
}

/** What is posted, and where the CID stands in a JSON answer. */
export type CidRequest = {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | FormData
  readonly signal: AbortSignal
  readonly cidIn: (answer: Readonly<Record<string, unknown>>) => unknown
}

const mostAnswerBytes = 64 * 1024

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}
