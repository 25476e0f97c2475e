import type { IncomingHttpHeaders } from 'node:http'
import { BlockList, isIPv6 } from 'node:net'
import { ToolError } from '@svc/amm'
import { HttpRefusal } from './answers.ts'

/** Who may talk to the server, seen from the outside of a request. */
export type Guards = {
  /** Refuses foreign `Host` names, the way a rebound DNS name shows itself. */
  requireHost(headers: IncomingHttpHeaders): void
  /** Refuses foreign `Origin`s. Gives the origin back when it may read answers across origins. */
  requireOrigin(headers: IncomingHttpHeaders): string | null
  /** The caller's address, behind a trusted proxy the forwarded one. Refuses what did not come through the proxy. */
  clientAddress(headers: IncomingHttpHeaders, socketAddress: string): string
}

export function createGuards(options: {
  /** Host names without ports. */
  readonly allowedHosts: readonly string[]
  /** Origins as browsers send them. */
  readonly allowedOrigins: readonly string[]
  /** Addresses or CIDR ranges; empty when clients connect directly. */
  readonly trustedProxies: readonly string[]
}): Guards {
  const isAllowedHost = hostCheck(options.allowedHosts)
  const origins = new Set(options.allowedOrigins)
  const proxies = options.trustedProxies.length === 0 ? null : proxyList(options.trustedProxies)
  return Object.freeze({
    requireHost({ host }: IncomingHttpHeaders) {
      if (host === undefined || !isAllowedHost(host))
        throw refusal('HOST_NOT_ALLOWED', 'The Host header names another server.')
    },
    requireOrigin({ origin, host }: IncomingHttpHeaders) {
      if (origin === undefined) return null
      if (origins.has(origin)) return origin
      if (origin === `http://${host}` || origin === `https://${host}`) return null
      throw refusal('ORIGIN_NOT_ALLOWED', 'Pages of this origin may not use the server.')
    },
    clientAddress(headers: IncomingHttpHeaders, socketAddress: string) {
      if (proxies === null) return socketAddress
      return forwardedAddress(headers, socketAddress, proxies)
    },
  })
}

/** Loopback names, which no foreign DNS name can be. */
export const loopbackHosts: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/** Remembers the spellings it accepted: clients repeat theirs with every request. */
function hostCheck(allowedHosts: readonly string[]): (host: string) => boolean {
  const names = new Set(allowedHosts.flatMap((name) => hostName(name) ?? []))
  const accepted = new Set<string>()
  return (host) => {
    if (accepted.has(host)) return true
    const name = hostName(host)
    if (name === null || !names.has(name)) return false
    if (accepted.size < 64) accepted.add(host)
    return true
  }
}

/** The name in a `Host` header in small letters, an IPv6 address as URLs spell it; `null` for all but `host` and `host:port`. */
function hostName(host: string): string | null {
  const name = /^([a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i.exec(host)?.[1]?.toLowerCase()
  if (name === undefined || !URL.canParse(`http://${host}`)) return null
  return name.startsWith('[') ? new URL(`http://${name}`).hostname : name
}

function proxyList(entries: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const entry of entries) {
    const [address = '', prefix] = entry.split('/')
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    if (prefix === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(prefix), family)
  }
  return (address) => list.check(plainAddress(address), isIPv6(plainAddress(address)) ? 'ipv6' : 'ipv4')
}

/** The last address of `X-Forwarded-For` that is not a proxy of ours: what stands before it a client could have made up. */
function forwardedAddress(
  headers: IncomingHttpHeaders,
  socketAddress: string,
  isProxy: (address: string) => boolean,
): string {
  if (!isProxy(socketAddress)) throw refusal('PROXY_REQUIRED', 'The request did not come through the edge proxy.')
  if (headers['x-forwarded-proto'] !== 'https')
    throw refusal('PROXY_REQUIRED', 'The request did not reach the edge over https.')
  const forwarded = headers['x-forwarded-for']
  const hops = (typeof forwarded === 'string' ? forwarded : '').split(',').map((hop) => hop.trim())
  return hops.findLast((hop) => hop !== '' && !isProxy(hop)) ?? socketAddress
}

function plainAddress(address: string): string {
  return address.startsWith('::ffff:') ? address.slice(7) : address
}

function refusal(code: 'HOST_NOT_ALLOWED' | 'ORIGIN_NOT_ALLOWED' | 'PROXY_REQUIRED', message: string): HttpRefusal {
  return new HttpRefusal(new ToolError(code, message))
}

/** Says whether one more request of a caller fits; if not, after how many seconds it will. */
export type RateLimit = { take(caller: string): Verdict }

export type Verdict = { readonly ok: true } | { readonly ok: false; readonly retryAfterSeconds: number }

/**
 * A token bucket per caller: `perMinute` at once, refilled evenly. Remembers at most `maxCallers`; the one not seen for
 * longest is forgotten first, and a forgotten caller starts with a full bucket.
 */
export function createRateLimit(options: {
  readonly perMinute: number
  readonly maxCallers?: number
  /** Milliseconds on any clock that does not run backwards. */
  readonly now: () => number
}): RateLimit {
  const { perMinute, now, maxCallers = 10_000 } = options
  const refillPerMs = perMinute / 60_000
  const buckets = new Map<string, { tokens: number; at: number }>()
  return Object.freeze({
    take(caller: string): Verdict {
      const at = now()
      const bucket = buckets.get(caller) ?? { tokens: perMinute, at }
      bucket.tokens = Math.min(perMinute, bucket.tokens + Math.max(0, at - bucket.at) * refillPerMs)
      bucket.at = at
      buckets.delete(caller)
      buckets.set(caller, bucket)
      if (buckets.size > maxCallers) buckets.delete(buckets.keys().next().value ?? caller)
      if (bucket.tokens < 1) {
        return { ok: false, retryAfterSeconds: Math.max(1, Math.ceil((1 - bucket.tokens) / refillPerMs / 1000)) }
      }
      bucket.tokens -= 1
      return { ok: true }
    },
  })
}
