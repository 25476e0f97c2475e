/** Takes what must not be logged out of values on their way to a log line. */
export type Redactor = {
  /** A copy fit for a log line: no secret members, no secret values, capped in depth, width and length. */
  value(value: unknown): unknown
  text(text: string): string
  /** The same copy with nothing capped: for records that must stay whole. Loops and what is no data become marks. */
  scrub(value: unknown): unknown
}

/**
 * Makes a redactor that knows the process's own secret values beside the names and shapes every process hides. A
 * transaction hash has the shape of a private key, so keys are recognised by name and by value, never by shape.
 */
export function createRedactor(secretValues: readonly string[] = []): Redactor {
  const known = knownSecretPattern(secretValues)
  const text = (input: string, maxLength = maxTextLength): string => {
    if (input.length < minSecretLength) return input
    const capped = input.length > maxLength ? `${input.slice(0, maxLength)}...` : input
    let output = known === null ? capped : capped.replace(known, hidden)
    if (!shapeHint.test(output)) return output
    for (const [shape, replacement] of secretShapes) output = output.replace(shape, replacement)
    return output
  }
  const whole: Rules = { text: (input) => text(input, Infinity), maxDepth: 32, maxEntries: Infinity }
  const capped: Rules = { text: (input) => text(input), maxDepth: 6, maxEntries: 50 }
  return Object.freeze({
    text: (input: string) => text(input),
    value: (value: unknown) => copy(value, capped, 0),
    scrub: (value: unknown) => copy(value, whole, 0),
  })
}

const hidden = '[redacted]'
const maxTextLength = 2_000
/** Shorter values would blank out ordinary words. */
const minSecretLength = 8

/** Member names, lower case without separators. The first five are the specification's list. */
const secretNames = new Set([
  'privatekey',
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
]

/** What every one of the shapes holds; most text of a log line holds none of it. */
const shapeHint = /svc_|eyJ|Bearer|Basic|-----BEGIN|:\/\//i

function knownSecretPattern(values: readonly string[]): RegExp | null {
  const spellings = values.flatMap((value) => (value.length < minSecretLength ? [] : spellingsOf(value)))
  if (spellings.length === 0) return null
  const alternatives = [...new Set(spellings)].sort((a, b) => b.length - a.length).map(escapePattern)
  return new RegExp(alternatives.join('|'), 'gi')
}

/** A secret as it may turn up: as it is, without its 0x, and in the encodings of URLs and headers. */
function spellingsOf(value: string): readonly string[] {
  const base64 = Buffer.from(value).toString('base64').replace(/=+$/, '')
  return [value, value.replace(/^0x/, ''), encodeURIComponent(value), base64]
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

type Rules = {
  readonly text: (input: string) => string
  readonly maxDepth: number
  readonly maxEntries: number
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
  const { text, maxDepth } = rules
  if (depth >= maxDepth) return '[deep]'
  return {
    name: error.name,
    message: text(error.message),
    ...('code' in error && typeof error.code === 'string' ? { code: text(error.code) } : {}),
    ...(error.stack === undefined ? {} : { stack: text(error.stack) }),
    ...(error.cause === undefined ? {} : { cause: copy(error.cause, rules, depth + 1) }),
  }
}

function isSecretName(name: string): boolean {
  return secretNames.has(name.toLowerCase().replace(/[^a-z]/g, ''))
}
