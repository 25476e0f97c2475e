import {
  type Address,
  type Hex,
  isAddressEqual,
  isHex,
  keccak256,
  parseTransaction,
  recoverAddress,
  recoverMessageAddress,
  recoverTypedDataAddress,
  serializeTransaction,
  type SignableMessage,
  type SignedAuthorization,
  type TransactionSerializable,
  type TypedDataDefinition,
} from 'viem'
import { recoverAuthorizationAddress } from 'viem/utils'
import type { AuthorizationToSign } from '../signer.ts'
import { WalletError } from '../wallet-error.ts'

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
