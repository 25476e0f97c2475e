import type { IncomingHttpHeaders } from 'node:http'
import { BlockList, isIP, isIPv6 } from 'node:net'

/**
 * Tells where a request comes from. Behind trusted proxies that is the last address of `X-Forwarded-For` which is not a
 * proxy of ours (what stands before it, a client could have made up), and what came past them, or to them without https, is said to.
 *
 * @param ownHeader in small letters: the field in which the edge itself names the client, whatever the client sent there. It counts in place
 * of `X-Forwarded-For`; where it is absent, repeated or no address, the request counts against the proxy that brought it.
 */
export function clientAddress(
  trustedProxies: readonly string[],
  ownHeader: string | null = null,
): (source: RequestSource) => ClientAddress {
  if (trustedProxies.length === 0) return ({ socketAddress }) => ({ address: plainAddress(socketAddress) })
  const isProxy = inRanges(trustedProxies)
  return ({ headers, socketAddress }) => {
    const nearest = plainAddress(socketAddress)
    if (!isProxy(nearest)) return { fault: 'The request did not come through the edge proxy.' }
    if (headers['x-forwarded-proto'] !== 'https') return { fault: 'The request did not reach the edge over https.' }
    const said = headers[ownHeader ?? 'x-forwarded-for']
    const text = typeof said === 'string' ? said : ''
    const hops = (ownHeader === null ? text.split(',') : [text]).map((hop) => plainAddress(hop.trim()))
    const client = hops.findLast((hop) => hop !== '' && (ownHeader !== null || !isProxy(hop)))
    return { address: client !== undefined && isIP(client) !== 0 ? client : nearest }
  }
}

export type RequestSource = { readonly headers: IncomingHttpHeaders; readonly socketAddress: string }

/** An address, or why there is none to count on. */
export type ClientAddress = { readonly address: string } | { readonly fault: string }

/** The /64 of an IPv6 address, which is what one subscriber gets; `null` for IPv4. All spellings of an address give the same. */
export function ipv6Network(address: string): string | null {
  return address.includes(':') ? `${wordsOf(address).slice(0, 4).join(':')}::/64` : null
}

function inRanges(entries: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const entry of entries) {
    const [address = '', prefix] = entry.split('/')
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    if (prefix === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(prefix), family)
  }
  return (address) => list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}

/** IPv4 as it is, also where it arrived on a socket of IPv6; without the zone of a link-local address. */
function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=[\d.]+$)/i, '').replace(/%.*$/, '')
}

/** The eight words of an IPv6 address in plain hex. The URL parser folds all spellings into one (RFC 5952). */
function wordsOf(address: string): readonly string[] {
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const before = head === '' ? [] : head.split(':')
  if (tail === undefined) return before
  const after = tail === '' ? [] : tail.split(':')
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => '0'), ...after]
}
