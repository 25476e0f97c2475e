/**
 * What the stand-in does wrong. `error` answers a status before it acts, or, with `after`, once it has signed; `drop`
 * closes the connection likewise; `other-key` signs with another key and names its address; `altered` signs another
 * transaction than was asked, or shows a policy without its last rule; `lax` signs what its policy forbids; `nonsense` answers something that is no JSON.
 */
export type ProviderFault = FaultKind & {
  /** Methods of signing (`eth_signTransaction`), `wallets` and `policies` for reading one, `POST wallets` for making one, or `config` for the app; all without. */
  readonly methods?: readonly string[]
  /** How often; until the faults are set anew without. */
  readonly times?: number
}

/** What goes wrong; `after` lets the provider act first and fail then. */
export type FaultKind =
  | { readonly fault: 'error'; readonly status?: number; readonly after?: boolean }
  | { readonly fault: 'rate-limit'; readonly retryAfterSeconds: number }
  | { readonly fault: 'delay'; readonly delayMs: number }
  | { readonly fault: 'drop'; readonly after?: boolean }
  | { readonly fault: 'other-key' | 'altered' | 'lax' | 'nonsense' }

export const providerFaults: Readonly<Record<ProviderFault['fault'], true>> = {
  error: true,
  'rate-limit': true,
  delay: true,
  drop: true,
  'other-key': true,
  altered: true,
  lax: true,
  nonsense: true,
}

/** What the provider answers instead of a result; `code` and the message are the body. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError'
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

/** An object of a request's body. Throws `ProviderError` 400 naming the field. */
export function asObject(value: unknown, field: string): Fields {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value }
  throw invalid(field, 'an object')
}

export type Fields = { readonly [name: string]: unknown }

export function asText(value: unknown, field: string): string {
  if (typeof value === 'string' && value !== '') return value
  throw invalid(field, 'a string')
}

export function asList(value: unknown, field: string): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw invalid(field, 'an array')
}

export function asTexts(value: unknown, field: string): readonly string[] {
  return asList(value, field).map((one, index) => asText(one, `${field}.${index}`))
}

/** A quantity: a whole number, or text in decimal or with 0x. */
export function asQuantity(value: unknown, field: string): bigint {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return BigInt(value)
  if (typeof value === 'string' && /^(0x[0-9a-fA-F]+|\d+)$/.test(value)) return BigInt(value)
  throw invalid(field, 'a quantity')
}

export function oneOf<const T extends string>(value: unknown, accepted: readonly T[], field: string): T {
  const found = accepted.find((one) => one === value)
  if (found !== undefined) return found
  throw invalid(field, accepted.join(', '))
}

/** Refuses what the provider does not know: a misspelt field must not pass for an absent one. */
export function onlyKnown(fields: Fields, known: readonly string[], where: string): void {
  const unknown = Object.keys(fields).find((name) => !known.includes(name))
  if (unknown !== undefined) throw invalid(`${where}.${unknown}`, known.join(', '))
}

export function invalid(field: string, accepted: string): ProviderError {
  return new ProviderError(400, 'invalid_data', `${field} is not valid; accepted: ${accepted}.`)
}
