import type { IncomingHttpHeaders } from 'node:http'
import { BlockList, isIP, isIPv6 } from 'node:net'
import { ApiError } from '../errors.ts'

/**
 * Tells where a request comes from. Behind trusted proxies that is the last address of `X-Forwarded-For` which is not a
 * proxy of ours (what stands before it, a client could have made up), and whatever came past them, or to them without
 * https, is refused.
 */
export function clientAddress(trustedProxies: readonly string[]): (source: RequestSource) => string {
  if (trustedProxies.length === 0) return ({ socketAddress }) => plainAddress(socketAddress)
  const list = new BlockList()
  for (const entry of trustedProxies) {
    const [address = '', prefix] = entry.split('/')
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    if (prefix === undefined) list.addAddress(address, family)
    else list.addSubnet(address, Number(prefix), family)
  }
  const isProxy = (address: string) => list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
  return ({ headers, socketAddress }) => {
    const nearest = plainAddress(socketAddress)
    if (!isProxy(nearest)) throw new ApiError('PROXY_REQUIRED', 'The request did not come through the edge proxy.')
    if (headers['x-forwarded-proto'] !== 'https') {
      throw new ApiError('PROXY_REQUIRED', 'The request did not reach the edge over https.')
    }
    const forwarded = headers['x-forwarded-for']
    const hops = (typeof forwarded === 'string' ? forwarded : '').split(',').map((hop) => plainAddress(hop.trim()))
    const client = hops.findLast((hop) => hop !== '' && !isProxy(hop))
    return client !== undefined && isIP(client) !== 0 ? client : nearest
  }
}

export type RequestSource = { readonly headers: IncomingHttpHeaders; readonly socketAddress: string }

/** IPv4 as it is, also where it arrived on a socket of IPv6; without the zone of a link-local address. */
function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=[\d.]+$)/i, '').replace(/%.*$/, '')
}
