import type { Claim, Store } from '@svc/store'
import { type Chain, isNeverMined, type JournalEntry, type Sender, WalletError } from '@svc/wallet/core'
import { type PublicClient, TransactionReceiptNotFoundError } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import type { FaucetLog } from '../endpoints.ts'
import { addressOf, type Cost, costOf, type HeldUpBy, type Round } from './open-round.ts'

/**
 * What stands for the claim, signed now or earlier; `settled` when it has failed, `later` when nothing is signed for it
 * now, or what holds every claim up. Rejects when the store fails or the lease is gone, and for no wallet's sake.
 */
export async function signFor(
  term: PayTerm,
  sender: Sender,
  round: Round,
  claim: Claim,
): Promise<JournalEntry | 'later' | 'settled' | HeldUpBy> {
  const { chain, store, log } = term
  const earlier = await store.journal.byRequest(claim.id)
  if (claim.state === 'queued' && !(await areSpent(term, earlier))) return rest(term, claim)
  const standing = standingOf(earlier, claim)
  if (standing !== null && (await mayBeMined(term, round, standing))) {
    return standing.state === 'refused' ? rest(term, claim) : standing
  }
  const cost = costOf(round, claim)
  if (cost === 'never') return fail(term, claim)
  if (cost === 'in-doubt') return doubt(term, claim)
  if (cost === 'too-dear' || cost === 'unanswered') return rest(term, claim)
  if (typeof cost === 'string') return cost
  term.doubts.delete(claim.id)
  const step = earlier.length === 0 ? 0 : Math.max(...earlier.map((entry) => entry.step)) + 1
  try {
    const entry = await sender.sign(requestOf(claim, step, round, cost))
    round.leftWei -= cost.worstWei
    log.debug('faucet.signed', { claimId: claim.id, hash: entry.hash })
    return entry
  } catch (error) {
    if (!(error instanceof WalletError)) throw error
    if (error.code === 'NONCE_AHEAD_OF_CHAIN') return 'nonce'
    log.warn('faucet.unsigned', { chainId: chain.id, claimId: claim.id, err: error })
    return rest(term, claim)
  }
}

/** What paying one claim needs of the term that leads. */
export type PayTerm = {
  readonly chain: Chain
  readonly client: PublicClient
  readonly account: PrivateKeyAccount
  readonly store: Pick<Store, 'claims' | 'journal'>
  readonly log: FaucetLog
  readonly backoff: Backoff
  /** By the id of a claim: how often in a row an endpoint failed at it, and at nothing beside it. */
  readonly doubts: Map<string, number>
  /** What the log has of it already. */
  readonly reported: Set<string>
}

/** So often an endpoint may fail at one transfer, and answer for a plain one beside it, before the claim has failed. */
const mostDoubts = 3

/** The last of what was signed that may be mined; of a claim that is queued again, what has reverted is spent. */
function standingOf(earlier: readonly JournalEntry[], { state }: Claim): JournalEntry | null {
  const isSpent = (entry: JournalEntry) => isNeverMined(entry) || (entry.state === 'reverted' && state === 'queued')
  return earlier.findLast((entry) => !isSpent(entry)) ?? null
}

/**
 * Whether what has reverted for a claim stands so on the chain still. Where the chain has undone that, the payment may
 * succeed: what has is an end of the bytes that the journal is to find.
 */
async function areSpent({ client, store }: PayTerm, earlier: readonly JournalEntry[]): Promise<boolean> {
  for (const entry of earlier) {
    if (entry.state !== 'reverted') continue
    const status = await receiptStatus(client, entry).catch(() => null)
    if (status === 'success') await store.journal.mark(entry.hash, 'refused')
    if (status !== 'reverted') return false
  }
  return true
}

/** Bytes that were declined may be out all the same: only their own nonce is safe to sign for the claim again. */
async function mayBeMined({ chain, account, store }: PayTerm, round: Round, standing: JournalEntry): Promise<boolean> {
  if (standing.state !== 'refused') return true
  if (standing.from.toLowerCase() !== account.address.toLowerCase()) return true
  const [next, open] = await Promise.all([
    store.journal.nextNonce(chain.id, account.address),
    store.journal.open(chain.id, account.address),
  ])
  const lowestFree = lowestBut(new Set(open.map(({ nonce }) => nonce)), round.latestCount)
  return lowestFree !== standing.nonce || Math.max(next ?? 0, round.latestCount) !== standing.nonce
}

function lowestBut(taken: ReadonlySet<number>, from: number): number {
  let nonce = from
  while (taken.has(nonce)) nonce += 1
  return nonce
}

function rest({ backoff }: PayTerm, claim: Claim): 'later' {
  backoff.postpone(claim.id)
  return 'later'
}

function doubt(term: PayTerm, claim: Claim): 'later' | Promise<'settled'> {
  const times = (term.doubts.get(claim.id) ?? 0) + 1
  term.doubts.set(claim.id, times)
  return times < mostDoubts ? rest(term, claim) : fail(term, claim)
}

async function fail({ chain, store, backoff, doubts, log }: PayTerm, claim: Claim): Promise<'settled'> {
  log.warn('faucet.declined', { chainId: chain.id, claimId: claim.id })
  await store.claims.mark(claim.id, 'failed', null)
  backoff.forget(claim.id)
  doubts.delete(claim.id)
  return 'settled'
}

function requestOf(
  claim: Claim,
  step: number,
  { fees, latestCount }: Round,
  { gasLimit }: Cost,
): Parameters<Sender['sign']>[0] {
  return {
    requestId: claim.id,
    step,
    to: addressOf(claim),
    data: '0x',
    valueWei: claim.amountWei,
    gasLimit,
    ...fees,
    reservationId: null,
    allow: async () => {},
    latestCount,
  }
}

/** How a transaction ended on the chain; `null` while it holds none. Rejects when the endpoint does not answer. */
export async function receiptStatus(
  client: PublicClient,
  { hash }: Pick<JournalEntry, 'hash'>,
): Promise<'success' | 'reverted' | null> {
  try {
    return (await client.getTransactionReceipt({ hash })).status
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return null
    throw error
  }
}

/**
 * Lets what did not succeed rest: a second at first, twice as long each further time, five minutes at most. What failed
 * again and again while nothing succeeded was hardly to blame: the first success ends all rests.
 */
export function createBackoff(now: () => number): Backoff {
  const rests = new Map<string, Rest>()
  return {
    postpone(id) {
      const { times: before = 0, inVain = 0 } = rests.get(id) ?? {}
      const until = now() + Math.min(firstMs * 2 ** before, mostMs)
      rests.set(id, { times: before + 1, inVain: inVain + 1, until })
      return before + 1
    },
    forget: (id) => void rests.delete(id),
    succeeded() {
      const wasOutage = [...rests.values()].some(({ inVain }) => inVain > 1)
      for (const [id, { times, until }] of rests) rests.set(id, { times, inVain: 0, until: wasOutage ? now() : until })
    },
    resting: () => [...rests].filter(([, { until }]) => until > now()).map(([id]) => id),
  }
}

type Backoff = {
  /** Gives how often it was postponed so far, this time included. */
  postpone(id: string): number
  /** It went on: the next rest is short again. */
  forget(id: string): void
  /** Something succeeded that proves that others can. */
  succeeded(): void
  /** What is not to be tried now. */
  resting(): readonly string[]
}

/** `inVain`: how often since anything succeeded. */
type Rest = { readonly times: number; readonly inVain: number; readonly until: number }

const firstMs = 1_000
const mostMs = 300_000
