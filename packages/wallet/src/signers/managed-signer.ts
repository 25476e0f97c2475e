import { inspect } from 'node:util'
import { type Address, getAddress, isAddress, isAddressEqual, type SignedAuthorization } from 'viem'
import type { Secret } from '../secret.ts'
import type { AuthorizationToSign, Signer, SigningOptions } from '../signer.ts'
import { invalidField, WalletError } from '../wallet-error.ts'
import {
  checkSignedAuthorization,
  checkSignedMessage,
  checkSignedTransaction,
  checkSignedTypedData,
  requireAuthorization,
  requireMessage,
  requireTypedData,
  signable,
} from './signable.ts'
import { type AuthorizeRequest, toAuthorizeRequest, openProvider, type Provider } from './managed/open-provider.ts'
import {
  authorizationToWire,
  messageToWire,
  transactionToWire,
  typedDataToWire,
  type WireBody,
} from './managed/to-wire.ts'
import { readSigningUrl } from '../service-urls.ts'

/**
 * Signs with a key in the enclave of a wallet provider (Privy): its policy there is a second fence around the wallet. It
 * asks for signatures alone, never for a broadcast, and what comes back is checked against what was asked. Nothing is
 * asked of anybody before the first call. Throws `VALIDATION_CONFIG_INVALID` naming the field.
 */
export function createManagedSigner(config: ManagedSignerConfig): Signer {
  const provider = openProvider({
    appId: matching(config.appId, 'appId', /^[a-zA-Z0-9_-]{1,64}$/),
    appSecret: config.appSecret,
    walletId: matching(config.walletId, 'walletId', /^[a-zA-Z0-9_-]{1,64}$/),
    authorize: toAuthorizeRequest(config.authPrivateKey),
    // The signature over a request covers its URL, and the client would sign a slash at the end twice.
    apiUrl: readSigningUrl(config.apiUrl ?? 'https://api.privy.io', 'apiUrl').replace(/\/+$/, ''),
    fetch: config.fetch,
    now: config.now ?? Date.now,
  })
  let address = config.address === undefined ? null : readAddress(config.address)
  const resolveAddress = async (): Promise<Address> => (address ??= await addressOf(provider, config.walletId))
  const ask = async (body: WireBody, options: SigningOptions | undefined) => ({
    address: await resolveAddress(),
    data: dataOf(await provider.rpc(body, options)),
  })
  return Object.freeze({
    kind: 'managed',
    get address() {
      return address
    },
    getAddress: async () => {
      const found = await addressOf(provider, config.walletId)
      if (address !== null && !isAddressEqual(found, address)) throw mismatch(address, found)
      address = found
      return found
    },
    signTransaction: async (transaction, options) => {
      const { data, address: signer } = await ask(
        await signable('transaction', () => transactionToWire(transaction)),
        options,
      )
      return await checkSignedTransaction(data['signed_transaction'], transaction, signer)
    },
    signMessage: async (message, options) => {
      const { data, address: signer } = await ask(
        await signable('message', () => messageToWire(requireMessage(message))),
        options,
      )
      return await checkSignedMessage(data['signature'], message, signer)
    },
    signTypedData: async (typedData, options) => {
      const { data, address: signer } = await ask(
        await signable('typed data', () => typedDataToWire(requireTypedData(typedData))),
        options,
      )
      return await checkSignedTypedData(data['signature'], typedData, signer)
    },
    signAuthorization: async (authorization, options) => {
      const { data, address: signer } = await ask(
        await signable('authorization', () => authorizationToWire(requireAuthorization(authorization))),
        options,
      )
      return await authorizationIn(data['authorization'], authorization, signer)
    },
    [inspect.custom]: () => `Signer { kind: 'managed', address: ${inspect(address)} }`,
  } satisfies Signer & { readonly [inspect.custom]: () => string })
}

/** Where the wallet is at the provider, and what authorizes requests there. */
export type ManagedSignerConfig = {
  readonly appId: string
  readonly appSecret: string | Secret
  readonly walletId: string
  /** P-256, base64 of PKCS#8 DER; or a function that signs the payload of a request, where a KMS holds the key. */
  readonly authPrivateKey: string | Secret | AuthorizeRequest
  /** Of the provider's API; its public one without. */
  readonly apiUrl?: string
  /** Known without asking; a signature by another key is refused. */
  readonly address?: string
  readonly fetch?: typeof fetch
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

async function authorizationIn(
  value: unknown,
  asked: AuthorizationToSign,
  signer: Address,
): Promise<SignedAuthorization> {
  const { r, s, y_parity: yParity } = asRecord(value)
  return await checkSignedAuthorization({ r, s, yParity }, asked, signer)
}

async function addressOf(provider: Provider, walletId: string): Promise<Address> {
  const { id, address, chain_type: chainType } = asRecord(await provider.wallet())
  if (id === walletId && chainType === 'ethereum' && typeof address === 'string' && isAddress(address)) return address
  throw new WalletError('SIGNER_UNAVAILABLE', 'The wallet provider names no Ethereum address for the wallet.')
}

function dataOf(answer: unknown): Readonly<Record<string, unknown>> {
  return asRecord(asRecord(answer)['data'])
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null) return { ...value }
  throw new WalletError('SIGNER_UNAVAILABLE', 'The wallet provider answered nonsense.')
}

function readAddress(text: string): Address {
  if (isAddress(text, { strict: false })) return getAddress(text)
  throw invalidField('address', '0x and 40 hexadecimal digits')
}

function matching(text: string, field: string, pattern: RegExp): string {
  if (typeof text === 'string' && pattern.test(text)) return text
  throw invalidField(field, '1 to 64 letters, digits, "-" and "_"')
}

function mismatch(expected: Address, actual: Address): WalletError {
  return new WalletError('WALLET_ADDRESS_MISMATCH', `The wallet at the provider is ${actual}, not ${expected}.`, {
    details: { expected, actual },
  })
}
