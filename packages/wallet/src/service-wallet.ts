import { inspect } from 'node:util'
import type {
  Address,
  Hex,
  SignableMessage,
  TransactionSerializable,
  TypedDataDefinition,
  SignedAuthorization,
} from 'viem'
import { option, requireOptions, type ChecksOf } from './require-options.ts'
import type { Secret } from './secret.ts'
import type { AuthorizationToSign, Signer, SigningOptions } from './signer.ts'
import { createMemoryRegistrationRecords, type RegistrationRecords } from './agent/registration/registration-records.ts'
import type { Journal } from './journal.ts'
import { createMemoryJournal } from './memory-journal.ts'
import { createLocalSigner } from './signers/local-signer.ts'
import type { AuthorizeRequest } from './signers/managed/open-provider.ts'
import { createManagedSigner } from './signers/managed-signer.ts'
import { isRecord, oneOf, type Check } from './shape.ts'
import type { SendUserOpOptions, UserOperationResult } from './user-operation/user-operation-result.ts'
import { WalletError } from './wallet-error.ts'

/**
 * An agent's wallet: it signs and never broadcasts. `local` mode holds a raw key in the memory of this process, without
 * enclave and without policy, for development and tests; in `managed` mode the key is at a wallet provider, which asks for
 * a signature over every request. Nothing on the object, printed or serialised, shows a secret.
 */
export class ServiceWallet implements Signer {
  readonly mode: 'local' | 'managed'
  /** Where the key is, as the backend says it: `local`, `managed`, `remote` or a name of its own. */
  readonly kind: string
  /** The chain the wallet acts on when a caller names none. */
  readonly chainId: number | null
  readonly rpcUrls: Readonly<Record<number, string>>
  /** App identifier at the wallet provider: the pin proxy and the faucet ask for it. */
  readonly appId: string | null
  readonly #signer: Signer
  #memory: WalletMemory | null = null

  /**
   * Throws `WalletError`: `VALIDATION_CONFIG_INVALID` naming the field, or `VALIDATION_PRIVATE_KEY_INVALID`.
   */
  constructor(config: ServiceWalletConfig) {
    const { mode, chainId = null, rpcUrls = {}, appId = null } = checkConfig(config)
    this.mode = mode
    this.#signer = signerOf(config)
    this.kind = this.#signer.kind
    this.chainId = chainId
    this.rpcUrls = Object.freeze({ ...rpcUrls })
    this.appId = appId
    Object.freeze(this)
  }

  /** Throws `WALLET_ADDRESS_UNKNOWN` while the backend has not been asked; `getAddress` asks it. */
  get address(): Address {
    const { address } = this.#signer
    if (address !== null) return address
    const details = { kind: this.kind }
    throw new WalletError('WALLET_ADDRESS_UNKNOWN', 'The address of the wallet is not known yet.', { details })
  }

  /** Whether the backend can sign EIP-7702 authorizations at all. */
  get signsAuthorizations(): boolean {
    return this.#signer.signsAuthorizations ?? true
  }

  /**
   * Journal and records of the calls that are given none, `registerAgent` and the provider among them: calls on this
   * object share them, and go on with what an earlier one left. Another object or process knows nothing of them, and the
   * end of this one forgets what is out.
   */
  get memory(): WalletMemory {
    this.#memory ??= { journal: createMemoryJournal({ now: Date.now }), records: createMemoryRegistrationRecords() }
    return this.#memory
  }

  /** The address, read from the backend the first time. */
  getAddress(): Promise<Address> {
    return this.#signer.getAddress()
  }

  /**
   * Signs a complete transaction (chain id, nonce, gas and fees included) and returns its serialised form. It signs for
   * whatever chain the transaction names, also another than `chainId`; `createEIP1193Provider` sends to its own chain alone.
   */
  signTransaction(transaction: TransactionSerializable, options?: SigningOptions): Promise<Hex> {
    return this.#signer.signTransaction(transaction, options)
  }

  /** Signs by EIP-191. */
  signMessage(message: SignableMessage, options?: SigningOptions): Promise<Hex> {
    return this.#signer.signMessage(message, options)
  }

  /** Signs EIP-712 typed data. Which data may be signed is the caller's policy. */
  signTypedData(typedData: TypedDataDefinition, options?: SigningOptions): Promise<Hex> {
    return this.#signer.signTypedData(typedData, options)
  }

  /** Signs an EIP-7702 authorization: the account runs other code from then on. Nothing signs one unasked. */
  signAuthorization(authorization: AuthorizationToSign, options?: SigningOptions): Promise<SignedAuthorization> {
    return this.#signer.signAuthorization(authorization, options)
  }

