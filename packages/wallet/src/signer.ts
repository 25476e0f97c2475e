import type { Address, Hex, SignableMessage, TransactionSerializable, TypedDataDefinition } from 'viem'
import type { SignedAuthorization } from 'viem'

/**
 * What a backend must do to be a wallet: hold a key somewhere and sign with it. It never broadcasts. Every member throws
 * `WalletError`: `SIGNER_UNAVAILABLE`, `SIGNER_UNAUTHORIZED`, `SIGNER_REFUSED`, `SIGNER_RATE_LIMITED`, or
 * `SIGNING_UNSUPPORTED` for what the backend cannot sign.
 */
export type Signer = {
  /** Where the key is, for people and logs: `local`, `managed`, `remote` or a name of your own. */
  readonly kind: string
  /** The address, where it is known without asking anybody. */
  readonly address: Address | null
  getAddress(): Promise<Address>
  /** Signs a complete transaction, for the chain that it names, nonce, gas and fees included, and gives its serialised form. */
  signTransaction(transaction: TransactionSerializable, options?: SigningOptions): Promise<Hex>
  /** Signs by EIP-191 (`personal_sign`). */
  signMessage(message: SignableMessage, options?: SigningOptions): Promise<Hex>
  /** Signs by EIP-712. */
  signTypedData(typedData: TypedDataDefinition, options?: SigningOptions): Promise<Hex>
  /** False where the backend has no way to sign authorizations, so that nobody plans on them. */
  readonly signsAuthorizations?: boolean
  /** Signs by EIP-7702 that the account runs the code at `address` from `nonce` on. */
  signAuthorization(authorization: AuthorizationToSign, options?: SigningOptions): Promise<SignedAuthorization>
}

/** What goes along with a request to sign. */
export type SigningOptions = {
  /** The same key with the same request is one signature at a backend that counts them. */
  readonly idempotencyKey?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** An EIP-7702 authorization before it is signed. */
export type AuthorizationToSign = {
  /** Of the implementation; the zero address ends a delegation. */
  readonly contractAddress: Address
  readonly chainId: number
  /** Of the account at the time the authorization is applied. */
  readonly nonce: number
}
