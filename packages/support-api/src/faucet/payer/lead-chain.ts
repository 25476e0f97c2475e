import { setMaxListeners } from 'node:events'
import { type Claim, type Store, StoreError } from '@svc/store'
import { type Chain, createSender, type JournalEntry, type Sender } from '@svc/wallet/core'
import type { PublicClient } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { createBackoff, type PayTerm, receiptStatus, signFor } from './pay-claim.ts'
import type { FaucetLog } from '../endpoints.ts'
import { tellOnce } from '../remembered.ts'
import { addressOf, type HeldUpBy, openRound } from './open-round.ts'

/**
 * Pays what waits on a chain until its lease is lost or the signal aborts. Rejects when the store fails, or the endpoint
 * does not answer what every claim needs; never for the sake of one claim.
 */
export async function leadChain(options: LeadOptions): Promise<void> {
  const { chain, account, client, store, bell, state, signal, isHeld, log, now } = options
  // A clock that is set back lets nothing rest for longer.
  const { steady = () => performance.now() } = options
  const mayGoOn = () => isHeld() && !signal.aborted
  const leaving = new AbortController()
  setMaxListeners(mostAtOnce * 2, leaving.signal)
  const leave = () => leaving.abort()
  signal.addEventListener('abort', leave)
  const sender = createSender({ wallet: fenced(account, mayGoOn), client, chain, journal: store.journal, now })
  const term: Term = {
    ...options,
    sender,
    mayGoOn,
    leaving: leaving.signal,
    onTheirWay: new Map(),
    backoff: createBackoff(steady),
    doubts: new Map(),
    reported: new Set(),
  }
  log.info('faucet.leading', { chainId: chain.id })
  let lookedBackAt = -Infinity
  try {
    while (mayGoOn()) {
      if (steady() - lookedBackAt >= betweenLooksBackMs) {
        await unlessLeaving(leaving.signal, async () => {
          await sendUndone(term)
          if (mayGoOn()) await sender.reconcile(rulesOf(mayGoOn))
          if (mayGoOn()) await settleOthers(term)
        })
        lookedBackAt = steady()
      }
      if (!mayGoOn()) break
      state.isLeading = true
      state.holdsUp = await payRound(term)
      if (state.holdsUp === 'nonce') lookedBackAt = -Infinity
      await bell.rung(betweenLooksMs)
    }
  } finally {
    signal.removeEventListener('abort', leave)
    // Whoever leads next follows what is out.
    leave()
    await Promise.all(term.onTheirWay.values())
  }
}

type LeadOptions = Omit<PayerOptions, 'holder'> & {
  readonly isHeld: () => boolean
  readonly bell: Bell
  readonly state: LeadState
  readonly signal: AbortSignal
  /** Milliseconds that only grow; the process's own when absent. */
  readonly steady?: () => number
}

/** Written as it goes, for whoever asks. */
export type LeadState = { isLeading: boolean; holdsUp: HeldUpBy | null }

/** What one term of leading has. */
type Term = LeadOptions &
  PayTerm & {
    readonly sender: Sender
    readonly mayGoOn: () => boolean
    readonly leaving: AbortSignal
    /** By the id of the claim. */
    readonly onTheirWay: Map<string, Promise<void>>
  }

const betweenLooksMs = 1_000
const betweenLooksBackMs = 10_000
/** Claims that are on their way at one time. */
const mostAtOnce = 64

/** Signs nothing once another process may lead. */
function fenced(account: PayTerm['account'], mayGoOn: () => boolean): Parameters<typeof createSender>[0]['wallet'] {
  return {
    address: account.address,
    signTransaction: (transaction) => {
      if (mayGoOn()) return account.signTransaction(transaction)
      throw new StoreError('LEASE_HELD', 'This process does not lead any more.')
    },
  }
}

/** Gas never costs more than what is given. */
function rulesOf(mayGoOn: () => boolean, { amountWei }: Pick<Claim, 'amountWei'> = { amountWei: 10n ** 16n }) {
  return { feeCapWei: async () => amountWei, allow: async () => mayGoOn() }
}

/** An endpoint that says nothing keeps nobody from leaving: what it was asked for goes on without anybody. */
async function unlessLeaving<Answer>(leaving: AbortSignal, work: () => Promise<Answer>): Promise<Answer | null> {
  if (leaving.aborted) return null
  let leave = (): void => {}
  const left = new Promise<null>((resolve) => {
    leave = () => resolve(null)
    leaving.addEventListener('abort', leave)
  })
  try {
    return await Promise.race([work(), left])
  } finally {
    leaving.removeEventListener('abort', leave)
  }
}

/** Signs for what waits and starts it on its way. Gives what holds all of it up. */
async function payRound(term: Term): Promise<HeldUpBy | null> {
  const { chain, client, account, store, sender, mayGoOn, onTheirWay, backoff, log } = term
  const waiting = await store.claims.waiting(chain.id, mostAtOnce, backoff.resting())
  const fresh = waiting.filter(({ id }) => !onTheirWay.has(id))
  if (fresh.length === 0) return null
  const reading = () => openRound({ chain, client, address: account.address }, fresh)
  const round = await unlessLeaving(term.leaving, reading)
  if (round === null) return null
  let heldUpBy: HeldUpBy | null = null
  for (const claim of fresh) {
    if (!mayGoOn()) break
    const entry = await signFor(term, sender, round, claim)
    if (entry === 'nonce') return entry
    if (entry === 'later' || entry === 'settled') continue
    if (typeof entry === 'string') {
      heldUpBy = entry
      continue
    }
    const paying = bringOut(term, claim, entry)
      .catch((error: unknown) => log.warn('faucet.unsettled', { chainId: chain.id, claimId: claim.id, err: error }))
      .finally(() => void onTheirWay.delete(claim.id))
    onTheirWay.set(claim.id, paying)
  }
  return heldUpBy
}

