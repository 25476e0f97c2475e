import { toCause } from './to-cause.ts'
import { walletErrorTable, type WalletErrorCode } from './wallet-error-table.ts'

/**
 * The one error this package throws. `message` is a short sentence of ours and holds no secret, `suggestion` says how to
 * fix it, `docs` where to read on; whatever caused it is in `cause`, without URLs of endpoints and bodies of requests.
 */
export class WalletError extends Error {
  override readonly name = 'WalletError'
  readonly code: WalletErrorCode
  readonly suggestion: string
  /** Path of the page in this package and in its repository, with the anchor of the code. */
  readonly docs: string
  /** What a program may need: hashes, tokens to go on with, the fields that were refused. It can be written as JSON. */
  readonly details: Readonly<Record<string, Json>>

  /** Members of `details` that the table names for the code are asked for. */
  constructor(...given: WalletErrorArguments) {
    const [code, message, options] = given
    const { cause, suggestion = walletErrorTable[code].suggestion, details = {} }: WalletErrorOptions = options ?? {}
    super(message, cause === undefined ? {} : { cause: toCause(cause) })
    this.code = code
    this.suggestion = suggestion
    this.docs = `docs/wallet-errors.md#${code.toLowerCase()}`
    this.details = Object.freeze({ ...details })
  }

  /** What `JSON.stringify` writes: the message too, and neither stack nor cause. */
  toJSON(): { readonly [member: string]: Json } {
    const { name, code, message, suggestion, docs, details } = this
    return { name, code, message, suggestion, docs, details }
  }
}

/** The refusal of a field, which says what is accepted and does not repeat what was given. */
export function invalidField(field: string, accepted: string, suggestion?: string): WalletError {
  return refusedField(field, accepted, `${field} is not valid; accepted: ${accepted}.`, suggestion)
}

/** The same of a field that is not there. */
export function missingField(field: string, accepted: string): WalletError {
  return refusedField(field, accepted, `${field} is missing; accepted: ${accepted}.`)
}

/** The same of a field that is there and has nothing in it. */
export function emptyField(field: string, accepted: string): WalletError {
  return refusedField(field, accepted, `${field} is empty; accepted: ${accepted}.`)
}

function refusedField(field: string, accepted: string, message: string, suggestion?: string): WalletError {
  const details = { fields: [{ field, accepted }] }
  return new WalletError('VALIDATION_CONFIG_INVALID', message, { details, ...(suggestion && { suggestion }) })
}

export type { WalletErrorCode } from './wallet-error-table.ts'

/** What an error carries beside code and message. */
export type WalletErrorOptions = {
  readonly cause?: unknown
  /** Instead of the table's, where the thrower knows better. */
  readonly suggestion?: string
  readonly details?: Readonly<Record<string, Json>>
}

/** What a `WalletError` is made of: options must hold the members of `details` that the table names for the code. */
export type WalletErrorArguments = {
  readonly [Code in WalletErrorCode]: [(typeof walletErrorTable)[Code]['details'][number]] extends [never]
    ? [code: Code, message: string, options?: WalletErrorOptions]
    : [
        code: Code,
        message: string,
        options: WalletErrorOptions & {
          readonly details: { readonly [Name in (typeof walletErrorTable)[Code]['details'][number]]: Json }
        },
      ]
}[WalletErrorCode]

/** What `JSON.stringify` writes and `JSON.parse` gives back. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [member: string]: Json }
