import { Secret, faultOfWord } from '../../secret.ts'
import { WalletError, invalidField } from '../../wallet-error.ts'
import { withDeadline, throwIfAborted } from '../../with-deadline.ts'
import type { AgentCard } from './agent-card.ts'
import { boundedBytes } from '../../bounded-bytes.ts'
import { canonicalBytes, contentAddress, registrationFile } from './registration-file.ts'
import { supportApiUrl } from '../../service-urls.ts'
import type { IpfsMode } from '../registration/registration.ts'
import type { RegistrationContext } from '../registration/registration-context.ts'

/**
 * Pins the registration file of a card and gives its CID, which is computed here: a service that names another one is not
 * believed. Throws `PIN_FAILED` or `PIN_CID_MISMATCH`.
 */
export async function pinCard(card: AgentCard, service: PinService, options: PinOptions): Promise<string> {
  const bytes = canonicalBytes(registrationFile(card))
  const expected = contentAddress(bytes)
  const { fetch, signal, timeoutMs = 15_000 } = options
  const cid = await withDeadline({ timeoutMs, signal }, (signal) => service({ card, bytes, fetch, signal }))
  if (cid === expected) return cid
  const message = 'The pin service names another address than the content has.'
  throw new WalletError('PIN_CID_MISMATCH', message, { details: { expected, named: cid.slice(0, 100) } })
}

/** Pins, and says under which CID. */
export type PinService = (request: PinRequest) => Promise<string>

/** One card to pin, as a pin service gets it. */
export type PinRequest = {
  readonly card: AgentCard
  /** What is pinned, byte for byte. */
  readonly bytes: Uint8Array
  readonly fetch: typeof fetch
  readonly signal: AbortSignal
}

/** What pinning a card needs of its surroundings. */
export type PinOptions = {
  readonly fetch: typeof fetch
  readonly signal?: AbortSignal | undefined
  /** 15 s where it is missing. */
  readonly timeoutMs?: number | undefined
}

/** Your own account at Pinata (its files API, version 3). */
export function pinata(uploadUrl: string, jwt: Secret): PinService {
  return ({ card, bytes, fetch, signal }) => {
    const form = new FormData()
    form.append('network', 'public')
    form.append('name', `${card.name}.json`)
    form.append('file', new Blob([new Uint8Array(bytes)], { type: 'application/json' }), 'registration.json')
    return postForCid(fetch, `${uploadUrl.replace(/\/+$/, '')}/v3/files`, {
      headers: { authorization: `Bearer ${jwt.reveal()}` },
      body: form,
      signal,
      cidIn: ({ data }) => (typeof data === 'object' && data !== null && 'cid' in data ? data.cid : undefined),
    })
  }
}

/** Posts once and reads the CID out of the answer. What the service says in an error stays in `cause`. */
export async function postForCid(send: typeof fetch, url: string, request: CidRequest): Promise<string> {
  const { headers, body, signal, cidIn } = request
  const answer = await send(url, { method: 'POST', headers, body, signal, redirect: 'error' }).catch(
    (cause: unknown) => {
      throw new WalletError('PIN_FAILED', 'The pin service does not answer.', { cause, details: { status: null } })
    },
  )
  const bytes = await boundedBytes(answer, { mostBytes: mostAnswerBytes, signal }).catch((cause: unknown) => {
    const { status } = answer
    throw new WalletError('PIN_FAILED', 'The pin service broke off its answer.', { cause, details: { status } })
  })
  const text = new TextDecoder().decode(bytes)
  if (!answer.ok) {
    const cause = new Error(text.slice(0, 1_000))
    throw new WalletError('PIN_FAILED', `The pin service answered ${answer.status}.`, {
      cause,
      details: { status: answer.status, retryAfter: answer.headers.get('retry-after') },
    })
  }
  const cid = cidIn(parse(text))
  if (typeof cid === 'string' && cid !== '') return cid
  const { status } = answer
  throw new WalletError('PIN_FAILED', 'The pin service answered without a CID.', { details: { status } })
}

/** What is posted, and where the CID stands in a JSON answer. */
export type CidRequest = {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | FormData
  readonly signal: AbortSignal
  readonly cidIn: (answer: Readonly<Record<string, unknown>>) => unknown
}

const mostAnswerBytes = 64 * 1024

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}

/**
 * The agent URI of tiers 1 and 2: a pinned file, or the file itself when the mode is `inline` or the pin fails. Throws
 * what {@link requireMode} throws.
 */
export async function chooseURI(context: UriContext, card: AgentCard): Promise<ChosenURI> {
  const { options, attempts, warnings, progress } = context
  const mode = requireMode(context)
  if (mode === 'inline') return inline(card)
  try {
    const service = serviceOf(context, mode)
    if (options.pin === false) return pinned(contentAddress(canonicalBytes(registrationFile(card))))
    progress('pin', mode === 'proxy' ? 'Pinning the card through the support API.' : 'Pinning the card.')
    const cid = await pinCard(card, service, {
      fetch: context.fetch,
      ...(options.signal && { signal: options.signal }),
    })
    return pinned(cid)
  } catch (error) {
    throwIfAborted(options.signal)
    if (!(error instanceof WalletError) || error.code.startsWith('VALIDATION_')) throw error
    const { code, message } = error
    attempts.push({ kind: 'registration', tier: 'sdk-ipfs', outcome: 'failed', code, reason: message })
    warnings.push(`Nothing was pinned: ${message} The file went into the URI itself, which costs more gas.`)
    progress('fallback', `${message} The file goes into the URI itself, which costs more gas.`)
    return inline(card)
  }
}