/** Offers what is signed and follows it to its end. What is not settled then is taken up again in a later round. */
async function bringOut(term: Term, claim: Claim, entry: JournalEntry): Promise<void> {
  const { store, sender, leaving, mayGoOn, bell, backoff, log } = term
  const sent = await sender.broadcast(entry)
  if (sent.state === 'refused') return void backoff.postpone(claim.id)
  backoff.forget(claim.id)
  log.debug('faucet.sent', { claimId: claim.id, hash: sent.hash })
  if (claim.state === 'queued' || claim.txHash !== sent.hash) await store.claims.mark(claim.id, 'sent', sent.hash)
  const replacing = rulesOf(mayGoOn, claim)
  const ended = await sender.confirm(sent, { timeoutMs: patienceMs, signal: leaving, replacing })
  if (ended.status === 'final') {
    backoff.succeeded()
    await store.claims.mark(claim.id, 'confirmed', ended.receipt.transactionHash)
  }
  if (ended.status === 'reverted') await store.claims.mark(claim.id, 'failed', ended.receipt.transactionHash)
  bell.ring()
}

const patienceMs = 120_000

/**
 * Finds out what became of what other keys of the faucet signed for claims that wait, and sends it again, which signs
 * nothing. While any of it may still be mined such a claim rests, lest both keys pay it; the others are paid. Rejects when
 * the endpoint or the store does not answer.
 */
async function settleOthers(term: OthersTerm): Promise<void> {
  const { chain, client, account, store, now, log } = term
  const signers = await store.claims.otherSigners(chain.id, account.address)
  if (signers.length === 0) return
  for (const signer of signers) {
    const address = addressOf({ address: signer })
    const wallet = { address, signTransaction: () => Promise.reject(new TypeError('The key is not at hand.')) }
    await createSender({ wallet, client, chain, journal: store.journal, now }).reconcile()
  }
  const others = await store.claims.otherSigners(chain.id, account.address)
  const tell = () => log.error('faucet.other-signer', { chainId: chain.id, signer: account.address, others })
  if (others.length > 0) tellOnce(term, others.join(), tell)
}

type OthersTerm = PayTerm & { readonly now: () => number }

/** What paying the claims of one chain works with. */
export type PayerOptions = {
  readonly chain: Chain
  readonly client: PublicClient
  /** Whether every endpoint that answered speaks for another chain. */
  readonly isWrongChain: () => boolean
  readonly account: PrivateKeyAccount
  readonly store: Pick<Store, 'claims' | 'journal' | 'leases'>
  readonly holder: string
  readonly log: FaucetLog
  readonly now: () => number
}

/** Wakes one waiter before its time. */
export function createBell(): Bell {
  let wake: (() => void) | null = null
  let isRung = false
  return {
    ring() {
      isRung = true
      wake?.()
    },
    async rung(forAtMostMs) {
      if (!isRung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, forAtMostMs)
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
      wake = null
      isRung = false
    },
  }
}

type Bell = { ring(): void; rung(forAtMostMs: number): Promise<void> }

/**
 * Sees to what the chain had mined and confirmed and does not count any more, because its blocks were undone: every later
 * nonce waits for it. A grant's stored bytes are offered again. A payment that had reverted is not, for it might succeed
 * beside a later one of the same claim: its nonce is given free. Rejects when the endpoint or the store does not answer.
 */
async function sendUndone(term: PayTerm): Promise<void> {
  const { chain, client, account, store, log } = term
  const { address } = account
  const next = await store.journal.nextNonce(chain.id, address)
  if (next === null) return
  const count = await client.getTransactionCount({ address, blockTag: 'latest' })
  for (let nonce = count; nonce < Math.min(next, count + mostAtOnce); nonce += 1) {
    const attempts = await store.journal.byNonce(chain.id, address, nonce)
    const undone = attempts.find(({ state }) => state === 'final' || state === 'reverted')
    if (undone === undefined) continue
    const facts = { chainId: chain.id, claimId: undone.requestId, hash: undone.hash }
    if (undone.state === 'reverted') {
      if (await giveFree(term, attempts, undone)) log.warn('faucet.undone', { ...facts, isSentAgain: false })
      continue
    }
    // An endpoint that lags answers that it has them, or that their nonce is used.
    await client.sendRawTransaction({ serializedTransaction: undone.rawTransaction }).then(
      () => log.warn('faucet.undone', { ...facts, isSentAgain: true }),
      (error: unknown) =>
        tellOnce(term, undone.hash, () => log.warn('faucet.undone-declined', { ...facts, err: error })),
    )
  }
}

/** What uses the nonce up next settles the bytes. False for an endpoint that lags: it still has the receipt. */
async function giveFree(
  { client, store }: PayTerm,
  attempts: readonly JournalEntry[],
  reverted: JournalEntry,
): Promise<boolean> {
  if ((await receiptStatus(client, reverted)) !== null) return false
  const replaced = attempts.filter(({ state }) => state === 'replaced')
  // The one that is looked for comes last, so that who is killed in between leaves the work to the next.
  for (const { hash } of [...replaced, reverted]) await store.journal.mark(hash, 'refused')
  return true
}
