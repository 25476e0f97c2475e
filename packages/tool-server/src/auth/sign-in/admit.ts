import { type ErrorDetail, ToolError } from '@svc/amm'
import { onStorage, type Policy, signInScopes } from '@svc/engine'
import { inTime, isRecord } from '@svc/runtime'
import type { SignIns } from '@svc/store'
import type { Chain } from '@svc/wallet/core'
import {
  type Hex,
  type Address,
  concatHex,
  encodeAbiParameters,
  erc6492SignatureValidatorByteCode,
  hashMessage,
  isAddressEqual,
  type PublicClient,
  recoverMessageAddress,
  size,
} from 'viem'
import type { Nonces } from './nonces.ts'
import { candidates, readAgent, type RegistryPlace } from './read-agent.ts'
import { requireClock } from './require-clock.ts'
import { type ExpectedMessage, readMessage, type SignInMessage } from './read-message.ts'
import type { WalletSignIn, WalletPlace } from './sign-in.ts'
import type { SignInKnowledge } from './sign-in-state.ts'
import { claimsOf, mostSkewMs, signToken, type TokenClaims, type TokenPlace } from './tokens.ts'

/**
 * Takes signed challenges for tokens, one check after the other, the cheap ones first. A nonce is used up before anything is asked of the chain:
 * whatever becomes of the attempt, the next one takes another challenge.
 */
export function createAdmit(deps: AdmitDeps): WalletSignIn['admit'] {
  const { signIns, nonces, state, policies, now } = deps
  let onChain = 0
  async function oneOfFew<Value>(work: () => Promise<Value>): Promise<Value> {
    if (onChain >= mostOnChain)
      throw new ToolError('SERVER_BUSY', 'Too many sign-ins are being looked up on the chain.')
    onChain += 1
    try {
      return await inTime(work(), onChainMs).catch(reportLate)
    } finally {
      onChain -= 1
    }
  }
  return async (body) => {
    const { text, signature } = readBody(body)
    const message = readMessage(text, deps.expected())
    const nonceExpiresAt = nonces.expiryOf(message.nonce)
    requireOurTime(message, nonceExpiresAt, now())
    if (state.isRevoked(`address:${message.address}`)) throw refused('The address was revoked.')
    const isFirst = await onStorage('sign-ins', () => signIns.spendNonce(message.nonce, nonceExpiresAt ?? 0))
    if (!isFirst) throw refused('The challenge was used before.')
    const { agentId, role } = await oneOfFew(() => identify({ message, text, signature }, deps))
    const policy = await policies.current().catch(withoutPolicy)
    const caller = { address: message.address, agentId, role }
    const granted = { ...caller, scopes: signInScopes(policy, caller) }
    const claims = claimsOf({ place: deps.place(), issuedAt: now() }, granted)
    await onStorage('the audit log', () => deps.onAdmitted(claims))
    // Last, since keys may have been changed meanwhile: what a withdrawn one signs is taken by nobody.
    const key = await onStorage('sign-ins', () => state.signingKey())
    const token = await signToken(claims, key)
    return { token, tokenType: 'Bearer', expiresAt: new Date(claims.exp * 1_000).toISOString(), claims }
  }
}

export type AdmitDeps = Omit<RegistryPlace, 'client'> & {
  readonly client: WalletPlace['client']
  readonly chain: Pick<Chain, 'name' | 'local' | 'maxHeadAgeSeconds'>
  /** Hears of a clock that is far from the chain's. */
  readonly onClockOff: (facts: Readonly<Record<string, unknown>>) => void
  readonly signIns: Pick<SignIns, 'spendNonce'>
  readonly nonces: Nonces
  readonly state: Pick<SignInKnowledge, 'isRevoked' | 'signingKey'>
  readonly policies: { current(): Promise<Policy> }
  readonly expected: () => ExpectedMessage
  readonly place: () => TokenPlace
  /** Puts it on record. What cannot be put there gets no token. */
  readonly onAdmitted: (claims: TokenClaims) => Promise<void>
  /** Unix milliseconds. */
  readonly now: () => number
}

