import { isAddress } from 'viem'
import { Secret } from './secret.ts'
import { isPlainUrl, plainUrl } from './service-urls.ts'
import {
  type Check,
  flag,
  isRecord,
  list,
  type Members,
  oneOf,
  only,
  optional,
  type RefusedField,
  shape,
} from './shape.ts'
import { invalidField, WalletError } from './wallet-error.ts'

/**
 * Refuses options that are no object, lack a member that is needed, have one that is not known, or one of another type
 * than it should have; `undefined` counts as missing. Throws `VALIDATION_CONFIG_INVALID`, which names each field and what
 * is accepted there.
 */
export function requireOptions(
  options: unknown,
  members: Readonly<Record<string, Check>>,
  { needed = [], name = 'options' }: { readonly needed?: readonly string[]; readonly name?: string } = {},
): void {
  const fields: RefusedField[] = []
  const always = Object.entries(members).filter(([member]) => needed.includes(member))
  shape({ ...optional(members), ...Object.fromEntries(always) }, name)(options, '', fields)
  if (fields.length === 0) return
  const named = fields.slice(0, mostNamed)
  const isMissing = (field: string) => needed.includes(field) && isRecord(options) && options[field] === undefined
  const isEmpty = (field: string) => needed.includes(field) && isRecord(options) && isBlank(options[field])
  const sentences = named.map(({ field, accepted, meant }) => {
    const unknown = `unknown${meant ? `, did you mean ${meant}` : ''}`
    const wrong = isMissing(field) ? 'missing' : isEmpty(field) ? 'empty' : 'not valid'
    return `${field} is ${meant === undefined ? wrong : unknown}; accepted: ${accepted}.`
  })
  const refused = named.map(({ field, accepted }) => ({ field, accepted }))
  throw new WalletError('VALIDATION_CONFIG_INVALID', sentences.join(' '), { details: { fields: refused } })
}

/** A check for every member that a type of options has. */
export type ChecksOf<Options> = Readonly<Record<keyof Options, Check>>

/** Refuses what is no wallet, which callers without types may give. Throws `VALIDATION_CONFIG_INVALID`. */
export function requireWallet(wallet: unknown): void {
  const isWallet = typeof wallet === 'object' && wallet !== null && 'getAddress' in wallet
  if (!isWallet) throw invalidField('wallet', 'a ServiceWallet')
}

const mostNamed = 20

/** The words for what is no address: most often one that lost a digit, or its checksum. */
const anAddress =
  'an address: 0x and 40 hexadecimal digits, with its checksum where small and capital letters are mixed'
const url = only('a URL with http or https', isWebUrl)
const address = only(anAddress, (value) => typeof value === 'string' && isAddress(value))

/** The checks that options of this package are made of, for `requireOptions`. */
export const option = Object.freeze({
  /** Looked at elsewhere, with a code of its own. */
  any: (() => undefined) satisfies Check,
  text: only('text', (value) => typeof value === 'string'),
  /** Text or a secret with something in it; what is wrong with that is looked at elsewhere. */
  filled: (accepted: string): Check => only(accepted, (value) => value !== undefined && !isBlank(value)),
  secret: only('text or a Secret', (value) => typeof value === 'string' || value instanceof Secret),
  flag,
  chainId: only('a positive integer', (value) => Number.isSafeInteger(value) && Number(value) > 0),
  durationMs: only('milliseconds, 0 or more', (value) => Number.isFinite(value) && Number(value) >= 0),
  feeWei: only('wei as a bigint, 1 or more', (value) => typeof value === 'bigint' && value > 0n),
  address,
  url,
  plainUrl: only(plainUrl, isPlainUrl),
  urls: list(1_000, url),
  rpcUrls,
  appId: only(
    '1 to 64 letters, digits, "-" and "_"',
    (value) => typeof value === 'string' && /^[a-zA-Z0-9_-]{1,64}$/.test(value),
  ),
  orNull,
  record: only('an object', isRecord),
  function: only('a function', (value) => typeof value === 'function'),
  signal: only('an AbortSignal', offers('throwIfAborted', 'addEventListener')),
  chains: list(
    1_000,
    only('a row of a chain', (value) => isRecord(value) && Number.isSafeInteger(value['id'])),
  ),
  journal: only('a journal', offers('recordSigned', 'mark', 'byRequest')),
  registry: shape(
    optional({
      identity: orNull(address),
      form: oneOf('erc8004-v1', 'handle-v0'),
    }),
    'registry',
  ),
  /** Something of the caller's own, by the functions it must have. */
  having: (...functions: readonly string[]): Check =>
    only(`an object with ${functions.join(', ')}`, offers(...functions)),
  /** Options within options. */
  within: (members: Members): Check => shape(optional(members), 'options'),
})

function isBlank(value: unknown): boolean {
  return value === '' || (value instanceof Secret && value.reveal() === '')
}

function offers(...functions: readonly string[]): (value: unknown) => boolean {
  return (value) =>
    typeof value === 'object' &&
    value !== null &&
    functions.every((name) => typeof Reflect.get(value, name) === 'function')
}

function orNull(check: Check): Check {
  return (value, field, fields) => (value === null ? undefined : check(value, field, fields))
}

function isWebUrl(value: unknown): boolean {
  return typeof value === 'string' && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)
}

function rpcUrls(value: unknown, field: string, fields: RefusedField[]): void {
  if (!isRecord(value) || !Object.keys(value).every((id) => /^[1-9]\d*$/.test(id))) {
    fields.push({ field, accepted: 'an object from chain id to URL' })
    return
  }
  for (const [id, endpoint] of Object.entries(value)) url(endpoint, `${field}.${id}`, fields)
}
