import { inspect } from 'node:util'
import type { Address, Hex, TransactionSerializable, TypedDataDefinition } from 'viem'
import { privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts'
import { Secret } from './secret.ts'
import { WalletError } from './wallet-error.ts'

/**
 * An agent's wallet: it signs and never broadcasts. `local` mode holds a raw key in the memory of this process, without
 * enclave and without policy, for development and tests. Nothing on the object, printed or serialised, shows the key.
 */
export class ServiceWallet {
  readonly mode: 'local'
  readonly address: Address
  /** The chain the wallet acts on when a caller names none. */
  readonly chainId: number | null
  readonly rpcUrls: Readonly<Record<number, string>>
  readonly #account: PrivateKeyAccount

  /**
   * Throws `WalletError`: `VALIDATION_CONFIG_INVALID` naming the field, `VALIDATION_PRIVATE_KEY_INVALID`, or
   * `WALLET_MODE_UNAVAILABLE` for a mode other than `local`.
   */
  constructor(config: ServiceWalletConfig) {
    const { privateKey, chainId, rpcUrls } = checkConfig(config)
    this.mode = 'local'
    this.#account = toAccount(privateKey)
    this.address = this.#account.address
    this.chainId = chainId ?? null
    this.rpcUrls = Object.freeze({ ...rpcUrls })
    Object.freeze(this)
  }

  /** Signs a complete transaction (nonce, gas and fees included) and returns its serialised form. */
  signTransaction(transaction: TransactionSerializable): Promise<Hex> {
    return this.#account.signTransaction(transaction)
  }

  /** Signs EIP-712 typed data. Which data may be signed is the caller's policy. */
  signTypedData(typedData: TypedDataDefinition): Promise<Hex> {
    return this.#account.signTypedData(typedData)
  }

  toJSON(): { readonly mode: 'local'; readonly address: Address; readonly chainId: number | null } {
    return { mode: this.mode, address: this.address, chainId: this.chainId }
  }

  [inspect.custom](): string {
    return `ServiceWallet { mode: '${this.mode}', address: '${this.address}' }`
  }
}

export type ServiceWalletConfig = {
  readonly mode: 'local'
  /** 32 bytes of hex with the prefix 0x. */
  readonly privateKey: string | Secret
  readonly chainId?: number
  /** Endpoint by chain id. */
  readonly rpcUrls?: Readonly<Record<number, string>>
}

const knownFields = ['mode', 'privateKey', 'chainId', 'rpcUrls']

function checkConfig(config: ServiceWalletConfig): ServiceWalletConfig {
  const mode: string = config.mode
  if (mode === 'managed') {
    throw new WalletError('WALLET_MODE_UNAVAILABLE', 'This build has no managed wallets; accepted: mode "local".')
  }
  if (mode !== 'local') throw invalid('mode', '"local"')
  for (const field of Object.keys(config)) {
    if (!knownFields.includes(field)) throw invalid(field, `only ${knownFields.join(', ')}`)
  }
  const { chainId, rpcUrls } = config
  if (chainId !== undefined && !(Number.isSafeInteger(chainId) && chainId > 0)) {
    throw invalid('chainId', 'a positive integer')
  }
  for (const [id, url] of Object.entries(rpcUrls ?? {})) {
    if (!/^[1-9]\d*$/.test(id) || typeof url !== 'string' || !URL.canParse(url)) {
      throw invalid('rpcUrls', 'an object from chain id to URL')
    }
  }
  return config
}

function toAccount(privateKey: string | Secret): PrivateKeyAccount {
  const key = privateKey instanceof Secret ? privateKey.reveal() : privateKey
  const refusal = 'privateKey is not a valid key; accepted: 0x and 64 hexadecimal digits within the range of secp256k1.'
  if (typeof key !== 'string' || !isPrivateKey(key)) throw new WalletError('VALIDATION_PRIVATE_KEY_INVALID', refusal)
  try {
    return privateKeyToAccount(key)
  } catch {
    // The library's message may quote the key, so it is not kept as a cause.
    throw new WalletError('VALIDATION_PRIVATE_KEY_INVALID', refusal)
  }
}

function isPrivateKey(text: string): text is Hex {
  return /^0x[0-9a-fA-F]{64}$/.test(text)
}

function invalid(field: string, accepted: string): WalletError {
  return new WalletError('VALIDATION_CONFIG_INVALID', `${field} is not valid; accepted: ${accepted}.`)
}
