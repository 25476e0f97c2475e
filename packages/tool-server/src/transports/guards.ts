import type { IncomingHttpHeaders } from 'node:http'
import { ToolError } from '@svc/amm'
import { clientAddress, ipv6Network } from '@svc/runtime'
import type { Config } from '../config/config-shape.ts'
import { HttpRefusal } from './answers.ts'

/** Who may talk to the server, seen from the outside of a request. */
export type Guards = {
  /** Refuses foreign `Host` names, the way a rebound DNS name shows itself. */
  requireHost(headers: IncomingHttpHeaders): void
  /** Refuses foreign `Origin`s. Gives the origin back when it may read answers across origins. */
  requireOrigin(headers: IncomingHttpHeaders): string | null
  /**
   * What of the caller's address its requests count against, behind a trusted proxy the forwarded one: the address, of IPv6 the /64. Refuses
   * what did not come through the proxy.
   */
  clientAddress(headers: IncomingHttpHeaders, socketAddress: string): string
}

export function createGuards(options: {
  /** Host names without ports. */
  readonly allowedHosts: readonly string[]
  /** Origins as browsers send them. */
  readonly allowedOrigins: readonly string[]
  /** Addresses or CIDR ranges; empty when clients connect directly. */
  readonly trustedProxies: readonly string[]
  /** In small letters: the field in which the edge itself names the client; `null` where `X-Forwarded-For` does. */
  readonly clientAddressHeader: string | null
}): Guards {
  const isAllowedHost = hostCheck(options.allowedHosts)
  const origins = new Set(options.allowedOrigins)
  const addressOf = clientAddress(options.trustedProxies, options.clientAddressHeader)
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
      const source = addressOf({ headers, socketAddress })
      if ('fault' in source) throw refusal('PROXY_REQUIRED', source.fault)
      return ipv6Network(source.address) ?? source.address
    },
  })
}

/** Loopback names, which no foreign DNS name can be. */
export const loopbackHosts: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/** What the server answers to: loopback, where it listens, where clients reach it, and what the operator names. */
export function hostNames({ listen, allowedHosts, publicUrl }: HostSettings): readonly string[] {
  const own = listen.host.includes(':') ? `[${listen.host}]` : listen.host
  const named = publicUrl === null ? [] : [new URL(publicUrl).hostname]
  return [...new Set([...loopbackHosts, own, ...named, ...allowedHosts])]
}

type HostSettings = Pick<Config, 'listen' | 'allowedHosts' | 'publicUrl'>

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

function refusal(code: 'HOST_NOT_ALLOWED' | 'ORIGIN_NOT_ALLOWED' | 'PROXY_REQUIRED', message: string): HttpRefusal {
  return new HttpRefusal(new ToolError(code, message))
}
