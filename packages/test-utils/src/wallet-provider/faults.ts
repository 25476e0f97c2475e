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
