import type { Address } from 'viem'
import { createSiweMessage } from 'viem/siwe'
import { identityRegistries } from '../agent/lookup/identity-registries.ts'
import { parseAgentId } from '../agent/lookup/open-registry.ts'
import { boundedBytes } from '../bounded-bytes.ts'
import type { Signer } from '../signer.ts'
import { invalidField, WalletError } from '../wallet-error.ts'
import { throwIfAborted, withDeadline } from '../with-deadline.ts'

/**
 * Signs a wallet in at a tool server (EIP-4361) and gives the token that its requests then carry, as `Authorization: Bearer <token>`. What is signed
 * is made here out of the server's challenge, and only if that is for the very address that is asked. Nothing is tried twice.
 *
 * `url` is where its MCP endpoint is, such as `https://mcp.example.com/mcp`: over https, but on this machine. Throws `WalletError`:
 * `VALIDATION_CONFIG_INVALID`, `SIGN_IN_CHALLENGE_REFUSED`, `SIGN_IN_REFUSED`, `SIGN_IN_UNAVAILABLE`, `ABORTED`, or what signing throws.
 */
export async function signIn(wallet: SigningWallet, url: string, options: SignInOptions = {}): Promise<SignedIn> {
  const place = placeOf(url)
  const agent = agentOf(options)
  const { fetch = globalThis.fetch, timeoutMs = 30_000, now = Date.now } = options
  const caller = options.signal
  throwIfAborted(caller)
  return withDeadline({ timeoutMs, signal: caller }, async (signal) => {
    const asked = await ask(place, { headers: { accept: jsonTypes } }, { fetch, signal, caller })
    const challenge = readChallenge(asked.body, { url: place, now: now(), chainId: agent?.chainId ?? null })
    const message = messageOf(challenge, await wallet.getAddress(), agent)
    const signature = await wallet.signMessage(message)
    const signInUrl = new URL('/auth/siwe', place)
    const headers = { accept: jsonTypes, 'content-type': 'application/json' }
    const body = JSON.stringify({ message, signature })
    const answer = await ask(signInUrl, { method: 'POST', headers, body }, { fetch, signal, caller })
    if (answer.status !== 200) throw refusal(answer)
    return readAnswer(answer)
  })
}

/** Whatever signs messages (EIP-191): a `ServiceWallet`, or the signer of a contract wallet whose address `getAddress` gives. */
export type SigningWallet = {
  getAddress(): Promise<Address>
  signMessage(...[message]: Parameters<Signer['signMessage']>): ReturnType<Signer['signMessage']>
}

/** As whom a wallet signs in, and by which means. */
export type SignInOptions = {
  /** The agent to be known as, `<chainId>:<tokenId>`, which the wallet owns or is the wallet of. Without it the server looks for one itself. */
  readonly agentId?: string
  /** The registry of that agent; of the table unless given. */
  readonly registry?: Address
  readonly fetch?: typeof fetch
  readonly signal?: AbortSignal
  /** For all of it; 30 s unless given. */
  readonly timeoutMs?: number
  /** Unix milliseconds. */
  readonly now?: () => number
}

/** What a server gives whoever signs in. */
export type SignedIn = {
  readonly token: string
  readonly tokenType: 'Bearer'
  /** ISO 8601. Sign in again before it. */
  readonly expiresAt: string
  /** What the token says of its holder. */
  readonly claims: Readonly<Record<string, unknown>>
}

const jsonTypes = 'application/json, application/problem+json'
const mostAnswerBytes = 64 * 1024

type Agent = { readonly chainId: number; readonly resource: string }

function placeOf(url: string): URL {
  const accepted = 'the URL of an MCP endpoint over https, or over http on this machine, without user and password'
  if (!URL.canParse(url)) throw invalidField('url', accepted)
  const place = new URL(url)
  const isNear = place.hostname === 'localhost' || /^127(\.\d{1,3}){3}$/.test(place.hostname)
  const isSafe = place.protocol === 'https:' || (place.protocol === 'http:' && isNear)
  if (!isSafe || `${place.username}${place.password}${place.hash}` !== '') throw invalidField('url', accepted)
  return place
}

function agentOf({ agentId, registry }: SignInOptions): Agent | null {
  if (agentId === undefined) return null
  const { chainId, tokenId } = parseAgentId(agentId)
  const known = Object.hasOwn(identityRegistries, chainId) ? (identityRegistries[chainId]?.identity ?? null) : null
  const at = registry ?? known
  if (at === null) {
    const suggestion = `Give the address of the registry on chain ${chainId} as registry; svc up shows that of a local world as "registry".`
    throw invalidField('registry', 'the address of the identity registry of that chain', suggestion)
  }
  return { chainId, resource: `eip155:${chainId}/erc721:${at}/${tokenId}` }
}

function messageOf(challenge: SignInChallenge, address: Address, agent: Agent | null): string {
  const { domain, uri, chainId, nonce, statement, issuedAt, expirationTime } = challenge
  const resources = agent === null ? {} : { resources: [agent.resource] }
  const members = { address, domain, uri, version: '1', chainId, nonce, statement, ...resources } as const
  return createSiweMessage({ ...members, issuedAt: new Date(issuedAt), expirationTime: new Date(expirationTime) })
}

type Answer = { readonly status: number; readonly body: Readonly<Record<string, unknown>> }

