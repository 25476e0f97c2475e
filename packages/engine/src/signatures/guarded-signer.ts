import { type Address, getAddress, type Hex, isAddressEqual, type TypedDataDefinition } from 'viem'
import { createSiweMessage, parseSiweMessage } from 'viem/siwe'
import type { SignatureContext, SignatureRequest } from './signable.ts'
import { type Refusal, throwFirst } from '../call/refusal.ts'
import {
  checkAgentWallet,
  checkOrder,
  checkPermit,
  checkPositionPermit,
  checkUserOperation,
  readTypedData,
} from './typed-data.ts'
import type { AuthorizationToSign, Signer, TransactionSigner } from '@svc/wallet/core'

/**
 * Lays the signature surface over a wallet: transactions pass, because only the pipeline signs them; whatever else is to be
 * signed passes a check first. What is checked is a copy, and the copy is what is signed. Throws
 * `SIGNATURE_NOT_ALLOWED`.
 */
export function guardedSigner(wallet: WholeSigner, delegateOn: DelegateOn = () => undefined): GuardedSigner {
  return Object.freeze({
    address: wallet.address,
    signAuthorization: async (authorization: AuthorizationToSign) => {
      const copy = { ...authorization }
      const refusal = checkAuthorization(copy, delegateOn)
      if (refusal !== null) throwFirst([refusal])
      return wallet.signAuthorization(copy)
    },
    signTransaction: (...words: Parameters<WholeSigner['signTransaction']>) => wallet.signTransaction(...words),
    signGranted: async (typedData: TypedDataDefinition, context: SignatureContext) => {
      const copy = structuredClone(typedData)
      refuse({ kind: 'typed-data', typedData: copy }, context, wallet)
      return wallet.signTypedData(copy)
    },
  })
}

/**
 * The guarded wallet as what makes a user operation wants it. What is signed is known only once bundler and paymaster have answered, so
 * the grant is worked out from the operation itself, and `allow` is asked right before each signature.
 */
export function operationSignerOf(
  signer: Pick<GuardedSigner, 'signGranted' | 'signAuthorization'>,
  { allow, grantFor }: OperationGrants,
): Pick<Signer, 'signTypedData' | 'signAuthorization'> {
  return {
    signAuthorization: async (authorization) => {
      await allow()
      return await signer.signAuthorization(authorization)
    },
    signTypedData: async ({ message, ...kind }) => {
      // The place of the signature itself is no part of what is signed.
      const fields = Object.fromEntries(Object.entries({ ...message }).filter(([name]) => name !== 'signature'))
      const granted = grantFor(fields)
      await allow()
      return await signer.signGranted({ ...kind, message: fields }, granted)
    },
  }
}

type OperationGrants = {
  readonly allow: () => Promise<void>
  /** Throws what refuses it. */
  readonly grantFor: (operation: Readonly<Record<string, unknown>>) => SignatureContext
}

/** What a wallet can do. It signs no messages yet; once it does, they go the same way. */
export type WholeSigner = Required<Pick<TransactionSigner, 'address' | 'signTransaction' | 'signAuthorization'>> & {
  signTypedData(typedData: TypedDataDefinition): Promise<Hex>
}

/** The batch delegate that the policy in force names on a chain. */
export type DelegateOn = (chainId: number) => Address | undefined

export type GuardedSigner = Required<Pick<TransactionSigner, 'address' | 'signTransaction' | 'signAuthorization'>> & {
  /** Signs what a grant of the context covers. Throws `SIGNATURE_NOT_ALLOWED`. */
  readonly signGranted: (typedData: TypedDataDefinition, context: SignatureContext) => Promise<Hex>
}

/**
 * Says whether the wallet may be delegated (EIP-7702): to the batch delegate that the operator names on this one chain, and to
 * nothing else. One for chain 0 would hold on every chain. What code stands there is looked at before.
 */
