import type { TransactionSigner } from '@svc/wallet/core'
import type { Hex, TypedDataDefinition } from 'viem'
import { throwFirst } from '../context/refusal.ts'
import { checkSignature } from './check-signature.ts'
import type { SignatureContext, SignatureRequest } from './signature-context.ts'

/**
 * Lays the signature surface over a wallet: transactions pass, because only the pipeline signs them; whatever else is to be
 * signed passes `checkSignature` first. What is checked is a copy, and the copy is what is signed. Throws
 * `SIGNATURE_NOT_ALLOWED`.
 */
export function guardedSigner(wallet: WholeSigner): GuardedSigner {
  return Object.freeze({
    address: wallet.address,
    signTransaction: (...words: Parameters<WholeSigner['signTransaction']>) => wallet.signTransaction(...words),
    signTypedData: async (typedData: TypedDataDefinition, context: SignatureContext) => {
      const copy = structuredClone(typedData)
      refuse({ kind: 'typed-data', typedData: copy }, context, wallet)
      return wallet.signTypedData(copy)
    },
  })
}

/** What a wallet can do. It signs no messages yet; once it does, they go the same way. */
export type WholeSigner = TransactionSigner & { signTypedData(typedData: TypedDataDefinition): Promise<Hex> }

export type GuardedSigner = TransactionSigner & {
  signTypedData(typedData: TypedDataDefinition, context: SignatureContext): Promise<Hex>
}

function refuse(request: SignatureRequest, context: SignatureContext, { address }: WholeSigner): void {
  const refusal = checkSignature(request, { ...context, wallet: address })
  if (refusal !== null) throwFirst([refusal])
}
