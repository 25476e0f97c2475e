import { WalletError } from '../wallet-error.ts'

/**
 * The challenge of a 401 answer, if a wallet may sign it: for the host and URL that were asked and no other, with a nonce, and for minutes rather than
 * for ever. A server that passes on the challenge of another one gets nothing signed. Throws `SIGN_IN_CHALLENGE_REFUSED` naming the member.
 */
export function readChallenge(body: Readonly<Record<string, unknown>>, asked: AskedFor): SignInChallenge {
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

export type SignInChallenge = {
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