function checkAuthorization({ contractAddress, chainId }: AuthorizationToSign, delegateOn: DelegateOn): Refusal | null {
  const delegate = chainId === 0 ? undefined : delegateOn(chainId)
  if (delegate !== undefined && isAddressEqual(delegate, contractAddress)) return null
  const message = 'The wallet is delegated to nothing but the batch delegate that the policy names on the chain.'
  return { code: 'SIGNATURE_NOT_ALLOWED', message }
}

function refuse(request: SignatureRequest, context: SignatureContext, { address }: WholeSigner): void {
  const refusal = checkSignature(request, { ...context, wallet: address })
  if (refusal !== null) throwFirst([refusal])
}

/**
 * Says whether something beside a transaction may be signed: `null`, or why not. Only six kinds ever are, each bound to
 * this chain, its known contract, and a grant of the present call: Permit2 allowances, permits of v3 positions, the registry's
 * AgentWalletSet, user operations of EntryPoint 0.8, orders of known reactors, and log-ins at known domains. Raw hashes never are.
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
  'position-permit': checkPositionPermit,
  'agent-wallet': checkAgentWallet,
  'user-operation': checkUserOperation,
  order: checkOrder,
} as const

/**
 * A log-in message (EIP-4361) and no other text: in its exact form, for this wallet and chain, at a known domain that
 * this call logs in at, and ending within 15 minutes. Says why not, or `null`.
 */
function checkSiwe(message: unknown, context: SignatureContext): string | null {
  const { chain, wallet, nowSeconds, siweDomains, grants } = context
  const noLogin = 'Only log-in messages in their exact form are signed, no other text.'
  if (typeof message !== 'string' || message.length > longestMessage || !/^[ -~\n]*$/.test(message)) return noLogin
  const parts = parseSiweMessage(message)
  const { domain, uri, nonce, address, chainId, version, issuedAt, expirationTime, notBefore, requestId } = parts
  if (domain === undefined || uri === undefined || nonce === undefined || address === undefined) return noLogin
  if (chainId === undefined || version !== '1' || issuedAt === undefined || expirationTime === undefined) return noLogin
  if (notBefore !== undefined || requestId !== undefined || parts.resources !== undefined) return noLogin
  if (parts.scheme !== undefined) return noLogin
  const { statement } = parts
  const rebuilt = rebuild({ domain, uri, nonce, address, chainId, version, issuedAt, expirationTime, statement })
  // A second reading of the same text must find nothing that the first has not.
  if (rebuilt !== message) return noLogin
  if (address !== getAddress(wallet)) return 'The log-in is of another wallet.'
  if (chainId !== chain.id) return 'The log-in is bound to another chain.'
  if (!siweDomains.has(domain) || hostOf(uri) !== domain) return 'The log-in is at a domain the policy does not know.'
  const [from, until] = [issuedAt.getTime() / 1000, expirationTime.getTime() / 1000]
  if (!(from <= nowSeconds + clockSkew && until > nowSeconds && until <= nowSeconds + longestLogin)) {
    return 'The log-in can be used for too long, or no longer.'
  }
  const isGranted = grants.some(
    (grant) => grant.kind === 'siwe' && grant.domain === domain && grant.uri === uri && grant.nonce === nonce,
  )
  return isGranted ? null : 'Nobody asked for this log-in.'
}

const longestMessage = 4_096
const longestLogin = 15 * 60
const clockSkew = 60

function rebuild(parts: Parameters<typeof createSiweMessage>[0] | WithUndefined): string | null {
  try {
    const { statement, ...others } = parts
    return createSiweMessage(statement === undefined ? others : { ...others, statement })
  } catch {
    return null
  }
}

type WithUndefined = Omit<Parameters<typeof createSiweMessage>[0], 'statement'> & {
  readonly statement: string | undefined
}

function hostOf(uri: string): string | null {
  return URL.canParse(uri) ? new URL(uri).host : null
}
