import type { RequestOutcome, StoredTransaction } from '@svc/store'
import {
  createMutex,
  isNeverMined,
  isNoOp,
  takerIn,
  transactionsIn,
  type Chain,
  type JournalState,
} from '@svc/wallet/core'
import { type Hash, isAddressEqual, type PublicClient, TransactionNotFoundError } from 'viem'
import type { AuditEvent } from '../audit/audit.ts'
import type { Engine, ExecutionContext } from '../context/engine.ts'
import { replacementRules } from '../transactions/replacing.ts'
import { receiptOrNull } from '../call/chain-snapshot.ts'
import { onStorage } from '../call/refusal.ts'
import { serverContext } from '../context/execution-context.ts'

/**
 * Does what operators ask about transactions that are out. It signs empty transfers alone, so neither a pause nor an open
 * breaker stops it, and it waits for no write on its way: what it is asked about may be what that write waits for. Each end
 * stands in the audit log before it stands in the store; a crash between the two repeats a line and loses none.
 */
export function createOperatorRequests(): OperatorRequests {
  const triedAt = new Map<Hash, number>()
  const inTurn = createMutex()

  async function attend(engine: Engine, asked: StoredTransaction): Promise<void> {
    const outcome = await outcomeOf(engine, asked)
    if (outcome !== null) return end(engine, asked, outcome)
    const chain = chainOf(engine, asked)
    const since = engine.now() - (triedAt.get(asked.hash) ?? -Infinity)
    if (chain === undefined || (since >= 0 && since < againAfterMs)) return
    triedAt.set(asked.hash, engine.now())
    const context = serverContext(engine, chain)
    const { what } = asked.asked ?? {}
    if (what === 'cancel') {
      if (await cancel(context, asked)) triedAt.delete(asked.hash)
    } else if (what !== undefined) await resolve(context, asked, what)
  }

  async function look(engine: Engine): Promise<void> {
    const asked = await onStorage('the journal cannot be read', () => engine.transactions.asked())
    for (const one of asked) {
      await attend(engine, one).catch((error: unknown) =>
        engine.log.warn('request.unattended', { chainId: one.chainId, hash: one.hash, error }),
      )
    }
    const waits = new Set(asked.map(({ hash }) => hash))
    for (const hash of triedAt.keys()) if (!waits.has(hash)) triedAt.delete(hash)
  }

  return Object.freeze({
    look: (engine: Engine) => inTurn(() => look(engine)),
  })
}

export type OperatorRequests = {
  /** One look at what is asked. What fails is logged and tried again. Throws `STORAGE_UNAVAILABLE`. */
  look(engine: Engine): Promise<void>
}

/** An attempt that signed nothing, because the fees would pass their cap or the endpoint is away, rests for so long. */
const againAfterMs = 15_000

/** How a request has ended by the journal's own account; `null` while it has not. */
async function outcomeOf(engine: Engine, asked: StoredTransaction): Promise<Ending | null> {
  const { chainId, from, nonce } = asked
  const chain = chainOf(engine, asked)
  if (chain === undefined) return { outcome: 'no-chain' }
  const needsKey = asked.asked?.what === 'cancel'
  if (needsKey && !isAddressEqual(engine.senders(chain).address, from)) return { outcome: 'other-wallet' }
  const attempts = await engine.transactions.byNonce(chainId, from, nonce)
  const mined = attempts.find(({ state }) => state === 'final' || state === 'reverted')
  if (mined !== undefined) return { outcome: isNoOp(mined) ? 'cancelled' : 'mined', mined: mined.hash }
  return attempts.every(isNeverMined) ? { outcome: 'superseded' } : null
}

type Ending = { readonly outcome: RequestOutcome; readonly mined?: Hash }

/** Offers an empty transfer at the nonce, once: from then on fees are raised like those of any other. True once it is out. */
async function cancel(
  context: ExecutionContext,
  { chainId, from, nonce, hash, asked }: StoredTransaction,
): Promise<boolean> {
  const { engine, sender } = context
  const attempts = await engine.transactions.byNonce(chainId, from, nonce)
  const waiting = attempts.findLast(({ state }) => state === 'signed' || state === 'broadcast')
  if (waiting === undefined || isNoOp(waiting)) return waiting !== undefined
  const rules = replacementRules(context, {
    why: 'take back a transaction that the operator cancelled',
    by: asked?.by ?? 'operator',
  })
  const { status, entry } = await sender.cancel(waiting, rules)
  engine.log.info('tx.cancelling', { chainId, nonce, hash, status, noOp: entry.hash, by: asked?.by })
  return status === 'replaced'
}