  /**
   * Sends one call as a user operation whose gas a paymaster pays; the account stays the wallet's own address. See
   * {@link SendUserOpOptions}; what it needs of the ERC-4337 world is loaded the first time.
   */
  async sendUserOp(options: SendUserOpOptions): Promise<UserOperationResult> {
    const { sendUserOp } = await import('./user-operation/send-user-op.ts')
    return sendUserOp(this, options)
  }

  toJSON(): { readonly mode: string; readonly address: Address | null; readonly chainId: number | null } {
    return { mode: this.mode, address: this.#signer.address, chainId: this.chainId }
  }

  toString(): string {
    return `ServiceWallet { mode: '${this.mode}', address: ${inspect(this.#signer.address)} }`
  }

  [inspect.custom](): string {
    return this.toString()
  }
}

/**
 * What `new ServiceWallet` takes; a field that does not belong to the mode is refused by name. The backend is first in
 * place and name: where no member fits, compilers tell of a later one, which is to be the one that misses its key.
 */
export type ServiceWalletConfig = BackendWalletConfig | LocalWalletConfig | ManagedWalletConfig

/** What a wallet object remembers by itself, as long as it lives. */
export type WalletMemory = { readonly journal: Journal; readonly records: RegistrationRecords }

/** For both modes. */
export type CommonWalletConfig = {
  readonly chainId?: number | undefined
  /** Endpoint by chain id; the public ones of the chain table where there is none. */
  readonly rpcUrls?: Readonly<Record<number, string>> | undefined
  /** Pin proxy and faucet ask for it. */
  readonly appId?: string | undefined
}

/** A backend of your own. */
export type BackendWalletConfig = CommonWalletConfig & { readonly mode: 'local' | 'managed'; readonly signer: Signer }

/** The name of {@link BackendWalletConfig} in earlier versions. */
export type SignerWalletConfig = BackendWalletConfig

/** A key in the memory of this process, for development and tests. */
export type LocalWalletConfig = CommonWalletConfig & {
  readonly mode: 'local'
  /** 32 bytes of hex with the prefix 0x. */
  readonly privateKey: string | Secret
}

/** A wallet at the provider. */
export type ManagedWalletConfig = CommonWalletConfig & {
  readonly mode: 'managed'
  readonly appId: string
  readonly appSecret: string | Secret
  readonly walletId: string
  /** P-256, base64 of PKCS#8 DER; or a function that signs the payload of a request, where a KMS holds the key. */
  readonly authPrivateKey: string | Secret | AuthorizeRequest
  /** Of the provider's API; its public one without. */
  readonly apiUrl?: string | undefined
  /** Known without asking the provider; a signature by another key is refused. */
  readonly address?: string | undefined
}

const commonChecks: ChecksOf<CommonWalletConfig & Pick<ServiceWalletConfig, 'mode'>> = {
  mode: oneOf('managed', 'local'),
  chainId: option.chainId,
  rpcUrls: option.rpcUrls,
  appId: option.appId,
}
const ofProvider = option.filled('what the wallet provider shows for the app')
const managedChecks = {
  appSecret: ofProvider,
  walletId: ofProvider,
  authPrivateKey: ofProvider,
  apiUrl: option.any,
  address: option.any,
}
const signerChecks = {
  signer: option.having('getAddress', 'signTransaction', 'signMessage', 'signTypedData', 'signAuthorization'),
}

const neededOfProvider = ['appId', 'appSecret', 'walletId', 'authPrivateKey']

function checkConfig(config: ServiceWalletConfig): ServiceWalletConfig {
  const isManaged = isRecord(config) && config.mode === 'managed' && !('signer' in config)
  requireOptions(
    config,
    { ...commonChecks, ...(isRecord(config) && ownChecks(config)) },
    { needed: ['mode', ...(isManaged ? neededOfProvider : [])], name: 'config' },
  )
  return config
}

function signerOf(config: ServiceWalletConfig): Signer {
  if ('signer' in config) return config.signer
  if (config.mode === 'local') return createLocalSigner(config.privateKey)
  const { appId, appSecret, walletId, authPrivateKey, apiUrl, address } = config
  return createManagedSigner({
    appId,
    appSecret,
    walletId,
    authPrivateKey,
    ...(apiUrl === undefined ? {} : { apiUrl }),
    ...(address === undefined ? {} : { address }),
  })
}

function ownChecks(config: ServiceWalletConfig): Readonly<Record<string, Check>> {
  if ('signer' in config) return signerChecks
  const localChecks = { privateKey: option.any }
  if (config.mode === 'local') return localChecks
  // Of a mode that is none, the mode alone is refused.
  return config.mode === 'managed' ? managedChecks : { ...localChecks, ...managedChecks, ...signerChecks }
}
