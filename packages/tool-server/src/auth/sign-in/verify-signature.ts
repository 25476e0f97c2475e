import { ToolError } from '@svc/amm'
import {
  type Address,
  concatHex,
  encodeAbiParameters,
  erc6492SignatureValidatorByteCode,
  type Hex,
  hashMessage,
  isAddressEqual,
  type PublicClient,
  recoverMessageAddress,
  size,
} from 'viem'

/** Whether the key of an address signed a message (EIP-191). Nobody is asked. */
export async function isSignedByKey({ address, message, signature }: SignedText): Promise<boolean> {
  if (size(signature) !== 65) return false
  const signer = await recoverMessageAddress({ message, signature }).catch(() => null)
  return signer !== null && isAddressEqual(signer, address)
}

/**
 * Whether a contract at the address takes the signature for its own (ERC-1271), or one that the signature brings along to be put there
 * (ERC-6492). The chain plays that, within bounded gas, and answers with one byte. Throws `RPC_*` where it cannot be asked.
 */
export async function isSignedByContract(
  { address, message, signature }: SignedText,
  client: Pick<PublicClient, 'call'>,
): Promise<boolean> {
  const question = encodeAbiParameters(questionForm, [address, hashMessage(message), signature])
  try {
    const { data } = await client.call({ data: concatHex([erc6492SignatureValidatorByteCode, question]), gas: mostGas })
    return data === yes
  } catch (error) {
    if (error instanceof ToolError) throw error
    // It reverted, or burnt its gas: the endpoint did its part.
    return false
  }
}

export type SignedText = { readonly address: Address; readonly message: string; readonly signature: Hex }

const questionForm = [{ type: 'address' }, { type: 'bytes32' }, { type: 'bytes' }] as const

/** What the validating code answers where the signature holds; a contract's own answer never gets that far. */
const yes = '0x01'

/** Ten times what a wallet with a passkey takes, and some milliseconds of a node. It also bounds the memory that an answer can be made of. */
const mostGas = 3_000_000n
