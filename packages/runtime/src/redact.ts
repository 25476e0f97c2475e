/** Takes what must not be logged out of values on their way to a log line. */
export type Redactor = {
  /** A copy fit for a log line: no secret members, no secret values, capped in depth, width and length. */
  value(value: unknown): unknown
  /** The same with errors shown by their messages and causes alone, without stacks. */
  brief(value: unknown): unknown
  text(text: string): string
  /** The same copy with nothing capped: for records that must stay whole. Loops and what is no data become marks. */
  scrub(value: unknown): unknown
  /** Hides this value too from now on: a secret that was made while the process runs. */
  add(secret: string): void
}

/**
 * Makes a redactor that knows the process's own secret values beside the names and shapes every process hides. A
 * transaction hash has the shape of a private key, so keys are recognised by name and by value, never by shape.
 */
export function createRedactor(secretValues: readonly string[] = []): Redactor {
  const values = [...secretValues]
  let known = knownSecretPattern(values)
  const text = (input: string, maxLength = maxTextLength): string => {
    if (input.length < minSecretLength) return input
    const capped = input.length > maxLength ? `${input.slice(0, maxLength)}...` : input
    let output = known === null ? capped : capped.replace(known, hidden)
    if (!shapeHint.test(output)) return output
    for (const [shape, replacement] of secretShapes) output = output.replace(shape, replacement)
    return output.includes('://') ? withoutUrlKeys(output) : output
  }
  const whole: Rules = { text: (input) => text(input, Infinity), maxDepth: 32, maxEntries: Infinity, withStacks: true }
  const capped: Rules = { text: (input) => text(input), maxDepth: 6, maxEntries: 50, withStacks: true }
  return Object.freeze({
    text: (input: string) => text(input),
    value: (value: unknown) => copy(value, capped, 0),
    brief: (value: unknown) => copy(value, { ...capped, withStacks: false }, 0),
    scrub: (value: unknown) => copy(value, whole, 0),
    add: (secret: string) => {
      values.push(secret)
      known = knownSecretPattern(values)
    },
  })
}

const hidden = '[redacted]'
const maxTextLength = 2_000
/** Shorter values would blank out ordinary words. */
const minSecretLength = 6

/** Member names, lower case without separators. */
const secretNames = new Set([
  'privatekey',
  'authprivatekey',
  'ownerprivatekey',
  'apisecret',
  'seedphrase',
  'authorization',
  'walletappsecret',
  'walletauthprivatekey',
  'mnemonic',
  'secret',
  'password',
  'apikey',
  'rpcapikey',
  'authtoken',
  'jwt',
  'passphrase',
  'xapikey',
  'setcookie',
  'proxyauthorization',
  'databaseurl',
  'serializedtx',
  'rawtx',
  'signedtx',
  'accesstoken',
  'pinningjwt',
  'signature',
  'rawtransaction',
  'signedtransaction',
  'serializedtransaction',
  'cookie',
])

