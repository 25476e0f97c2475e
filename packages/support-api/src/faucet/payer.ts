import { setMaxListeners } from 'node:events'
import { type Claim, type Lease, type Store, StoreError } from '@svc/store'
import { createSender, feesNow, type Chain, type JournalEntry, type Sender } from '@svc/wallet/core'
import { BaseError, ExecutionRevertedError, type PublicClient } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import type { FaucetLog } from './open-faucet.ts'

/**
 * Pays the claims of one chain, oldest first, while this process leads there: one lease for each signer and chain, over
 * all replicas, which a killed leader gives up at once. The wallet's journalled sender is the outbox: a claim's id is the
 * id of its request, so whoever takes it up goes on with what was signed, and nothing is paid twice.
 */
export function createPayer(options: PayerOptions): Payer {
  const { chain, account, store, holder, log } = options
  const stopping = new AbortController()
  const bell = createBell()
  const state: PayerState = { isLeading: false, holdsUp: null }
  let running: Promise<void> | null = null
  const run = async (): Promise<void> => {
    const name = `writer:${chain.id}:${account.address.toLowerCase()}`
    while (!stopping.signal.aborted) {
      let waitMs = betweenTriesMs
      try {
        const lease = await store.leases.acquire({ name, holder, within: 'database' })
        try {
          await lead({ ...options, lease, bell, state, signal: stopping.signal })
        } finally {
          state.isLeading = false
          await lease.release()
        }
      } catch (error) {
        const isTaken = error instanceof StoreError && error.code === 'LEASE_HELD'
        if (!isTaken) log.warn('faucet.interrupted', { chainId: chain.id, err: error })
        if (!isTaken) waitMs = afterFailureMs
      }
      if (!stopping.signal.aborted) await bell.rung(waitMs)
    }
  }
  return {
    facts: () => ({ ...state, isDry: state.holdsUp === 'dry' }),
    nudge: () => bell.ring(),
    start: () => void (running ??= run()),
    async stop() {
      stopping.abort()
      bell.ring()
      await running
    },
  }
}

export type Payer = {
  facts(): PayerFacts
  /** There may be something to pay. */
  nudge(): void
  start(): void
  /** Signs nothing more, and resolves when the chain is free for another replica. */
  stop(): Promise<void>
}

/** What a replica knows of a chain: one that does not lead there sees little of what holds it up. */
export type PayerFacts = {
  readonly isLeading: boolean
  readonly isDry: boolean
  readonly holdsUp: HeldUpBy | null
}

/**
 * What keeps every claim of a chain waiting.
 *
 * - dry: the faucet has less than a grant and its gas
 * - fees: the gas of a plain transfer costs more than what is given
 * - nonce: the chain does not count what it had mined before
 * - signer: claims are out that another key signed
 * - wrong-chain: the endpoints speak for another chain
 */
export type HeldUpBy = 'dry' | 'fees' | 'nonce' | 'signer' | 'wrong-chain'

export type PayerOptions = {
  readonly chain: Chain
  readonly client: PublicClient
  readonly account: PrivateKeyAccount
  readonly store: Pick<Store, 'claims' | 'journal' | 'leases'>
  readonly holder: string
  readonly log: FaucetLog
  readonly now: () => number
}

type PayerState = { isLeading: boolean; holdsUp: HeldUpBy | null }

/** What one term of leading has. */
type Term = PayerOptions & {
  readonly lease: Lease
  readonly bell: Bell
  readonly state: PayerState
  readonly signal: AbortSignal
}

const betweenTriesMs = 500
const afterFailureMs = 3_000
const betweenLooksMs = 1_000
const betweenReconcilesMs = 10_000
/** Claims that are on their way at one time. */
const mostAtOnce = 64

async function lead(term: Term): Promise<void> {
  const { chain, client, account, store, lease, bell, state, signal, log, now } = term
  const mayGoOn = () => lease.isHeld() && !signal.aborted
  const sender = createSender({ wallet: fenced(account, mayGoOn), client, chain, journal: store.journal, now })
  log.info('faucet.leading', { chainId: chain.id })
  const onTheirWay = new Map<string, Promise<void>>()
  const leaving = new AbortController()
  setMaxListeners(mostAtOnce * 2, leaving.signal)
  const leave = () => leaving.abort()
  signal.addEventListener('abort', leave)
  let reconciledAt = 0
  try {
    while (mayGoOn()) {
      if (now() - reconciledAt >= betweenReconcilesMs) {
        await sender.reconcile(rulesOf(mayGoOn))
        reconciledAt = now()
      }
      state.isLeading = true
      const waiting = await store.claims.waiting(chain.id, mostAtOnce)
      state.holdsUp = null
      const fresh = waiting.filter(({ id }) => !onTheirWay.has(id))
      const round = fresh.length === 0 ? null : await openRound(term, fresh)
      for (const claim of round === null ? [] : fresh) {
        if (!mayGoOn() || round === null) break
        const entry = await signFor(term, sender, round, claim)
        if (entry === 'dry') {
          state.holdsUp = 'dry'
          break
        }
        if (typeof entry === 'string') continue
        const paying = bringOut({ ...term, signal: leaving.signal }, sender, claim, entry, mayGoOn)
          .catch((error: unknown) => log.warn('faucet.unsettled', { chainId: chain.id, claimId: claim.id, err: error }))
          .finally(() => void onTheirWay.delete(claim.id))
        onTheirWay.set(claim.id, paying)
      }
      await bell.rung(betweenLooksMs)
    }
  } finally {
    signal.removeEventListener('abort', leave)
    // Whoever leads next follows what is out.
    leave()
    await Promise.all(onTheirWay.values())
  }
}