/** How many sign-ins ask the chain at once, and how long one may. */
const mostOnChain = 8
const onChainMs = 10_000

function readBody(body: unknown): { readonly text: string; readonly signature: Hex } {
  const faults: ErrorDetail[] = []
  const given = isRecord(body) ? body : {}
  const { message, signature, ...more } = given
  if (typeof message !== 'string' || message.length > mostMessageLength) {
    faults.push({ field: 'message', message: `accepted: the signed message, at most ${mostMessageLength} characters` })
  }
  if (typeof signature !== 'string' || !signatureForm.test(signature)) {
    faults.push({ field: 'signature', message: 'accepted: 0x and at most 8192 bytes in hex' })
  }
  if (Object.keys(more).length > 0) faults.push({ message: 'accepted: message and signature alone' })
  if (faults.length === 0) return { text: message as string, signature: signature as Hex }
  throw new ToolError('VALIDATION_FAILED', 'The body is not { "message", "signature" }.', { details: faults })
}

const mostMessageLength = 4_096
const signatureForm = /^0x(?:[0-9a-fA-F]{2}){1,8192}$/

/** Within the life of a challenge of ours, and no longer: other clocks may only differ by a little as to its beginning. */
function requireOurTime({ issuedAt, expirationTime }: SignInMessage, nonceExpiresAt: number | null, at: number): void {
  if (nonceExpiresAt === null) throw refused('The nonce is none of this server.')
  if (nonceExpiresAt <= at || expirationTime <= at) throw refused('The challenge is over.')
  if (expirationTime > nonceExpiresAt) throw refused('The message is to hold longer than the challenge.')
  if (issuedAt > at + mostSkewMs || issuedAt >= expirationTime) throw refused('The message is of a time to come.')
}

/**
 * Whose signature it is, and as which agent: the key alone, or the chain, in two exchanges with its endpoint at most. The last of them says whether this
 * server and the chain have the same time.
 */
async function identify(
  signed: { readonly message: SignInMessage; readonly text: string; readonly signature: Hex },
  deps: AdmitDeps,
): Promise<Pick<TokenClaims, 'agentId' | 'role'>> {
  const { address, agentId } = signed.message
  const wallet = { address, message: signed.text, signature: signed.signature }
  const isByKey = await isSignedByKey(wallet)
  const tokenIds = await candidates(deps, address, agentId)
  const [isByContract, agent, head] = await Promise.all([
    isByKey || isSignedByContract(wallet, deps.client),
    readAgent(deps, address, tokenIds),
    deps.client.getBlock(),
  ])
  requireClock(head, deps)
  if (!isByContract) throw refused('The signature is not that of the address.')
  if (agent === null && agentId !== null)
    throw refused('The registry does not know the address as owner or wallet of the agent.')
  const { chainId } = deps.expected()
  return agent === null ? { agentId: null, role: null } : { agentId: `${chainId}:${agent.tokenId}`, role: agent.role }
}

/** What is wrong with it the log says, and nobody who is not known. */
function withoutPolicy(cause: unknown): never {
  throw new ToolError('POLICY_INVALID', 'What callers may do cannot be read now.', { cause })
}

function refused(message: string): ToolError {
  return new ToolError('SIGN_IN_REFUSED', message)
}

function reportLate(error: unknown): never {
  if (!(error instanceof DOMException && error.name === 'TimeoutError')) throw error
  throw new ToolError('RPC_TIMEOUT', 'The endpoint of the chain did not answer in time.', { cause: error })
}

/** Whether the key of an address signed a message (EIP-191). Nobody is asked. */
async function isSignedByKey({ address, message, signature }: SignedText): Promise<boolean> {
  if (size(signature) !== 65) return false
  const signer = await recoverMessageAddress({ message, signature }).catch(() => null)
  return signer !== null && isAddressEqual(signer, address)
}

/**
 * Whether a contract at the address takes the signature for its own (ERC-1271), or one that the signature brings along to be put there
 * (ERC-6492). The chain plays that, within bounded gas, and answers with one byte. Throws `RPC_*` where it cannot be asked.
 */
async function isSignedByContract(
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
