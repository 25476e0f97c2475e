import { setTimeout as wait } from 'node:timers/promises'
import { canonicalBytes, contentAddress, registrationFile, requireAgentCard, WalletError } from '@svc/wallet'
import { http, HttpResponse } from 'msw'
import {
  baseUrl,
  createFaultRules,
  handlerSet,
  type HandlerSet,
  requireOptions,
  problem,
  readJson,
} from './handler-set.ts'

/**
 * The pin proxy of the support API: it makes the registration file of the card, keeps its bytes and answers with their
 * CID, which depends on the card alone. Its gateway, and the public ones that the identity SDK asks, give the bytes back.
 */
export function pinProxyHandlers(options: PinProxyOptions): PinProxyHandlers {
  requireOptions('pinProxyHandlers', options, { apiUrl: baseUrl('http://api.test') })
  const { appId = null, gatewayUrl = options.apiUrl } = options
  const pins = new Map<string, Uint8Array>()
  const faults = createFaultRules(pinFaults, options.faults)
  const gateways = [base(gatewayUrl), ...publicGateways]
  const pin = http.post(`${base(options.apiUrl)}/v1/ipfs/pin`, async ({ request }) => {
    const fault = faults.take('pin')
    if (fault?.fault === 'slow') await wait(fault.delayMs, undefined, { ref: false })
    if (fault?.fault === 'down') return HttpResponse.error()
    if (fault !== null && fault.fault in answers) return refusal(fault)
    const [, named] = /^Bearer ([a-zA-Z0-9_-]{1,64})$/.exec(request.headers.get('authorization') ?? '') ?? []
    if (named === undefined || (appId !== null && named !== appId)) return refusal({ fault: 'unauthorized' })
    const bytes = fileOf((await readJson(request))['agentCard'])
    if (bytes instanceof WalletError) {
      const { message, details } = bytes
      return problem(400, { code: 'VALIDATION_FAILED', message, ...(details && { details }) })
    }
    const cid = contentAddress(bytes)
    pins.set(cid, bytes)
    const shown = fault?.fault === 'other-cid' ? contentAddress(new Uint8Array()) : cid
    return HttpResponse.json({ cid: shown, uri: `ipfs://${shown}`, gatewayUrl: `${gateways[0]}/ipfs/${shown}` })
  })
  const reads = gateways.map((gateway) =>
    http.get(`${gateway}/ipfs/:cid`, ({ params }) => {
      const bytes = pins.get(String(params['cid']))
      if (bytes === undefined) return new HttpResponse(null, { status: 404 })
      return new HttpResponse(new Uint8Array(bytes), { headers: { 'content-type': 'application/json' } })
    }),
  )
  return handlerSet([pin, ...reads], {
    pins: () => new Map(pins),
    setFaults: (wanted: readonly PinFault[]) => faults.set(wanted),
  })
}

/** The handlers of {@link pinProxyHandlers}. */
export type PinProxyHandlers = HandlerSet<{
  /** What was pinned, by CID. */
  readonly pins: () => ReadonlyMap<string, Uint8Array>
  readonly setFaults: (faults: readonly PinFault[]) => void
}>

/** Of {@link pinProxyHandlers}. */
export type PinProxyOptions = {
  /** Base URL of the support API. */
  readonly apiUrl: string
  /** The one app that is known; any without. */
  readonly appId?: string
  /** Of the gateway that the answers name; `apiUrl` without. */
  readonly gatewayUrl?: string
  readonly faults?: readonly PinFault[]
}

/**
 * What goes wrong: `down` breaks the connection, `slow` answers late, `other-cid` names another content's address,
 * `rate-limit` is 429 `PIN_RATE_LIMITED`, `unauthorized` 401 `APP_ID_INVALID`, `unavailable` 503 `UPSTREAM_UNAVAILABLE`.
 */
export type PinFault = (
  | { readonly fault: 'down' | 'other-cid' | 'unauthorized' | 'unavailable' }
  | { readonly fault: 'slow'; readonly delayMs: number }
  | { readonly fault: 'rate-limit'; readonly retryAfterSeconds: number }
) & {
  /** How often; until the faults are set anew without. */
  readonly times?: number
}

const pinFaults: Readonly<Record<PinFault['fault'], true>> = {
  down: true,
  slow: true,
  'other-cid': true,
  'rate-limit': true,
  unauthorized: true,
  unavailable: true,
}

/** Where the identity SDK (1.7) looks for `ipfs://`. */
const publicGateways = ['https://gateway.pinata.cloud', 'https://ipfs.io', 'https://dweb.link']

const answers: Readonly<Record<string, readonly [status: number, code: string, message: string]>> = {
  'rate-limit': [429, 'PIN_RATE_LIMITED', 'The app has pinned as much as it may in an hour.'],
  unauthorized: [401, 'APP_ID_INVALID', 'The app id is not known.'],
  unavailable: [503, 'UPSTREAM_UNAVAILABLE', 'The pin service cannot be reached.'],
}

function refusal(fault: PinFault): Response {
  const [status, code, message] = answers[fault.fault] ?? [500, 'INTERNAL', 'Internal error.']
  return problem(status, {
    code,
    message,
    ...(fault.fault === 'rate-limit' ? { retryAfterSeconds: fault.retryAfterSeconds } : {}),
  })
}

function fileOf(card: unknown): Uint8Array | WalletError {
  try {
    return canonicalBytes(registrationFile(requireAgentCard(card)))
  } catch (error) {
    if (error instanceof WalletError) return error
    throw error
  }
}

function base(url: string): string {
  return url.replace(/\/+$/, '')
}
