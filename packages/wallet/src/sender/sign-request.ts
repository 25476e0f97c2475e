import { setTimeout as sleep } from 'node:timers/promises'
import {
  keccak256,
  parseTransaction,
  type Address,
  type Hex,
  type PublicClient,
  type SignedAuthorization,
  type TransactionSerializable,
} from 'viem'
import type { Chain } from '../chain.ts'
import type { Journal, JournalEntry } from '../journal.ts'
import type { AuthorizationToSign } from '../signer.ts'
import { WalletError } from '../wallet-error.ts'
import { isRefused, noncesOf } from './entry-state.ts'

/**
 * Signs a request into the journal at the next free nonce. A request and step that were signed before give the entry of
 * that time back. Throws `WalletError`: `REQUEST_CONFLICT`, `NONCE_CONTENDED`, `NONCE_AHEAD_OF_CHAIN`; the client's error
 * when the chain's count cannot be read; or what `allow` of the request throws.
 */
export async function signRequest(context: SignContext, request: SignRequest): Promise<JournalEntry> {
  // Read along with the count; the answer is wanted when the bytes go out. Where none do, its request is not left behind.
  const looked = context.delegation.stands()
  return signOnce(context, request).catch(async (error: unknown) => {
    await looked
    throw error
  })
}

/** One call to sign. Request id and step together name it: signed once, it is never signed for another call. */
export type SignRequest = {
  readonly requestId: string
  /** Position of the call in its request, from 0. */
  readonly step: number
  /** `null` creates a contract of `data`. */
  readonly to: Address | null
  readonly data: Hex
  readonly valueWei: bigint
  readonly gasLimit: bigint
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  readonly reservationId: string | null
  /**
   * The last word: asked when everything else is waited for, right before the signature, and again when the signature is
   * there, before it is recorded. What it throws refuses the request, and bytes that were signed meanwhile are dropped.
   * It is given the nonce that the signature is for.
   */
  readonly allow: (nonce: number) => Promise<void>
  /** How many transactions of the wallet the chain counts, where that is known already; else it is read. */
  readonly latestCount?: number
  /**
   * The account runs the code at this address from the transaction on (EIP-7702), which then uses two nonces: its own, and the
   * next for the authorization that goes with it.
   */
  readonly delegateTo?: Address
  /** It goes to the private endpoint of the sender alone. */
  readonly isPrivate?: boolean
  /** Commits what was signed in place of the journal's own `recordSigned`, and by its rules: for what must be in the same commit. */
  readonly record?: Journal['recordSigned']
}

/** What the sender needs of a wallet. */
export type TransactionSigner = {
  readonly address: Address
  /** Waits for what the wallet needs before it can sign. What may still say no is asked after it. */
  ready?(): Promise<void>
  signTransaction(transaction: TransactionSerializable): Promise<Hex>
  /** Absent where no account is ever delegated. */
  signAuthorization?(authorization: AuthorizationToSign): Promise<SignedAuthorization>
}

export type SignContext = {
  readonly wallet: TransactionSigner
  readonly client: PublicClient
  readonly chain: Pick<Chain, 'id' | 'blockTimeSeconds'>
  readonly journal: Journal
  readonly delegation: Delegation
  /** Runs one signature after the other. */
  readonly inTurn: <Result>(work: () => Promise<Result>) => Promise<Result>
}

async function signOnce(context: SignContext, request: SignRequest): Promise<JournalEntry> {
  const { wallet, chain, inTurn } = context
  for (let tries = 0; tries < mostTries; tries += 1) {
    // Outside the lock, so that parallel requests share a batch: the journal, not this count, keeps ours apart. A count
    // that was handed in is believed once; when the journal contradicts it, the chain is asked.
    const latestCount = (tries === 0 ? request.latestCount : undefined) ?? (await countOf(context))
    const outcome = await inTurn(() => signAt(context, request, latestCount))
    if (typeof outcome === 'object') return outcome
    if (outcome === 'behind') {
      if (tries === mostTries - 1) throw aheadOfChain(chain.id, wallet.address)
      await sleep(Math.min(Math.max(chain.blockTimeSeconds * 250, 100), 1000))
    }
  }
  throw new WalletError('NONCE_CONTENDED', `Other senders of ${wallet.address} took ${mostTries} nonces in a row.`, {
    details: { chainId: chain.id, address: wallet.address },
  })
}

const mostTries = 5

async function signAt(
  context: SignContext,
  request: SignRequest,
  latestCount: number,
): Promise<JournalEntry | 'behind' | 'taken'> {
  const { wallet, chain, journal } = context
  const { requestId, step, reservationId, record = (entry) => journal.recordSigned(entry) } = request
  const before = (await journal.byRequest(requestId)).findLast((entry) => entry.step === step)
  if (before !== undefined) return signedBefore(before, request)
  const ownNext = (await journal.nextNonce(chain.id, wallet.address)) ?? 0
  if (latestCount > ownNext) await requireTwice(context, latestCount)
  const place = await allocateNonce(journal, chain.id, wallet.address, latestCount, ownNext)
  if (place === 'behind') return place
  await wallet.ready?.()
  // Nothing is waited for between this and a signature.
  await request.allow(place.nonce)
  const authorizations = await authorizationsOf(context, request, place.nonce)
  if (authorizations.type === 'eip7702') await request.allow(place.nonce)
  const rawTransaction = await wallet.signTransaction({
    ...authorizations,
    chainId: chain.id,
    nonce: place.nonce,
    to: request.to,
    data: request.data,
    value: request.valueWei,
    gas: request.gasLimit,
    // One wei more for each refused attempt, else the same call at the same nonce would be the same bytes again.
    maxFeePerGas: request.maxFeePerGas + BigInt(place.attempt),
    maxPriorityFeePerGas: request.maxPriorityFeePerGas,
  })
  // A backend elsewhere may take seconds. What is refused now was never recorded: no one has the bytes to send.
  await request.allow(place.nonce)
  // From here on nodes take one transaction at a time.
  if (authorizations.type === 'eip7702') context.delegation.note()
  const slot = { requestId, step, reservationId, chainId: chain.id, from: wallet.address, ...place }
  try {
    return await record({
      ...slot,
      rawTransaction,
      hash: keccak256(rawTransaction),
      ...(request.isPrivate === true ? { submission: 'private' as const } : {}),
    })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'JOURNAL_CONFLICT') return 'taken'
    throw error
  }
}

