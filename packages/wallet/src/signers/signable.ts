import {
  BaseError,
  isAddress,
  isHex,
  type SignableMessage,
  type TransactionSerializable,
  type TypedDataDefinition,
  type Address,
  type Hex,
  isAddressEqual,
  keccak256,
  parseTransaction,
  recoverAddress,
  recoverMessageAddress,
  recoverTypedDataAddress,
  serializeTransaction,
  type SignedAuthorization,
} from 'viem'
import { isRecord, type Members, oneOf, only, optional, type RefusedField } from '../shape.ts'
import type { AuthorizationToSign } from '../signer.ts'
import { WalletError } from '../wallet-error.ts'
import { recoverAuthorizationAddress } from 'viem/utils'

/**
 * Makes of what a caller wants signed what is signed, or the signature itself. What the library that reads it refuses is
 * `SIGNING_INPUT_INVALID`, with the library's sentence in the message and the whole of its words as the cause.
 */
export async function signable<Made>(what: string, make: () => Made | Promise<Made>): Promise<Made> {
  try {
    return await make()
  } catch (cause) {
    if (cause instanceof WalletError) throw cause
    const why = cause instanceof BaseError ? `: ${cause.shortMessage.slice(0, 200).replace(/[^ -~]/g, ' ')}` : '.'
    throw new WalletError('SIGNING_INPUT_INVALID', `The ${what} is malformed, and nothing was signed${why}`, {
      cause,
      details: { what },
    })
  }
}

/**
 * Whether a transaction says on which chain, in which turn, with how much gas and at what fee it runs, and each member is of
 * its type: without its chain anybody could send it on another, and the library signs 0 for what is no number. Throws
 * `SIGNING_INPUT_INVALID` naming what is missing, or else what is malformed, and what is accepted.
 */
export function requireComplete<Given extends TransactionSerializable>(transaction: Given): Given & Complete {
  const members: Readonly<Record<string, unknown>> = { ...transaction }
  const missing = ['chainId', 'nonce', 'gas', feeOf(members)].filter((field) => members[field] === undefined)
  if (missing.length > 0) {
    const message = `The transaction is not complete, and nothing was signed: it has no ${missing.join(', no ')}.`
    throw new WalletError('SIGNING_INPUT_INVALID', message, { details: { what: 'transaction', fields: missing } })
  }
  requireMembers('transaction', members, transactionMembers)
  return transaction as Given & Complete
}

/** Refuses bytes with half a byte or other characters, which the library would fill up. Throws `SIGNING_INPUT_INVALID`. */
export function requireMessage(message: SignableMessage): SignableMessage {
  requireMembers('message', { message }, { message: only('text, or { raw } with bytes or bytes as hex', isMessage) })
  return message
}

/** Throws `SIGNING_INPUT_INVALID`. */
export function requireTypedData(typedData: TypedDataDefinition): TypedDataDefinition {
  requireMembers('typed data', isRecord(typedData) ? typedData : {}, typedDataMembers)
  return typedData
}

/** Throws `SIGNING_INPUT_INVALID`. */
export function requireAuthorization(authorization: AuthorizationToSign): AuthorizationToSign {
  requireMembers('authorization', isRecord(authorization) ? authorization : {}, authorizationMembers)
  return authorization
}

type Complete = { readonly chainId: number; readonly nonce: number; readonly gas: bigint }

function requireMembers(what: string, value: Readonly<Record<string, unknown>>, members: Members): void {
  const refused: RefusedField[] = []
  for (const [name, check] of Object.entries(members)) check(value[name], name, refused)
  if (refused.length === 0) return
  const sentences = refused.map(({ field, accepted }) => `${field} is not valid; accepted: ${accepted}.`)
  const accepted = Object.fromEntries(refused.map((one) => [one.field, one.accepted]))
  throw new WalletError(
    'SIGNING_INPUT_INVALID',
    `The ${what} is malformed, and nothing was signed: ${sentences.join(' ')}`,
    { details: { what, fields: refused.map(({ field }) => field), accepted } },
  )
}

/** The fee without which a transaction of its type pays nothing; what names no type has the one that its fees make. */
function feeOf({ type, gasPrice, maxFeePerGas, maxPriorityFeePerGas }: Readonly<Record<string, unknown>>): string {
  if (type === 'legacy' || type === 'eip2930') return 'gasPrice'
  const isByPrice = gasPrice !== undefined && maxFeePerGas === undefined && maxPriorityFeePerGas === undefined
  return isByPrice && type !== 'eip1559' && type !== 'eip4844' && type !== 'eip7702' ? 'gasPrice' : 'maxFeePerGas'
}

const count = (least: number) =>
  only(`a whole number, ${least} or more`, (value) => Number.isSafeInteger(value) && Number(value) >= least)
const upTo = (bits: bigint) =>
  only(`a bigint from 0 to 2^${bits} - 1`, (value) => typeof value === 'bigint' && value >= 0n && value < 2n ** bits)
const address = only('an address', (value) => typeof value === 'string' && isAddress(value))
const record = only('an object', isRecord)

const transactionMembers: Members = {
  chainId: count(1),
  nonce: count(0),
  gas: upTo(64n),
  ...optional({
    type: oneOf('legacy', 'eip2930', 'eip1559', 'eip4844', 'eip7702'),
    to: only(
      'an address, or null to create a contract',
      (to) => to === null || (typeof to === 'string' && isAddress(to)),
    ),
    value: upTo(256n),
    data: only('bytes as hex', isBytes),
    gasPrice: upTo(256n),
    maxFeePerGas: upTo(256n),
    maxPriorityFeePerGas: upTo(256n),
    maxFeePerBlobGas: upTo(256n),
  }),
}

