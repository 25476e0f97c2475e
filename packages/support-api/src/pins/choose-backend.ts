import { contentAddress, pinata, type PinService, postForCid, type Secret, WalletError } from '@svc/wallet/core'
import type { Pins, Store } from '@svc/store'
import type { Config } from '../config.ts'

/** The pin backend that the settings name. */
export function chooseBackend({ pins: { backend }, gatewayUrl }: Config, store: Store): PinService {
  if (backend.kind === 'kubo') return kubo(backend.url)
  if (backend.kind === 'pinata') return pinata(backend.url, backend.jwt)
  const keep = embedded(store.pins)
  return backend.kind === 'embedded' ? keep : pinningService({ ...backend, gatewayUrl, keep })
}

/** Keeps the content in the service's own store, from where `/ipfs/{cid}` serves it. */
export function embedded(pins: Pins): PinService {
  return async ({ bytes }) => {
    const cid = contentAddress(bytes)
    await pins.keep(cid, new TextDecoder().decode(bytes))
    return cid
  }
}

/** A Kubo node by its RPC (`/api/v0/add`), which must be reachable by this service alone: it has no keys of its own. */
export function kubo(rpcUrl: string): PinService {
  return ({ bytes, fetch, signal }) => {
    const form = new FormData()
    form.append('file', new Blob([new Uint8Array(bytes)], { type: 'application/json' }), 'registration.json')
    const query = 'cid-version=1&raw-leaves=true&pin=true&quieter=true'
    return postForCid(fetch, `${rpcUrl}/api/v0/add?${query}`, {
      headers: {},
      body: form,
      signal,
      cidIn: ({ Hash }) => Hash,
    })
  }
}

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

type PinningServiceOptions = {
  readonly url: string
  readonly token: Secret
  /** Where the content can be fetched. */
  readonly gatewayUrl: string
  /** Keeps the content where the gateway finds it. */
  readonly keep: PinService
}

/** `PinStatus`: the accepted CID stands in `pin`. */
function cidOfPin({ status, pin }: Readonly<Record<string, unknown>>): unknown {
  if (status === 'failed') {
    throw new WalletError('PIN_FAILED', 'The pinning service failed to pin.', { details: { status: null } })
  }
  return typeof pin === 'object' && pin !== null && 'cid' in pin ? pin.cid : undefined
}

/** The gateway as a multiaddr of a trustless HTTP gateway; none where it is known by a number alone. */
function originsOf(gatewayUrl: string): readonly string[] {
  const { protocol, hostname, port } = new URL(gatewayUrl)
  if (/^[\d.]+$|^\[/.test(hostname)) return []
  const isTls = protocol === 'https:'
  return [`/dns/${hostname}/tcp/${port === '' ? (isTls ? 443 : 80) : port}${isTls ? '/tls' : ''}/http`]
}
