import type { RateVerdict, Store, Pins } from '@svc/store'
import {
  canonicalBytes,
  contentAddress,
  pinCard,
  registrationFile,
  WalletError,
  type AgentCard,
  type PinService,
  pinata,
  postForCid,
  type Secret,
} from '@svc/wallet/core'
import { ApiError } from '../errors.ts'
import type { PinConfig, Config } from '../config.ts'
import type { Metrics } from '../observability/create-metrics.ts'
import { type Log, rateLimitHeaders } from '@svc/runtime'

/**
 * Pins the registration files of cards. A place in the app's hour, in the network's and in the day of all is reserved
 * before anything is sent and given back when it fails (one that a failing database holds back comes free with its hour); what the app has
 * pinned before is free. Equal requests at one time are one pin.
 * Throws `PIN_RATE_LIMITED`, `PIN_CID_MISMATCH` and `UPSTREAM_UNAVAILABLE`.
 */
export function createPinDesk(options: PinDeskOptions): PinDesk {
  const { store, metrics } = options
  const open = new Map<string, Promise<PinReceipt>>()
  return {
    async pin(order) {
      const cid = contentAddress(canonicalBytes(registrationFile(order.card)))
      if (await store.pins.has(order.appId, cid)) {
        metrics.pinned('known')
        return { cid, headers: {} }
      }
      const key = `${order.appId} ${cid}`
      const shared = open.get(key)
      if (shared !== undefined) return shared
      const receipt = pinNew(order, cid, options).finally(() => open.delete(key))
      open.set(key, receipt)
      return receipt
    },
  }
}

export type PinDesk = { pin(order: PinOrder): Promise<PinReceipt> }

export type PinOrder = {
  readonly card: AgentCard
  /** An app that was checked. */
  readonly appId: string
  /** Range of addresses the request came from. */
  readonly network: string
}

/** `headers` tell what is left of the app's hour, where it was counted. */
export type PinReceipt = { readonly cid: string; readonly headers: Readonly<Record<string, string>> }

export type PinDeskOptions = {
  readonly store: Store
  readonly service: PinService
  readonly limits: Pick<PinConfig, 'perAppPerHour' | 'perNetworkPerHour' | 'perDay'>
  readonly fetch: typeof fetch
  readonly metrics: Metrics
  readonly log: Log
  /** For the whole exchange with the backend; 10 s when absent. */
  readonly timeoutMs?: number
}

const hourMs = 60 * 60_000

async function pinNew(order: PinOrder, cid: string, options: PinDeskOptions): Promise<PinReceipt> {
  const { store, service, metrics, log, fetch, timeoutMs = 10_000 } = options
  const reserved = await reserve(order, options)
  log.debug('pin.reserved', { cid })
  const giveBack = async (): Promise<void> => {
    for (const useId of reserved.useIds) await store.rateLimits.refund(useId)
  }
  try {
    await pinCard(order.card, service, { fetch, timeoutMs })
    log.debug('pin.kept', { cid })
    const isNew = await store.pins.record(order.appId, cid)
    // Another replica was asked for the same.
    if (!isNew) await giveBack()
    metrics.pinned(isNew ? 'new' : 'known')
    return { cid, headers: isNew ? reserved.headers : {} }
  } catch (error) {
    metrics.pinned('failed')
    // What was recorded after all, by a commit nobody heard of, keeps its place.
    const refund = store.pins.has(order.appId, cid).then((isPinned) => (isPinned ? undefined : giveBack()))
    await refund.catch((err: unknown) => log.error('pin.refund_failed', { err }))
    throw toApiError(error)
  }
}

/** A place in the app's hour, the network's and everybody's day; or none. `headers` tell of the first. */
async function reserve({ appId, network }: PinOrder, { store, limits }: PinDeskOptions) {
  const { perAppPerHour, perNetworkPerHour, perDay } = limits
  const places = [
    { name: 'app', key: `pin:app:${appId}`, perWindow: perAppPerHour, windowMs: hourMs },
    { name: 'network', key: `pin:network:${network}`, perWindow: perNetworkPerHour, windowMs: hourMs },
    { name: 'all', key: 'pin:all', perWindow: perDay, windowMs: 24 * hourMs },
  ] as const
  const useIds: string[] = []
  let headers: PinReceipt['headers'] = {}
  for (const place of places) {
    const verdict = await store.rateLimits.take(place)
    if (!verdict.allowed) {
      for (const useId of useIds) await store.rateLimits.refund(useId)
      throw limited(verdict, place)
    }
    if (place.name === 'app') headers = rateLimitHeaders(place, verdict)
    useIds.push(verdict.useId)
  }
  return { useIds, headers }
}

function limited(
  verdict: Extract<RateVerdict, { allowed: false }>,
  limit: { readonly name: keyof typeof whoPins; readonly perWindow: number; readonly windowMs: number },
): ApiError {
  const retryAfterSeconds = Math.ceil((verdict.retryAfterMs ?? limit.windowMs) / 1_000)
  const message = `${whoPins[limit.name]} ${limit.perWindow} new cards in any ${limit.windowMs === hourMs ? 'hour' : 'day'}.`
  return new ApiError('PIN_RATE_LIMITED', message, { retryAfterSeconds, headers: rateLimitHeaders(limit, verdict) })
}

const whoPins = { app: 'An app pins', network: 'A range of addresses pins', all: 'This service pins' } as const

function toApiError(error: unknown): unknown {
  if (!(error instanceof WalletError)) return error
  if (error.code === 'PIN_CID_MISMATCH') {
    return new ApiError('PIN_CID_MISMATCH', 'The pinning service names another address than the content has.', {
      cause: error,
    })
  }
  return new ApiError('UPSTREAM_UNAVAILABLE', 'The pinning service did not pin the card.', {
    cause: error,
    retryAfterSeconds: 10,
  })
}

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