async function ask(url: URL, init: RequestInit, { fetch, signal, caller }: Asking): Promise<Answer> {
  try {
    const answer = await fetch(url, { ...init, signal, redirect: 'error' })
    const text = new TextDecoder().decode(await boundedBytes(answer, { mostBytes: mostAnswerBytes, signal }))
    return { status: answer.status, body: record(text) }
  } catch (cause) {
    throwIfAborted(caller)
    throw new WalletError('SIGN_IN_UNAVAILABLE', 'The server does not answer.', { cause, details: { status: null } })
  }
}

type Asking = {
  readonly fetch: typeof globalThis.fetch
  readonly signal: AbortSignal
  /** The one that the caller gave. */
  readonly caller: AbortSignal | undefined
}

function record(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}

function readAnswer({ status, body }: Answer): SignedIn {
  const { token, tokenType, expiresAt, claims } = body
  const isWhole =
    typeof token === 'string' &&
    /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/.test(token) &&
    tokenType === 'Bearer' &&
    typeof expiresAt === 'string' &&
    !Number.isNaN(Date.parse(expiresAt)) &&
    typeof claims === 'object' &&
    claims !== null
  if (!isWhole)
    throw new WalletError('SIGN_IN_UNAVAILABLE', 'The server answers without a token.', { details: { status } })
  return { token, tokenType, expiresAt, claims: { ...claims } }
}

/** What the server says of it stays in the cause; of its code, which is a word of a table, a program may want to know. */
function refusal({ status, body: { code, message } }: Answer): WalletError {
  const named = typeof code === 'string' && /^[A-Z][A-Z_]{0,63}$/.test(code) ? code : null
  const isAway = status === 429 || status >= 500
  const cause = new Error(typeof message === 'string' ? message.slice(0, 500) : `status ${status}`)
  const details = { status, serverCode: named }
  if (isAway)
    return new WalletError('SIGN_IN_UNAVAILABLE', 'The server cannot sign anybody in now.', { cause, details })
  return new WalletError('SIGN_IN_REFUSED', `The server refused the sign-in${named === null ? '' : ` (${named})`}.`, {
    cause,
    details,
  })
}

/**
 * The challenge of a 401 answer, if a wallet may sign it: for the host and URL that were asked and no other, with a nonce, and for minutes rather than
 * for ever. A server that passes on the challenge of another one gets nothing signed. Throws `SIGN_IN_CHALLENGE_REFUSED` naming the member.
 */
function readChallenge(body: Readonly<Record<string, unknown>>, asked: AskedFor): SignInChallenge {
  const { url, now, chainId } = asked
  const read = readerOf(body['challenge'])
  read('type', isExactly('siwe'), 'siwe')
  read('version', isExactly('1'), '1')
  return {
    domain: read('domain', isExactly(url.host), `${url.host}, which was asked`),
    uri: read('uri', isExactly(url.href), `${url.href}, which was asked`),
    nonce: read('nonce', isText(/^[A-Za-z0-9]{8,256}$/), '8 letters and digits or more'),
    chainId: read('chainId', isChainId(chainId), chainId === null ? 'a chain id' : `${chainId}`),
    statement: read('statement', isText(/^[\x20-\x7e]{1,300}$/), 'one line of plain text'),
    issuedAt: read('issuedAt', isTime(-Infinity, now + skewMs), 'a time that has come'),
    expirationTime: read('expirationTime', isTime(now - skewMs, now + longestMs), 'a time within the hour'),
  }
}

export type AskedFor = {
  readonly url: URL
  /** Unix milliseconds. */
  readonly now: number
  /** That of the agent that is named, or `null`. */
  readonly chainId: number | null
}

type SignInChallenge = {
  readonly nonce: string
  readonly domain: string
  readonly uri: string
  readonly chainId: number
  /** ISO 8601, as is the other time. */
  readonly issuedAt: string
  readonly expirationTime: string
  readonly statement: string
}

/** By which the clocks of two machines may differ. */
const skewMs = 5 * 60_000
const longestMs = 60 * 60_000

/** Gives members of a challenge that are as they should be, and throws for the first that is not. */
function readerOf(challenge: unknown) {
  if (typeof challenge !== 'object' || challenge === null) {
    throw refused('challenge', 'the server offers none, so nobody signs in there with a wallet', notOffered)
  }
  const members: Readonly<Record<string, unknown>> = { ...challenge }
  return <Value>(member: string, accepts: (value: unknown) => value is Value, accepted: string): Value => {
    const value = members[member]
    if (accepts(value)) return value
    throw refused(member, accepted)
  }
}

const notOffered =
  'Check that the URL is that of the MCP endpoint. Its operator lets wallets sign in by SVC_SIWE_CHAIN, in a local world by svc up --sign-in; ' +
  'until then ask for one of its API keys.'

function isExactly(expected: string) {
  return (value: unknown): value is string => value === expected
}

function isText(form: RegExp) {
  return (value: unknown): value is string => typeof value === 'string' && form.test(value)
}

/** Any where none is expected. */
function isChainId(expected: number | null) {
  return (value: unknown): value is number =>
    typeof value === 'number' && Number.isSafeInteger(value) && value > 0 && (expected ?? value) === value
}

function isTime(after: number, before: number) {
  return (value: unknown): value is string => {
    if (typeof value !== 'string' || value.length > 40) return false
    const at = Date.parse(value)
    return at >= after && at <= before && new Date(at).toISOString() === value
  }
}

function refused(member: string, accepted: string, suggestion?: string): WalletError {
  const message = `The server's challenge is not signed: ${member} is not acceptable; accepted: ${accepted}.`
  const details = { member, accepted }
  return new WalletError('SIGN_IN_CHALLENGE_REFUSED', message, { details, ...(suggestion && { suggestion }) })
}
