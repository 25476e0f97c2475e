import { lookup, type LookupAddress } from 'node:dns'
import { type IncomingMessage, request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { createTokenBuckets } from '@svc/runtime'

/**
 * Asks one address that somebody else may have chosen, and no other: every address that its name stands for is looked at before anything
 * is connected to, and the connection goes to what was looked at. Nothing is followed. Plain http goes to private addresses at the most, and
 * those are refused unless `allowsPrivate`; addresses of the link, where clouds keep the keys of a machine, always are. Gives the status, and
 * of the body at most `mostBytes` (none unless given), or rejects with a `ReachError`.
 */
export function guardedRequest(
  { what, url, allowsPrivate, timeoutMs = 10_000, resolve = lookup }: Place & { readonly what: string },
  { method, headers, body = null, mostBytes = 0 }: Asked,
  signal: AbortSignal,
): Promise<Answer> {
  return new Promise((answer, reject) => {
    const failed = (cause: Error) => new ReachError('UNREACHABLE', `${what} did not answer.`, { cause })
    const target = new URL(url)
    const isPlain = target.protocol === 'http:'
    const host = target.hostname.replace(/^\[|\]$/g, '')
    const refuse = (address: string) => refusal(address, { what, allowsPrivate, isPlain })
    // A name that is an address is never looked up.
    const refused = isIP(host) === 0 ? null : refuse(host)
    if (refused !== null) return reject(refused)
    const send = isPlain ? httpRequest : httpsRequest
    const request = send(target, {
      method,
      headers: body === null ? headers : { ...headers, 'content-length': String(Buffer.byteLength(body)) },
      // A connection that is kept would go to what the name stood for then.
      agent: false,
      lookup: checkedLookup(resolve, refuse, failed),
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    })
    request.once('response', (response) => {
      readStart(response, mostBytes)
        .then((text) => answer({ status: response.statusCode ?? 0, text }))
        .catch((error: Error) => reject(failed(error)))
        .finally(() => response.destroy())
    })
    request.on('error', (error) => reject(error instanceof ReachError ? error : failed(error)))
    // One that answers with another protocol (101) is neither a response nor an error to Node.
    request.once('close', () => reject(failed(new Error('closed without an answer'))))
    request.end(body)
  })
}

/** Where something is asked. */
export type Place = {
  readonly url: string
  readonly allowsPrivate: boolean
  /** Ten seconds when absent. */
  readonly timeoutMs?: number
  /** How a name is looked up; as the machine does when absent. */
  readonly resolve?: Resolve
}

type Asked = {
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | null
  readonly mostBytes?: number
}

type Answer = { readonly status: number; readonly text: string }

type Resolve = (
  host: string,
  options: { readonly all: true },
  done: (error: Error | null, addresses: LookupAddress[]) => void,
) => void

/** Why there is no answer, without a word of the address. */
export class ReachError extends Error {
  override readonly name = 'ReachError'
  readonly code: 'ADDRESS_REFUSED' | 'UNREACHABLE'

  constructor(code: ReachError['code'], message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}

async function readStart(response: IncomingMessage, mostBytes: number): Promise<string> {
  if (mostBytes === 0) return ''
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    length += chunk.length
    if (length >= mostBytes) break
  }
  return Buffer.concat(chunks).subarray(0, mostBytes).toString('utf8')
}

function checkedLookup(
  resolve: Resolve,
  refuse: (address: string) => ReachError | null,
  failed: (cause: Error) => ReachError,
): LookupFunction {
  return (host, { all }, done) =>
    resolve(host, { all: true }, (error, addresses) => {
      const [first] = addresses ?? []
      if (error !== null || first === undefined) return done(failed(error ?? new Error('no address')), '', 0)
      // One that is refused refuses all: whoever names both hopes for the second.
      const refused = addresses.map(({ address }) => refuse(address)).find((one) => one !== null)
      if (refused !== undefined) return done(refused, '', 0)
      if (all === true) return done(null, addresses)
      return done(null, first.address, first.family)
    })
}

function refusal(
  address: string,
  {
    what,
    allowsPrivate,
    isPlain,
  }: { readonly what: string; readonly allowsPrivate: boolean; readonly isPlain: boolean },
): ReachError | null {
  const kind = addressKind(address)
  const refuse = (why: string) => new ReachError('ADDRESS_REFUSED', why)
  if (kind === 'never') return refuse(`${what} stands for an address that is never sent to.`)
  if (kind === 'private' && !allowsPrivate) return refuse(`${what} stands for a private address.`)
  if (kind === 'public' && isPlain)
    return refuse(`${what} stands for a public address, which is sent to over https alone.`)
  return null
}

/** Of IPv4 addresses that stand in IPv6 ones, what those are. */
export function addressKind(address: string): 'public' | 'private' | 'never' {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
  if (isIP(address) === 0 || never.check(address, family)) return 'never'
  return ours.check(address, family) ? 'private' : 'public'
}

const ours = blockList([
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['::1', 128],
  ['fc00::', 7],
])

/** Of the link, of no machine, of many, for documents and benchmarks, and of IPv6 what wraps an address of IPv4. */
const never = blockList([
  ['0.0.0.0', 8],
  ['169.254.0.0', 16],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
  ['::', 128],
  ['::ffff:0:0:0', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  // Where clouds keep those keys beside the link.
  ['100.100.100.200', 32],
  ['fd00:42::42', 128],
  ['fd00:ec2::254', 128],
  ['fd20:ce::254', 128],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
])

function blockList(ranges: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList()
  for (const [start, bits] of ranges) list.addSubnet(start, bits, start.includes(':') ? 'ipv6' : 'ipv4')
  return list
}

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
