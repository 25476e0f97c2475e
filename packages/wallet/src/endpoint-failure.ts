import { BaseError } from 'viem'
import { isRecord } from './shape.ts'
import { refusalIn, type Json, WalletError } from './wallet-error.ts'
import { walletErrorTable } from './wallet-error-table.ts'

/**
 * `RPC_UNAVAILABLE` for what an endpoint failed at: the sentence, which ends with a full stop, gets the host that was asked
 * and what it failed with, found in the client's error and the client, and neither credentials nor paths; words of the
 * endpoint stand in `details` alone, as `refusal`. `ABORTED` stays what it is.
 */
export function endpointFailure(sentence: string, cause: unknown, client?: Asked): WalletError {
  const aborted = abortIn(cause)
  if (aborted !== null) return aborted
  const chain = causesOf(cause)
  const asked = first(chain, hostOf)
  const host = asked ?? endpointOf(client).host
  const otherwise = asked === null ? (chain.some(isMisread) ? nonsense : null) : 'no connection'
  const reason = first(chain.toReversed(), reasonOf) ?? otherwise
  const known = [host, reason].filter((part) => part !== null).join(': ')
  const message = known === '' ? sentence : `${sentence.replace(/\.$/, '')} (${known}).`
  return new WalletError('RPC_UNAVAILABLE', message, { cause, ...withRefusal({ host, reason }, cause) })
}

/** Details of `RPC_UNAVAILABLE`, with the words in which the endpoint refused and the advice to read them, if it answered any. */
export function withRefusal<Details extends Readonly<Record<string, Json>>>(
  details: Details,
  cause: unknown,
): { readonly details: Details; readonly suggestion?: string } {
  const refusal = refusalIn(cause)
  if (refusal === null) return { details }
  const suggestion = `Read refusal in details, the endpoint's own words. ${walletErrorTable.RPC_UNAVAILABLE.suggestion}`
  return { details: { ...details, refusal }, suggestion }
}

/** Throws `RPC_CHAIN_MISMATCH` for an endpoint that serves another chain than it was named for. */
export function requireChain(expected: number, actual: number, client: Asked): void {
  if (actual === expected) return
  throw new WalletError('RPC_CHAIN_MISMATCH', `The endpoint serves chain ${actual}, not ${expected}.`, {
    suggestion: `Give rpcUrls[${expected}] the URL of an endpoint of chain ${expected}, or name chainId ${actual}.`,
    details: { expected, actual, ...endpointOf(client) },
  })
}

/** The host that a client asks first, for `details`; `null` where it does not say. */
export function endpointOf(client: Asked | undefined): { readonly host: string | null } {
  const { url, transports }: TransportFacts = { ...client?.transport }
  const [foremost]: unknown[] = Array.isArray(transports) ? transports : []
  const within: TransportFacts = isRecord(foremost) && isRecord(foremost['value']) ? foremost['value'] : {}
  return { host: hostIn(url) ?? hostIn(within.url) }
}

type Asked = { readonly transport: object }
type TransportFacts = { readonly url?: unknown; readonly transports?: unknown }

/** The `ABORTED` that is, or lies behind, what a client failed with. */
export function abortIn(error: unknown): WalletError | null {
  for (const cause of causesOf(error)) if (cause instanceof WalletError && cause.code === 'ABORTED') return cause
  return null
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
  return hostIn('url' in error ? error.url : null)
}

function hostIn(url: unknown): string | null {
  return typeof url === 'string' && URL.canParse(url) ? new URL(url).host : null
}

/** A code of the system, a status of HTTP or a code of JSON-RPC. */
function reasonOf(error: Error): string | null {
  if (error.name === 'TimeoutError') return 'no answer in time'
  if (error instanceof DOMException) return null
  if (error instanceof SyntaxError) return nonsense
  if (error.message === 'bad port') return 'a port that fetch does not ask'
  const { code, status }: ErrorOfRequest = error
  if (typeof status === 'number') return `HTTP status ${status}`
  if (typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,40}$/.test(code)) return code
  return typeof code === 'number' && Number.isSafeInteger(code) && code !== -1 ? `JSON-RPC error ${code}` : null
}

/** An answer came, and it could not be read as what was asked for. */
function isMisread(error: Error): boolean {
  return error instanceof TypeError || error instanceof RangeError || error instanceof BaseError
}

const nonsense = 'an answer that is no JSON-RPC'

type ErrorOfRequest = Error & { readonly code?: unknown; readonly status?: unknown }
