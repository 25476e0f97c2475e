import { contentAddress, postForCid, WalletError, type PinService } from '@svc/wallet/core'
import type { Secret } from '@svc/wallet/core'

/**
 * A service of the IPFS Pinning Service API, which fetches what it is asked to pin: the content is kept here first, and
 * the service is notified of this gateway. What it has accepted (`queued` or `pinning` too) counts as pinned.
 */
export function pinningService(options: PinningServiceOptions): PinService {
  const { url, token, gatewayUrl, keep } = options
  const origins = originsOf(gatewayUrl)
  return async (request) => {
    const cid = contentAddress(request.bytes)
    await keep(request)
    return postForCid(request.fetch, `${url}/pins`, {
      headers: { authorization: `Bearer ${token.reveal()}`, 'content-type': 'application/json' },
      body: JSON.stringify({ cid, name: `${request.card.name}.json`, ...(origins.length > 0 && { origins }) }),
      signal: request.signal,
      cidIn: cidOfPin,
    })
  }
}

export type PinningServiceOptions = {
  readonly url: string
  readonly token: Secret
  /** Where the content can be fetched. */
  readonly gatewayUrl: string
  /** Keeps the content where the gateway finds it. */
  readonly keep: PinService
}

/** `PinStatus`: the accepted CID stands in `pin`. */
function cidOfPin({ status, pin }: Readonly<Record<string, unknown>>): unknown {
  if (status === 'failed') throw new WalletError('PIN_FAILED', 'The pinning service failed to pin.')
  return typeof pin === 'object' && pin !== null && 'cid' in pin ? pin.cid : undefined
}

/** The gateway as a multiaddr of a trustless HTTP gateway; none where it is known by a number alone. */
function originsOf(gatewayUrl: string): readonly string[] {
  const { protocol, hostname, port } = new URL(gatewayUrl)
  if (/^[\d.]+$|^\[/.test(hostname)) return []
  const isTls = protocol === 'https:'
  return [`/dns/${hostname}/tcp/${port === '' ? (isTls ? 443 : 80) : port}${isTls ? '/tls' : ''}/http`]
}
