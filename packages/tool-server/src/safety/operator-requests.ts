import type { RequestOutcome, StoredTransaction } from '@svc/store'
import { isNoOp, type Chain } from '@svc/wallet'
import { type Hash, isAddressEqual } from 'viem'
import type { Engine, Trip } from './engine.ts'
import { replacementRules } from './replacing.ts'
import { onStorage } from './storage.ts'
import { serverTrip } from './trip.ts'

/**
 * Does what operators ask about transactions that are out. It signs empty transfers alone, so neither a pause nor an open
 * breaker stops it, and it waits for no write on its way: what it is asked about may be what that write waits for. Each end
 * stands in the audit log before it stands in the store; a crash between the two repeats a line and loses none.
 */
export function createOperatorRequests(): OperatorRequests {
  const triedAt = new Map<Hash, number>()
  let last: Promise<unknown> = Promise.resolve()

  async function attend(engine: Engine, asked: StoredTransaction): Promise<void> {
    const outcome = await outcomeOf(engine, asked)
    if (outcome !== null) return end(engine, asked, outcome)
    const chain = chainOf(engine, asked)
    const since = engine.now() - (triedAt.get(asked.hash) ?? -Infinity)
    if (chain === undefined || (since >= 0 && since < againAfterMs)) return
    triedAt.set(asked.hash, engine.now())
    if (await cancel(serverTrip(engine, chain), asked)) triedAt.delete(asked.hash)
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
    look: (engine: Engine) => {
      const looked = last.then(() => look(engine))
      last = looked.catch(() => undefined)
      return looked
    },
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
  if (!isAddressEqual(engine.senders(chain).address, from)) return { outcome: 'other-wallet' }
  const attempts = await engine.transactions.byNonce(chainId, from, nonce)
  const mined = attempts.find(({ state }) => state === 'final' || state === 'reverted')
  if (mined !== undefined) return { outcome: isNoOp(mined) ? 'cancelled' : 'mined', mined: mined.hash }
  const isOver = attempts.every(({ state }) => state === 'superseded' || state === 'replaced')
  return isOver ? { outcome: 'superseded' } : null
}

type Ending = { readonly outcome: RequestOutcome; readonly mined?: Hash }

/** Offers an empty transfer at the nonce, once: from then on fees are raised like those of any other. True once it is out. */
async function cancel(trip: Trip, { chainId, from, nonce, hash, asked }: StoredTransaction): Promise<boolean> {
  const { engine, sender } = trip
  const attempts = await engine.transactions.byNonce(chainId, from, nonce)
  const waiting = attempts.findLast(({ state }) => state === 'signed' || state === 'broadcast')
  if (waiting === undefined || isNoOp(waiting)) return waiting !== undefined
  const rules = replacementRules(trip, {
    why: 'take back a transaction that the operator cancelled',
    by: asked?.by ?? 'operator',
  })
  const { status, entry } = await sender.cancel(waiting, rules)
  engine.log.info('tx.cancelling', { chainId, nonce, hash, status, noOp: entry.hash, by: asked?.by })
  return status === 'replaced'
}

async function end(engine: Engine, { hash, chainId, nonce, requestId, asked }: StoredTransaction, ending: Ending) {
  const { outcome, mined = null } = ending
  const facts = {
    requestId,
    transaction: { chainId, hash, nonce, minedInstead: mined === hash ? null : mined },
    by: asked?.by ?? 'operator',
    askedAt: asked === null ? null : new Date(asked.at).toISOString(),
    result: { status: outcome },
  }
  const event = outcome === 'cancelled' ? 'tx.cancelled' : 'tx.not-cancelled'
  await onStorage('the audit log cannot be written', () => engine.audit.append({ event, ...facts }))
  await onStorage('the journal cannot be written', () => engine.transactions.endAsked(hash, outcome))
  engine.log.info(event, facts)
}

function chainOf(engine: Engine, { chainId }: StoredTransaction): Chain | undefined {
  return engine.chains.list().find(({ id }) => id === chainId)
}