/**
 * Ends what is open at a nonce when the transaction that the operator names is read in a settled block to take it: the
 * same proof as `whoTook` asks for, without the search, for which an endpoint must keep the state of old blocks. Of an
 * authorization that takes it where the state before its block is forgotten, the operator's word is that its turn had come.
 */
async function resolve(
  { engine, chain, client }: ExecutionContext,
  asked: StoredTransaction,
  taker: Hash,
): Promise<void> {
  const { from, nonce } = asked
  const attempts = await engine.transactions.byNonce(chain.id, from, nonce)
  // One of ours that was mined is settled by its receipt like any other.
  const receipts = await Promise.all(attempts.map(({ hash }) => receiptOrNull(client, hash)))
  if (receipts.some((receipt) => receipt !== null) || attempts.some(({ hash }) => hash === taker)) return
  const block = await blockOf(client, taker)
  if (block === null || !(await isTakenIn(client, block, asked, taker))) {
    return end(engine, asked, { outcome: 'not-proved' })
  }
  const head = await client.getBlockNumber({ cacheTime: 0 })
  if (head - block.number + 1n < BigInt(Math.max(chain.confirmations, 1))) return
  await note(engine, 'tx.resolved', asked, { outcome: 'superseded', mined: taker })
  for (const { hash, state } of attempts) {
    if (isUndecided.has(state))
      await onStorage('the journal cannot be written', () => engine.journal.mark(hash, 'superseded'))
  }
  await onStorage('the journal cannot be written', () => engine.transactions.endAsked(asked.hash, taker, 'superseded'))
}

const isUndecided: ReadonlySet<JournalState> = new Set<JournalState>(['signed', 'broadcast', 'mined', 'refused'])

/** The block that holds a transaction, with all of its transactions; `null` where the endpoint knows of none. */
async function blockOf(client: PublicClient, hash: Hash) {
  const { blockNumber } = await client.getTransaction({ hash }).catch((error: unknown) => {
    if (error instanceof TransactionNotFoundError) return { blockNumber: null }
    throw error
  })
  return blockNumber === null ? null : { number: blockNumber, transactions: await transactionsIn(client, blockNumber) }
}

/** Whether it is this transaction that takes the nonce in its block. */
async function isTakenIn(
  client: PublicClient,
  { number, transactions }: NonNullable<Awaited<ReturnType<typeof blockOf>>>,
  { chainId, from, nonce }: StoredTransaction,
  taker: Hash,
): Promise<boolean> {
  const countAt = (at: { readonly blockNumber: bigint } | { readonly blockTag: 'latest' }) =>
    client.getTransactionCount({ address: from, ...at })
  const [before, now] = await Promise.all([
    number === 0n ? 0 : countAt({ blockNumber: number - 1n }).catch(() => nonce),
    countAt({ blockTag: 'latest' }),
  ])
  return now > nonce && (await takerIn(transactions, { chainId, from, nonce }, before)) === taker
}

async function end(engine: Engine, asked: StoredTransaction, ending: Ending): Promise<void> {
  await note(engine, eventOf(asked, ending), asked, ending)
  const { hash, asked: request } = asked
  if (request === null) return
  await onStorage('the journal cannot be written', () =>
    engine.transactions.endAsked(hash, request.what, ending.outcome),
  )
}

function eventOf({ asked }: StoredTransaction, { outcome }: Ending): AuditEvent['event'] {
  if (asked?.what !== 'cancel') return outcome === 'superseded' ? 'tx.resolved' : 'tx.not-resolved'
  return outcome === 'cancelled' ? 'tx.cancelled' : 'tx.not-cancelled'
}

async function note(
  engine: Engine,
  event: AuditEvent['event'],
  { hash, chainId, nonce, requestId, asked }: StoredTransaction,
  { outcome, mined }: Ending,
): Promise<void> {
  const facts = {
    requestId,
    transaction: { chainId, hash, nonce, minedInstead: mined === undefined || mined === hash ? null : mined },
    by: asked?.by ?? 'operator',
    askedAt: asked === null ? null : new Date(asked.at).toISOString(),
    result: { status: outcome },
  }
  await onStorage('the audit log cannot be written', () => engine.audit.append({ event, ...facts }))
  engine.log.info(event, facts)
}

function chainOf(engine: Engine, { chainId }: StoredTransaction): Chain | undefined {
  return engine.chains.list().find(({ id }) => id === chainId)
}