/** An authorization is applied after the transaction has counted the nonce up (EIP-7702). */
async function authorizationsOf(
  { wallet, chain }: SignContext,
  { delegateTo }: SignRequest,
  nonce: number,
): Promise<
  | { readonly type: 'eip1559' }
  | { readonly type: 'eip7702'; readonly authorizationList: readonly SignedAuthorization[] }
> {
  if (delegateTo === undefined) return { type: 'eip1559' }
  if (wallet.signAuthorization === undefined) {
    throw new WalletError('SIGNING_UNSUPPORTED', 'This wallet signs no EIP-7702 authorizations.', {
      details: { kind: 'authorization' },
    })
  }
  const authorization = { contractAddress: delegateTo, chainId: chain.id, nonce: nonce + 1 }
  return { type: 'eip7702', authorizationList: [await wallet.signAuthorization(authorization)] }
}

/**
 * A count above the journal's own means that another sender used the key, or that the endpoint errs: and a nonce signed
 * above the true one would block every later transaction. So such a count is believed only when it is read twice.
 */
async function requireTwice(context: SignContext, latestCount: number): Promise<void> {
  const { wallet, chain } = context
  const again = await countOf(context)
  if (again === latestCount) return
  throw new WalletError(
    'NONCE_CONTENDED',
    `Chain ${chain.id} counted ${latestCount} transactions of ${wallet.address}, then ${again}; nothing was signed.`,
    { details: { chainId: chain.id, address: wallet.address, counted: [latestCount, again] } },
  )
}

function countOf({ wallet, client }: SignContext): Promise<number> {
  return client.getTransactionCount({ address: wallet.address, blockTag: 'latest' })
}

function signedBefore(entry: JournalEntry, request: SignRequest): JournalEntry {
  const { to, data = '0x', value = 0n } = parseTransaction(entry.rawTransaction)
  // Whether it delegates the account as well is no other call.
  const isSameTarget = (to ?? null)?.toLowerCase() === request.to?.toLowerCase()
  if (isSameTarget && data === request.data && value === request.valueWei) return entry
  throw new WalletError(
    'REQUEST_CONFLICT',
    `Step ${request.step} of request ${request.requestId} was signed before for another call.`,
    { details: { requestId: request.requestId, step: request.step, hash: entry.hash } },
  )
}

function aheadOfChain(chainId: number, address: Address): WalletError {
  return new WalletError(
    'NONCE_AHEAD_OF_CHAIN',
    `The journal holds settled transactions that chain ${chainId} does not count: its endpoint lags, or the chain was reset.`,
    { details: { chainId, address } },
  )
}

/**
 * Chooses the nonce of the next transaction: the lowest one that neither the chain (`latestCount`) nor the journal
 * (`ownNext`, its `nextNonce`) has used. Normally that is the larger of the two counts; a nonce left free below open
 * ones (its bytes were refused) is taken first, since the open ones wait for it. What delegates the account has two nonces. `behind` means the journal holds
 * settled transactions that the chain does not count: the endpoint lags, or the chain was reset.
 */
export async function allocateNonce(
  journal: Journal,
  chainId: number,
  from: Address,
  latestCount: number,
  ownNext: number,
): Promise<{ readonly nonce: number; readonly attempt: number } | 'behind'> {
  const open = new Set((await journal.open(chainId, from)).flatMap(noncesOf))
  const next = Math.max(ownNext, latestCount, ...[...open].map((nonce) => nonce + 1))
  if (next > latestCount && open.size === 0) return 'behind'
  const lowest = Math.max(latestCount, next - widestGap)
  for (let nonce = lowest; nonce <= next; nonce += 1) {
    if (open.has(nonce)) continue
    const attempts = await journal.byNonce(chainId, from, nonce)
    if (attempts.every(isRefused)) return { nonce, attempt: attempts.length }
  }
  return { nonce: next, attempt: 0 }
}

/** How far below the newest nonce a free one is looked for. */
const widestGap = 256

/**
 * Knows whether an account's code is delegated (EIP-7702: 0xef0100 and an address), read at most every half minute and
 * once for all who ask together. An endpoint that does not answer counts as "no": then the node's own refusal tells.
 */
export function createDelegation(client: PublicClient, address: Address): Delegation {
  let known: { readonly answer: Promise<boolean>; readonly until: number } | null = null
  const remember = (answer: Promise<boolean>): Promise<boolean> => {
    known = { answer, until: performance.now() + freshForMs }
    return answer
  }
  const read = async (): Promise<boolean> => {
    try {
      return (await client.getCode({ address }))?.toLowerCase().startsWith('0xef0100') ?? false
    } catch {
      known = null
      return false
    }
  }
  return {
    stands: () => (known !== null && performance.now() < known.until ? known.answer : remember(read())),
    note: () => void remember(Promise.resolve(true)),
  }
}

export type Delegation = {
  /** Never rejects. */
  stands(): Promise<boolean>
  /** Believes in a delegation because a node spoke of one. */
  note(): void
}

const freshForMs = 30_000