const secretShapes: readonly (readonly [RegExp, string])[] = [
  [/\bsvc_(read|feedback|write)_[A-Za-z0-9_-]{8,}/g, `svc_$1_${hidden}`],
  [/\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*/g, hidden],
  [/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi, `$1 ${hidden}`],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*(?:-----END [A-Z ]*PRIVATE KEY-----)?/g, hidden],
  [/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@:]+:[^\s/@]+@/gi, `$1${hidden}@`],
  // A transaction hash looks like a key: only the word before it tells them apart.
  [/(\b(?:key|secret|seed|entropy|mnemonic)\b[\s"'`:=]{1,5}(?:is\s+)?["'`]?)(?:0x)?[0-9a-f]{64}\b/gi, `$1${hidden}`],
  [/((?:private|secret|signing|auth)[ _-]?key[\s"'`:=]{1,5}(?:is\s+)?["'`]?)(?:0x)?[0-9a-f]{64}\b/gi, `$1${hidden}`],
  // Twelve to twenty-four plain words in a row, which no sentence holds.
  [/(?<![a-z] )\b(?:[a-z]{3,8} ){11,23}[a-z]{3,8}\b(?! [a-z])/g, hidden],
  // What only a signer can make: signed transactions (EIP-2718 types, or in the request that sends one) and signatures.
  [/(eth_sendRawTransaction[^\]]{0,40}?"?)0x[0-9a-f]+/gi, `$1${hidden}`],
  [/\b0x0[1-4]f[89][0-9a-f]{160,}\b/gi, hidden],
  [/\b0x[0-9a-f]{128}(?:1b|1c|00|01)\b/gi, hidden],
]

/** Names of query members whose value is a credential. */
const keyMember = /^(?:.*key|.*token|.*secret|auth|password|signature|sig)$/i

/** An endpoint's key is a long part of its path that no address or hash is, or a query member that says so. */
function withoutUrlKeys(text: string): string {
  return text.replace(/\b(?:https?|wss?):\/\/[^\s"'<>`\\]+/gi, (url) => {
    const [place = '', query] = url.split('?', 2)
    const path = place.replace(/(?<=[^/:]\/)(?!0x)(?=[^/]*\d)(?=[^/]*[a-z])[\w-]{20,}/gi, hidden)
    if (query === undefined) return path
    const members = query.split('&').map((member) => {
      const [name = '', value = ''] = member.split('=', 2)
      return value !== '' && keyMember.test(name) ? `${name}=${hidden}` : member
    })
    return `${path}?${members.join('&')}`
  })
}

/** What every one of the shapes holds; most text of a log line holds none of it. */
const shapeHint =
  /svc_|eyJ|Bearer|Basic|-----BEGIN|:\/\/|key|secret|seed|entropy|mnemonic|sendRaw|0x[0-9a-f]{128}|(?:[a-z]{3,8} ){11}/i

function knownSecretPattern(values: readonly string[]): RegExp | null {
  const spellings = values.flatMap((value) => (value.length < minSecretLength ? [] : spellingsOf(value)))
  if (spellings.length === 0) return null
  const alternatives = [...new Set(spellings)].sort((a, b) => b.length - a.length).map(escapePattern)
  return new RegExp(alternatives.join('|'), 'gi')
}

/** A secret as it may turn up: as it is, without its 0x, and in the encodings of URLs and headers. */
function spellingsOf(value: string): readonly string[] {
  const base64 = Buffer.from(value).toString('base64').replace(/=+$/, '')
  const base64Url = base64.replace(/\+/g, '-').replace(/\//g, '_')
  const hex = Buffer.from(value).toString('hex')
  return [value, value.replace(/^0x/, ''), encodeURIComponent(value), decoded(value), base64, base64Url, hex]
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

type Rules = {
  readonly text: (input: string) => string
  readonly maxDepth: number
  readonly maxEntries: number
  readonly withStacks: boolean
}

function copy(value: unknown, rules: Rules, depth: number): unknown {
  const { text, maxDepth, maxEntries } = rules
  if (typeof value === 'string') return text(value)
  if (typeof value === 'bigint') return value.toString()
  if (value instanceof Error) return copyError(value, rules, depth)
  if (typeof value !== 'object' || value === null) return typeof value === 'function' ? undefined : value
  if (depth >= maxDepth) return '[deep]'
  if (Array.isArray(value)) return value.slice(0, maxEntries).map((item) => copy(item, rules, depth + 1))
  if ('toJSON' in value && typeof value.toJSON === 'function') return copy(value.toJSON(), rules, depth + 1)
  const entries = Object.entries(value).slice(0, maxEntries)
  return Object.fromEntries(
    entries.map(([name, member]) => [text(name), isSecretName(name) ? hidden : copy(member, rules, depth + 1)]),
  )
}

function copyError(error: Error, rules: Rules, depth: number): unknown {
  const { text, maxDepth, withStacks } = rules
  if (depth >= maxDepth) return '[deep]'
  return {
    name: error.name,
    message: text(error.message),
    ...('code' in error && typeof error.code === 'string' ? { code: text(error.code) } : {}),
    ...(error.stack === undefined || !withStacks ? {} : { stack: text(error.stack) }),
    ...(error.cause === undefined ? {} : { cause: copy(error.cause, rules, depth + 1) }),
  }
}

function isSecretName(name: string): boolean {
  return secretNames.has(name.toLowerCase().replace(/[^a-z]/g, ''))
}

/**
 * Makes text that others wrote fit to stand before a person: printable ASCII, everything else as \u escapes, at most
 * `maxLength` characters, so that no symbol can turn a line round, hide a part of it or pass for one of ours.
 */
export function printable(text: string, maxLength = 64): string {
  const capped = text.length > maxLength ? `${text.slice(0, maxLength)}...` : text
  return capped.replace(/[^ -~]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
