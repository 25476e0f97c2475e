import { WalletError } from './wallet-error.ts'

/**
 * `RPC_UNAVAILABLE` for what an endpoint failed at: the sentence, which ends with a full stop, gets the host that was asked
 * and what it failed with, both found in the client's error, and neither credentials nor paths nor words of the endpoint.
 */
export function endpointFailure(sentence: string, cause: unknown): WalletError {
  const chain = causesOf(cause)
  const [host, reason] = [first(chain, hostOf), first(chain.toReversed(), reasonOf)]
  const known = [host, reason].filter((part) => part !== null).join(': ')
  const message = known === '' ? sentence : `${sentence.replace(/\.$/, '')} (${known}).`
  return new WalletError('RPC_UNAVAILABLE', message, { cause, details: { host, reason } })
}

const mostCauses = 10

function causesOf(error: unknown): readonly Error[] {
  const chain: Error[] = []
  for (let each = error; each instanceof Error && chain.length < mostCauses; each = each.cause) chain.push(each)
  return chain
}

function first(chain: readonly Error[], read: (error: Error) => string | null): string | null {
  for (const error of chain) {
    const found = read(error)
    if (found !== null) return found
  }
  return null
}

/** Errors of viem's HTTP transport name their URL. */
function hostOf(error: Error): string | null {
  const url: unknown = 'url' in error ? error.url : null
  return typeof url === 'string' && URL.canParse(url) ? new URL(url).host : null
}

/** A code of the system, a status of HTTP or a code of JSON-RPC. */
function reasonOf(error: Error): string | null {
  if (error.name === 'TimeoutError') return 'no answer in time'
  if (error instanceof DOMException) return null
  const { code, status }: ErrorOfRequest = error
  if (typeof status === 'number') return `HTTP status ${status}`
  if (typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,40}$/.test(code)) return code
  return typeof code === 'number' && Number.isSafeInteger(code) && code !== -1 ? `JSON-RPC error ${code}` : null
}

type ErrorOfRequest = Error & { readonly code?: unknown; readonly status?: unknown }
