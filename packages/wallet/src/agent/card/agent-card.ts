import { type Check, flag, isRecord, list, oneOf, type RefusedField, shape, shown } from '../../shape.ts'
import { WalletError } from '../../wallet-error.ts'

/** What an agent says of itself, in the shape of the support API. */
export type AgentCard = {
  readonly name: string
  readonly description: string
  readonly domains: readonly AgentDomain[]
  readonly services: readonly AgentService[]
  readonly trust: AgentTrust
  /** Known keys: `protocol:name`, `role`, `vault:chain` (the chain id as a string). `agentWallet` is the registry's own. */
  readonly metadata: Readonly<Record<string, string>>
}

/** A field of work as the OASF taxonomy names it, `technology/blockchain` for example. */
export type AgentDomain = { readonly domain: string; readonly primary: boolean }

/** Where the agent is reached: `mcp` for tools, `a2a` for other agents. */
export type AgentService = { readonly type: 'mcp' | 'a2a'; readonly url: string }

/** By what an agent says it can be trusted: reputation, crypto-economic stake, zero-knowledge proofs. */
export type AgentTrust = { readonly reputation: boolean; readonly cryptoEconomic: boolean; readonly zkml: boolean }

/**
 * Selects the template of the card: what is said where the options say nothing. `vault_participant` takes part and has no
 * `a2a` service, `vault_manager` manages liquidity for an owner, `vault_creator` makes vaults too. It is what the agent says
 * of itself, and grants nothing.
 */
export type AgentRole = 'vault_participant' | 'vault_manager' | 'vault_creator'

/**
 * Gives the card back when it keeps the strict schema of the support API: no unknown key, nothing coerced, http(s)
 * addresses without credentials, text without invisible characters, names without look-alikes, at most 32 KiB as JSON.
 * Throws `VALIDATION_CARD_INVALID`, whose `details.fields` name each field that breaks it and what is accepted there, by
 * the name in `names` where that has one.
 */
export function requireAgentCard(value: unknown, names: ReadonlyMap<string, string> = new Map()): AgentCard {
  const fields: RefusedField[] = []
  if (isCard(value, fields)) {
    const bytes = new TextEncoder().encode(JSON.stringify(value)).length
    if (bytes <= mostBytes) return value
    fields.push({ field: 'card', accepted: `at most ${mostBytes} bytes as JSON; it has ${bytes}` })
  }
  const named = fields
    .slice(0, mostNamed)
    .map(({ field, accepted }) => ({ field: names.get(field) ?? field, accepted }))
  const said = named.map(({ field, accepted }) => `${field} (accepted: ${accepted})`)
  throw new WalletError('VALIDATION_CARD_INVALID', `The agent card is not valid: ${said.join('; ')}.`, {
    details: { fields: named },
  })
}

const mostBytes = 32 * 1024
/** A hostile card breaks the schema as often as it likes. */
const mostNamed = 20

function isCard(value: unknown, fields: RefusedField[]): value is AgentCard {
  const domain = pattern(/^[a-z0-9_]+(\/[a-z0-9_]+){0,4}$/, 'a slug such as technology/blockchain')
  const members = {
    name: label(1, 100),
    description: text(1, 2_000),
    domains: list(16, shape({ domain, primary: flag }, 'domain')),
    services: list(16, shape({ type: oneOf('mcp', 'a2a'), url: webAddress }, 'service')),
    trust: shape({ reputation: flag, cryptoEconomic: flag, zkml: flag }, 'trust'),
    metadata: dictionary(32, text(0, 500), { image }),
  }
  shape(members, 'card')(value, '', fields)
  return fields.length === 0
}

function dictionary(most: number, check: Check, known: Readonly<Record<string, Check>>): Check {
  return (value, field, fields) => {
    if (!isRecord(value) || Object.keys(value).length > most) {
      fields.push({ field, accepted: `an object of at most ${most} texts` })
      return
    }
    for (const [key, item] of Object.entries(value)) {
      if (key === 'agentWallet') {
        fields.push({ field: `${field}.${key}`, accepted: 'no such key: it is kept by the registry' })
      } else if (!/^[a-zA-Z0-9:_.-]{1,64}$/.test(key)) {
        fields.push({ field: `${field}.${shown(key)}`, accepted: 'keys of 1 to 64 of a-z A-Z 0-9 : _ . -' })
      } else (Object.hasOwn(known, key) ? (known[key] ?? check) : check)(item, `${field}.${key}`, fields)
    }
  }
}

function text(least: number, most: number): Check {
  return (value, field, fields) => {
    const isText = typeof value === 'string' && value.length >= least && value.length <= most
    if (!isText || !isPlain(value) || (least > 0 && isBlank(value))) {
      const seen = least > 0 ? ', one at least that is seen' : ''
      fields.push({ field, accepted: `${least} to ${most} characters, none of them invisible${seen}` })
    }
  }
}

function label(least: number, most: number): Check {
  const isText = text(least, most)
  return (value, field, fields) => {
    isText(value, field, fields)
    if (typeof value === 'string' && value.length <= most && isLookAlike(value)) {
      fields.push({ field, accepted: 'words of one alphabet each, in plain letters' })
    }
  }
}

function pattern(expression: RegExp, accepted: string): Check {
  return (value, field, fields) => {
    if (typeof value !== 'string' || value.length > 200 || !expression.test(value)) fields.push({ field, accepted })
  }
}

/** ASCII alone: a host in other letters has its name in Punycode, and is not taken for the one that looks like it. */
const webAddress: Check = (value, field, fields) => {
  const isPlainUrl = typeof value === 'string' && value.length <= 500 && /^https?:\/\/[!-~]+$/i.test(value)
  const url = isPlainUrl && !/["<>\\]/.test(value) && URL.canParse(value) ? new URL(value) : null
  if (url === null || url.username !== '' || url.password !== '') {
    fields.push({
      field,
      accepted: 'an http or https address of at most 500 ASCII characters, without user and password',
    })
  }
}

/** What a page may put into an image: nothing that runs. */
const image: Check = (value, field, fields) => {
  if (typeof value === 'string' && (value === '' || /^(ipfs:\/\/|data:image\/)[!-~]{1,480}$/.test(value))) return
  const refused: RefusedField[] = []
  webAddress(value, field, refused)
  if (refused.length > 0) {
    fields.push({ field, accepted: 'an http, https or ipfs address or a data:image, of at most 500 ASCII characters' })
  }
}

/** Without what cannot be seen: control characters, line separators, and those that change the direction of a line. */
function isPlain(value: string): boolean {
  return !(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(value) || /(?![\u200c\u200d])\p{Cf}/u.test(value))
}

/** Nothing but spaces, and letters that print nothing. */
function isBlank(value: string): boolean {
  return /^[\p{Z}\p{Default_Ignorable_Code_Point}\u2800]*$/u.test(value)
}

/** Letters of another width or style, joiners in a Latin word, or such words with letters that look like theirs. */
function isLookAlike(value: string): boolean {
  const isJoined = /\p{sc=Latin}[\u200c\u200d]|[\u200c\u200d]\p{sc=Latin}/u.test(value)
  const words = value.match(/[\p{L}\p{M}]+/gu) ?? []
  const isMixed = words.some((word) => /\p{sc=Latin}/u.test(word) && /[\p{sc=Cyrillic}\p{sc=Greek}]/u.test(word))
  const letters = value.match(/[\p{L}\p{Nd}]/gu) ?? []
  return (
    isJoined || isMixed || letters.some((letter) => letter > '\u007f' && /^[a-z0-9]+$/i.test(letter.normalize('NFKC')))
  )
}
