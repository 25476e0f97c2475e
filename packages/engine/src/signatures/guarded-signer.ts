import { type Refusal, throwFirst } from '../context/refusal.ts'
import { checkSiwe } from './check-siwe.ts'
import { checkAgentWallet, checkOrder, checkPermit, checkUserOperation } from './check-typed-data.ts'
import { readTypedData } from './read-typed-data.ts'
import type { SignatureContext, SignatureRequest } from './signature-context.ts'
import type { TransactionSigner } from '@svc/wallet/core'
import type { Hex, TypedDataDefinition } from 'viem'

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

/**
 * Says whether something beside a transaction may be signed: `null`, or why not. Only five kinds ever are, each bound to
 * this chain, its known contract, and a grant of the present call: Permit2 allowances, the registry's AgentWalletSet, user
 * operations of EntryPoint 0.8, orders of known reactors, and log-ins at known domains. Raw hashes never are.
 */
export function checkSignature(request: SignatureRequest, context: SignatureContext): Refusal | null {
  const reason = reasonAgainst(request, context)
  return reason === null ? null : { code: 'SIGNATURE_NOT_ALLOWED', message: reason }
}

function reasonAgainst(request: SignatureRequest, context: SignatureContext): string | null {
  if (request.kind === 'hash') return 'A raw hash says nothing about what is signed.'
  if (request.kind === 'message') return checkSiwe(request.message, context)
  const read = readTypedData(request.typedData)
  if (read === null) return 'This is none of the few kinds of typed data that are signed, in their exact form.'
  if (read.chainId !== BigInt(context.chain.id)) return 'The typed data is bound to another chain.'
  return checks[read.signable.kind](read, context)
}

const checks = {
  permit2: checkPermit,
  'agent-wallet': checkAgentWallet,
  'user-operation': checkUserOperation,
  order: checkOrder,
} as const