const typedDataMembers: Members = {
  types: record,
  primaryType: only('the name of a type', (value) => typeof value === 'string'),
  message: record,
  ...optional({ domain: record }),
}

const authorizationMembers: Members = { contractAddress: address, chainId: count(0), nonce: count(0) }

function isMessage(message: unknown): boolean {
  if (!isRecord(message)) return typeof message === 'string'
  return message['raw'] instanceof Uint8Array || isBytes(message['raw'])
}

function isBytes(value: unknown): boolean {
  return isHex(value) && value.length % 2 === 0
}

/**
 * Checks what a backend elsewhere says it signed: byte for byte the transaction that was asked for, by the wallet's own
 * key. A backend that is wrong, or lies, is found out before anything is sent. Throws `SIGNER_UNAVAILABLE` for another
 * transaction or nonsense, `WALLET_ADDRESS_MISMATCH` for another key.
 */
export async function checkSignedTransaction(
  raw: unknown,
  asked: TransactionSerializable,
  address: Address,
): Promise<Hex> {
  const { serialized, signer } = readable(() => readSigned(raw, asked))
  if (typeof raw !== 'string' || serialized !== raw.toLowerCase()) {
    throw new WalletError(
      'SIGNER_UNAVAILABLE',
      'The backend gave back another transaction than it was asked to sign.',
      {
        suggestion:
          'Sign with nothing from this backend before you know why: look at its log, and at what stands between. What it gave back was not sent.',
        details: { what: 'transaction' },
      },
    )
  }
  await requireSigner(signer, address)
  return serialized
}

/** Checks a signature by EIP-191. Throws like `checkSignedTransaction`. */
export async function checkSignedMessage(signature: unknown, message: SignableMessage, address: Address): Promise<Hex> {
  const checked = asSignature(signature)
  await requireSigner(
    readable(() => recoverMessageAddress({ message, signature: checked })),
    address,
  )
  return checked
}

/** Checks a signature by EIP-712. Throws like `checkSignedTransaction`. */
export async function checkSignedTypedData(
  signature: unknown,
  typedData: TypedDataDefinition,
  address: Address,
): Promise<Hex> {
  const checked = asSignature(signature)
  await requireSigner(
    readable(() => recoverTypedDataAddress({ ...typedData, signature: checked })),
    address,
  )
  return checked
}

/** Checks a signature by EIP-7702 and puts it together with what was asked for. Throws like `checkSignedTransaction`. */
export async function checkSignedAuthorization(
  signature: { readonly r: unknown; readonly s: unknown; readonly yParity: unknown },
  asked: AuthorizationToSign,
  address: Address,
): Promise<SignedAuthorization> {
  const { r, s, yParity } = signature
  if (!isHex(r) || !isHex(s) || (yParity !== 0 && yParity !== 1) || BigInt(s) > mostS) throw nonsense()
  const { contractAddress, chainId, nonce } = asked
  const signed = { address: contractAddress, chainId, nonce, r, s, yParity, v: yParity === 0 ? 27n : 28n }
  await requireSigner(
    readable(() => recoverAuthorizationAddress({ authorization: signed })),
    address,
  )
  return signed
}

/** What was asked for under the signature that came: equal to what came, if nothing else was signed. */
function readSigned(raw: unknown, asked: TransactionSerializable): { serialized: Hex; signer: Promise<Address> } {
  if (!isHex(raw)) throw nonsense()
  const { r, s, v, yParity } = parseTransaction(raw)
  const parity = yParity ?? (v === undefined ? undefined : Number((v + 1n) % 2n))
  if (r === undefined || s === undefined || parity === undefined || BigInt(s) > mostS) throw nonsense()
  const serialized = serializeTransaction(asked, v === undefined ? { r, s, yParity: parity } : { r, s, v })
  const hash = keccak256(serializeTransaction(asked))
  return { serialized, signer: recoverAddress({ hash, signature: { r, s, yParity: parity } }) }
}

async function requireSigner(recovered: Promise<Address>, address: Address): Promise<void> {
  const signer = await recovered.catch(() => {
    throw nonsense()
  })
  if (isAddressEqual(signer, address)) return
  throw new WalletError('WALLET_ADDRESS_MISMATCH', `The backend signs for ${signer}, not for ${address}.`, {
    details: { expected: address, actual: signer },
  })
}

/** Half the order of secp256k1. Nodes refuse an s above it (EIP-2), and contracts that check signatures do (ERC-2098). */
const mostS = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n

/** The signature of an account whose key is held elsewhere: 65 bytes. */
function asSignature(value: unknown): Hex {
  const isSignature = typeof value === 'string' && /^0x[0-9a-fA-F]{130}$/.test(value) && isHex(value)
  if (isSignature && BigInt(`0x${value.slice(66, 130)}`) <= mostS) return value
  throw nonsense()
}

/** A library's complaint about foreign bytes is the backend's fault and says nothing to a caller. */
function readable<T>(read: () => T): T {
  try {
    return read()
  } catch {
    throw nonsense()
  }
}

function nonsense(): WalletError {
  return new WalletError('SIGNER_UNAVAILABLE', 'The backend answered something that is no signature.', {
    details: { what: 'signature' },
  })
}
