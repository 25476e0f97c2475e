import { guardedRequest, type Place, ReachError } from '../reach/guarded-request.ts'
import { createTokenBuckets } from '@svc/runtime'

/**
 * Whether an address that a stranger wrote on a card answers: `true` for anything but "there is nothing here" (404, 410) and failures (5xx);
 * `null` where it is not asked, for it is no https address of the world at the usual port, or was asked often enough. One GET without a word
 * of ours, of whose answer the status alone is read; an answer is kept for a minute.
 */
export function createEndpointProbe(options: ProbeOptions): EndpointProbe {
  const { now, allowsPrivate = false, resolve } = options
  const known = new Map<string, { readonly isLive: Promise<boolean | null>; readonly at: number }>()
  const ofAll = createTokenBuckets({ perMinute: 60, now })
  const ofHost = createTokenBuckets({ perMinute: 6, now, maxKeys: mostKnown })

  async function ask(url: string, signal: AbortSignal): Promise<boolean | null> {
    const { hostname } = new URL(url)
    if (!ofAll.take('').allowed || !ofHost.take(hostname).allowed) return null
    const place: Place = { url, allowsPrivate, timeoutMs: 3_000, ...(resolve !== undefined && { resolve }) }
    const headers = { accept: 'application/json, text/event-stream', 'user-agent': 'svc-liveness' }
    try {
      const { status } = await guardedRequest({ what: 'The endpoint', ...place }, { method: 'GET', headers }, signal)
      return status < 500 && status !== 404 && status !== 410
    } catch (error) {
      if (!(error instanceof ReachError)) throw error
      return error.code === 'ADDRESS_REFUSED' ? null : false
    }
  }

  return async (url, signal) => {
    if (!isAskable(url, allowsPrivate)) return null
    const found = known.get(url)
    if (found !== undefined && now() - found.at < keptMs) return found.isLive
    const isLive = ask(url, signal)
    known.delete(url)
    known.set(url, { isLive, at: now() })
    if (known.size > mostKnown) known.delete(known.keys().next().value ?? url)
    // Whoever left says nothing of the endpoint.
    if (
      await isLive.then(
        () => signal.aborted,
        () => true,
      )
    )
      known.delete(url)
    return isLive
  }
}

export type EndpointProbe = (url: string, signal: AbortSignal) => Promise<boolean | null>

export type ProbeOptions = {
  /** Milliseconds that only grow. */
  readonly now: () => number
  /** Whether addresses of this machine and its network are asked too, at any port and without TLS. */
  readonly allowsPrivate?: boolean
  readonly resolve?: NonNullable<Place['resolve']>
}

function isAskable(url: string, allowsPrivate: boolean): boolean {
  if (!URL.canParse(url) || url.length > 2_048) return false
  const { protocol, port, username, password } = new URL(url)
  if (username !== '' || password !== '') return false
  // Other ports would make a scanner of us.
  return (protocol === 'https:' && port === '') || (allowsPrivate && /^https?:$/.test(protocol))
}

const keptMs = 60_000
const mostKnown = 1_000
