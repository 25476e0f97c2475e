/** The one error this package throws. `message` is ours and holds no secret; whatever caused it is in `cause`. */
export class WalletError extends Error {
  override readonly name = 'WalletError'
  readonly code: WalletErrorCode

  constructor(code: WalletErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}

export type WalletErrorCode =
  /** A field of the wallet's configuration is missing, unknown or malformed; the message names it. */
  | 'VALIDATION_CONFIG_INVALID'
  /** The private key is not 32 bytes of hex within the range of the curve. */
  | 'VALIDATION_PRIVATE_KEY_INVALID'
  /** The mode is known but this build does not offer it. */
  | 'WALLET_MODE_UNAVAILABLE'
  /** The request and step were signed before for another call. */
  | 'REQUEST_CONFLICT'
  /** Other senders took every nonce that was tried, or the chain counted differently when asked twice. Try again. */
  | 'NONCE_CONTENDED'
  /** The journal holds settled transactions that the chain does not know. */
  | 'NONCE_AHEAD_OF_CHAIN'
  | 'JOURNAL_CONFLICT'
  | 'JOURNAL_ENTRY_UNKNOWN'
  | 'JOURNAL_ENTRY_CLOSED'