/** Every URI under which this package registers a card. */
export function urisOf(card: AgentCard): readonly string[] {
  const whole = pinned(contentAddress(canonicalBytes(registrationFile(card))))
  return [whole.agentURI, inline(card).agentURI, minimalURI(card)]
}

/**
 * The mode, with what it needs: also a registration that comes to pin nothing is refused without it. Throws
 * `VALIDATION_CONFIG_INVALID` for an unknown mode or a JWT that no header can carry, and `VALIDATION_PINNING_JWT_MISSING`.
 */
export function requireMode(context: ModeContext): IpfsMode {
  const mode = modeOf(context)
  if (mode === 'pinata') jwtOf(context)
  return mode
}

/** The small URI of tier 3: what an explorer needs, and no network. */
export function minimalURI(card: AgentCard): string {
  const { type, name, description, services } = registrationFile(card)
  return dataURI({ type, name, description, services: services.slice(0, 1) })
}

/** What of the context bears on the URI. */
export type UriContext = Pick<RegistrationContext, 'env' | 'fetch' | 'attempts' | 'warnings' | 'progress'> & {
  readonly wallet: Pick<RegistrationContext['wallet'], 'appId'>
  readonly options: Pick<
    RegistrationContext['options'],
    'ipfsMode' | 'pinningJwt' | 'pinningUrl' | 'apiUrl' | 'signal'
  > & {
    /** `false`: the address is reckoned and nothing leaves. */
    readonly pin?: boolean | undefined
  }
}

type ModeContext = Pick<UriContext, 'env'> & {
  readonly options: Pick<UriContext['options'], 'ipfsMode' | 'pinningJwt'>
}

export type ChosenURI = { readonly method: 'sdk-ipfs' | 'sdk-inline'; readonly agentURI: string }

const modes: readonly string[] = ['proxy', 'pinata', 'inline'] satisfies IpfsMode[]

function modeOf({ options, env }: ModeContext): IpfsMode {
  const mode = options.ipfsMode ?? (env['SVC_IPFS_MODE'] || 'proxy')
  if (isMode(mode)) return mode
  const field = options.ipfsMode === undefined ? 'SVC_IPFS_MODE' : 'ipfsMode'
  throw invalidField(field, modes.join(', '))
}

function isMode(mode: string): mode is IpfsMode {
  return modes.includes(mode)
}

function serviceOf({ options, env, wallet }: UriContext, mode: 'proxy' | 'pinata'): PinService {
  if (mode === 'pinata') {
    return pinata(options.pinningUrl ?? 'https://uploads.pinata.cloud', jwtOf({ options, env }))
  }
  const apiUrl = supportApiUrl(options.apiUrl, env)
  if (apiUrl !== undefined && wallet.appId !== null) return pinProxy(apiUrl, wallet.appId)
  const missing = apiUrl === undefined ? 'apiUrl or SVC_API_URL' : 'the appId of the wallet'
  throw new WalletError('PIN_FAILED', `The pin proxy needs ${missing}.`, {
    suggestion: `Give ${missing}, or register with ipfsMode "inline".`,
    details: { status: null, missing },
  })
}

function jwtOf({ options, env }: ModeContext): Secret {
  const given = options.pinningJwt ?? env['SVC_PINNING_JWT']
  const jwt = given instanceof Secret ? given.reveal() : given
  if (jwt === undefined || jwt === '') {
    const details = { option: 'pinningJwt', variable: 'SVC_PINNING_JWT' }
    const message = 'ipfsMode "pinata" needs the JWT of a pinning account.'
    throw new WalletError('VALIDATION_PINNING_JWT_MISSING', message, { details })
  }
  const fault = faultOfWord(jwt)
  if (fault === null) return new Secret(jwt)
  const field = options.pinningJwt === undefined ? 'SVC_PINNING_JWT' : 'pinningJwt'
  const accepted = 'one word of visible ASCII characters, as a header can carry it'
  throw new WalletError('VALIDATION_CONFIG_INVALID', `${field} ${fault}; accepted: ${accepted}.`, {
    details: { fields: [{ field, accepted }] },
  })
}

function pinned(cid: string): ChosenURI {
  return { method: 'sdk-ipfs', agentURI: `ipfs://${cid}` }
}

function inline(card: AgentCard): ChosenURI {
  return { method: 'sdk-inline', agentURI: dataURI(registrationFile(card)) }
}

function dataURI(file: object): string {
  return `data:application/json;base64,${Buffer.from(canonicalBytes(file)).toString('base64')}`
}

/** The pin proxy of the support API, which makes the registration file of the card itself. */
export function pinProxy(apiUrl: string, appId: string): PinService {
  return ({ card, fetch, signal }) =>
    postForCid(fetch, `${apiUrl.replace(/\/+$/, '')}/v1/ipfs/pin`, {
      headers: { authorization: `Bearer ${appId}`, 'content-type': 'application/json' },
      body: JSON.stringify({ agentCard: card }),
      signal,
      cidIn: (answer) => answer['cid'],
    })
}
