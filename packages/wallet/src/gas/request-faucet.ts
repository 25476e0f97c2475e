import { boundedBytes } from '../agent/card/bounded-bytes.ts'
import { withDeadline } from '../with-deadline.ts'
import { isHash, type Address, type Hash } from 'viem'

/**
 * Posts one claim to the faucet of the support API. Never rejects: what goes wrong is reported in the answer, in words of
 * ours. A claim is asked for once; to ask again for the same wallet and chain is to get the first one.
 */
export async function requestFaucet(
  apiUrl: string,
  claim: FaucetClaim,
  surroundings: { readonly fetch?: typeof fetch; readonly signal?: AbortSignal },
): Promise<FaucetAnswer> {
  const { fetch: post = fetch, signal } = surroundings
  const ask = async (signal: AbortSignal): Promise<FaucetAnswer> => {
    const response = await post(`${apiUrl.replace(/\/+$/, '')}/v1/faucet/request`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(claim),
      redirect: 'error',
      signal,
    })
    const text = new TextDecoder().decode(await boundedBytes(response, { mostBytes, signal }))
    return read(response.status, parsed(text))
  }
  try {
    return await withDeadline({ timeoutMs: patienceMs, signal }, ask)
  } catch {
    return failed('The faucet does not answer.')
  }
}

export type FaucetClaim = { readonly address: Address; readonly chainId: number; readonly appId: string }

export type FaucetAnswer =
  /** `txHash` is `null` while the claim waits in the queue. */
  | { readonly status: 'granted' | 'claimed'; readonly txHash: Hash | null }
  | { readonly status: 'failed'; readonly reason: string }

const patienceMs = 15_000
const mostBytes = 64 * 1024

function read(status: number, body: unknown): FaucetAnswer {
  const code = memberOf(body, 'code')
  if (status === 200) return { status: 'granted', txHash: hashIn(body) }
  if (status === 409 && code === 'FAUCET_ALREADY_CLAIMED') {
    return { status: 'claimed', txHash: hashIn(memberOf(body, 'details')) ?? hashIn(body) }
  }
  const isCode = typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,63}$/.test(code)
  return failed(`The faucet answers ${status}${isCode ? ` (${code})` : ''}.`)
}

function hashIn(body: unknown): Hash | null {
  const hash = memberOf(body, 'txHash')
  return typeof hash === 'string' && isHash(hash) ? hash : null
}

function failed(reason: string): FaucetAnswer {
  return { status: 'failed', reason }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function memberOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined
}