/** Signs nothing once another process may lead. */
function fenced(account: PrivateKeyAccount, mayGoOn: () => boolean): Parameters<typeof createSender>[0]['wallet'] {
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

/** What the claims of one round share: read once, in one batch, before the first of them is signed. */
async function openRound({ chain, client, account }: Term, claims: readonly Claim[]): Promise<Round> {
  const { address } = account
  const [latestCount, leftWei, { lasting: fees }, ...gas] = await Promise.all([
    client.getTransactionCount({ address, blockTag: 'latest' }),
    client.getBalance({ address, blockTag: 'pending' }),
    feesNow(client, chain),
    ...claims.map((claim) => gasOf(client, account, claim)),
  ])
  return { latestCount, leftWei, fees, gas: new Map(claims.map(({ id }, index) => [id, gas[index] ?? null])) }
}

type Round = {
  readonly latestCount: number
  /** Of the faucet's balance; what is signed in this round is taken off. */
  leftWei: bigint
  readonly fees: { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint }
  /** By claim; `null` where the wallet takes no transfer. */
  readonly gas: ReadonlyMap<string, bigint | null>
}

async function gasOf(client: PublicClient, account: PrivateKeyAccount, claim: Claim): Promise<bigint | null> {
  // The state is overridden so that a dry faucet is told from a wallet that takes nothing.
  const stateOverride = [{ address: account.address, balance: claim.amountWei * 1_000n }]
  const request = { account, to: addressOf(claim), value: claim.amountWei, prepare: false, stateOverride }
  try {
    const gas = await client.estimateGas(request)
    return gas === 21_000n ? gas : (gas * 12n) / 10n
  } catch (error) {
    if (isRevert(error)) return null
    throw error
  }
}

/** What stands for the claim, signed now or earlier; or why nothing is signed. */
async function signFor(
  { chain, account, store, log }: Term,
  sender: Sender,
  round: Round,
  claim: Claim,
): Promise<JournalEntry | 'dry' | 'later' | 'failed'> {
  const earlier = await store.journal.byRequest(claim.id)
  const standing = earlier.findLast(({ state }) => !neverMined.has(state))
  if (standing !== undefined) {
    if (standing.state !== 'refused') return standing
    // Bytes that were declined may be out all the same: only their own nonce is safe to sign for the claim again.
    const next = await store.journal.nextNonce(chain.id, account.address)
    if (round.latestCount > standing.nonce || next !== standing.nonce) return 'later'
  }
  const gasLimit = round.gas.get(claim.id) ?? null
  if (gasLimit === null) {
    log.warn('faucet.declined', { chainId: chain.id, claimId: claim.id })
    await store.claims.mark(claim.id, 'failed', null)
    return 'failed'
  }
  const worstWei = claim.amountWei + gasLimit * round.fees.maxFeePerGas
  if (round.leftWei < worstWei) return 'dry'
  round.leftWei -= worstWei
  const entry = await sender.sign({
    requestId: claim.id,
    step: earlier.length === 0 ? 0 : Math.max(...earlier.map(({ step }) => step)) + 1,
    to: addressOf(claim),
    data: '0x',
    valueWei: claim.amountWei,
    gasLimit,
    ...round.fees,
    reservationId: null,
    allow: async () => {},
    latestCount: round.latestCount,
  })
  log.debug('faucet.signed', { claimId: claim.id, hash: entry.hash })
  return entry
}

/** The nonce of such an entry is taken by another transaction for good. */
const neverMined: ReadonlySet<JournalEntry['state']> = new Set(['replaced', 'superseded'])

/** Offers what is signed and follows it to its end. What is not settled then is taken up again in a later round. */
async function bringOut(term: Term, sender: Sender, claim: Claim, entry: JournalEntry, mayGoOn: () => boolean) {
  const { store, signal, bell, log } = term
  const sent = await sender.broadcast(entry)
  if (sent.state === 'refused') return
  log.debug('faucet.sent', { claimId: claim.id, hash: sent.hash })
  if (claim.state === 'queued' || claim.txHash !== sent.hash) await store.claims.mark(claim.id, 'sent', sent.hash)
  const ended = await sender.confirm(sent, { timeoutMs: patienceMs, signal, replacing: rulesOf(mayGoOn, claim) })
  if (ended.status === 'final') await store.claims.mark(claim.id, 'confirmed', ended.receipt.transactionHash)
  if (ended.status === 'reverted') await store.claims.mark(claim.id, 'failed', ended.receipt.transactionHash)
  bell.ring()
}

const patienceMs = 120_000

function addressOf({ address }: Claim): `0x${string}` {
  return `0x${address.replace(/^0x/, '')}`
}

function isRevert(error: unknown): boolean {
  return error instanceof BaseError && error.walk((inner) => inner instanceof ExecutionRevertedError) !== null
}

/** Wakes one waiter before its time. */
function createBell(): Bell {
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
