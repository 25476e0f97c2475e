import { type GasCost, type OpenReservation, StoreError } from '@svc/store'
import type { JournalEntry } from '@svc/wallet/core'
import { type Address, isAddressEqual, parseTransaction, zeroAddress } from 'viem'
import { asSigned } from './as-signed.ts'
import { assetChanges } from './asset-changes.ts'
import { countable } from './countable.ts'
import type { Trip } from './engine.ts'
import { gasCostsOr } from './gas-worth.ts'
import { isSignedOpen } from './signed-open.ts'
import { outflowsOf, priceTokens, valueOf } from './spend-value.ts'
import { onStorage } from './storage.ts'
import { owedOn, takesBack } from './take-back-owed.ts'

/**
 * Closes a reservation of a request that is gone; false while one of its transactions is out, or was refused and its
 * nonce is not taken yet: an endpoint may forward what it refuses. Throws `STORAGE_UNAVAILABLE`, and what keeps this one
 * reservation open.
 */
export async function settleLeft(trip: Trip, reservation: OpenReservation): Promise<boolean> {
  const { id, requestId } = reservation
  const { engine } = trip
  const all = await onStorage('the journal cannot be read', () => engine.journal.byRequest(requestId))
  const entries = all.filter(({ reservationId }) => reservationId === id)
  // What spends nothing is drawn on no reservation: allowances that were taken back.
  const takeBacks = all.filter(({ reservationId }) => reservationId === null)
  if (entries.some((entry) => isSignedOpen(entry) || entry.state === 'refused')) return false
  // It may be that of a wallet whose key the server had before.
  const of = { ...trip, wallet: entries[0]?.from ?? trip.wallet }
  if (entries.length === 0) await onLedger(() => engine.ledger.release(id))
  else {
    const { usdMicros, isAll } = await movedUsdMicros(of, entries, takeBacks)
    const moved = countable(usdMicros, isAll ? 0n : reservation.amountUsdMicros)
    const burnt = await burntBy(of, entries, reservation.gasUsdMicros)
    await onLedger(() => engine.ledger.settle(id, moved, burnt))
  }
  const settled = { event: 'tx.settled', requestId, transactions: entries.map(({ hash }) => hash) } as const
  await onStorage('the audit log cannot be written', () => engine.audit.append(settled))
  return true
}

/** What the ledger says of the one reservation is of that one alone; everything else keeps all from being signed. */
async function onLedger(work: () => Promise<void>): Promise<void> {
  const refused = await onStorage('the spend ledger cannot be written', () =>
    work().then(
      () => null,
      (error: unknown) => {
        if (error instanceof StoreError && ofOneReservation.has(error.code)) return error
        throw error
      },
    ),
  )
  if (refused !== null) throw refused
}

const ofOneReservation: ReadonlySet<string> = new Set(['RESERVATION_NOT_OPEN', 'RESERVATION_IN_USE', 'AMOUNT_INVALID'])

/** What the gas of mined transactions cost, those that failed included; what was reserved for it without a price. */
async function burntBy(
  { engine, chain, client }: Trip,
  entries: readonly JournalEntry[],
  reservedUsdMicros: bigint,
): Promise<readonly GasCost[]> {
  const mined = entries.filter(({ state }) => state === 'final' || state === 'reverted')
  const receipts = await Promise.all(
    mined.map(async ({ hash, rawTransaction }) =>
      asSigned(await client.getTransactionReceipt({ hash }), rawTransaction, chain),
    ),
  )
  const priced = await priceTokens([], { ...engine, directory: engine.tokens, chain })
  return gasCostsOr(reservedUsdMicros, receipts, priced)
}

/** What mined transactions moved out or exposed, in millionths of a dollar, and whether that is all of it. */
async function movedUsdMicros(
  trip: Trip,
  entries: readonly JournalEntry[],
  takeBacks: readonly JournalEntry[],
): Promise<{ readonly usdMicros: bigint; readonly isAll: boolean }> {
  const { engine, chain, client, wallet } = trip
  const mined = entries.filter(isFinal)
  const receipts = await Promise.all(mined.map(({ hash }) => client.getTransactionReceipt({ hash })))
  const changes = assetChanges(
    receipts.map(({ logs }) => logs),
    { wallet, wrappedNative: chain.wrappedNative.address },
  )
  const spent = outflowsOf(changes.deltas)
  const sent = mined.reduce((sum, { rawTransaction }) => sum + (parseTransaction(rawTransaction).value ?? 0n), 0n)
  if (sent > 0n) spent.set(zeroAddress, sent)
  const owed = await owedOn(engine, chain, wallet)
  for (const { token, spender, amount, by } of changes.rights) {
    // An allowance that was or is going to be taken back exposes nothing for long; one that stays is the spend.
    const isOwed = owed.some((one) => isAddressEqual(one.token, token) && isAddressEqual(one.spender, spender))
    const isEnding = isOwed || takeBacks.some((entry) => isFinal(entry) && takesBack(entry, { token, spender }))
    const key = token.toLowerCase()
    if (by === 'token' && !isEnding && amount !== null && amount > (spent.get(key) ?? 0n)) spent.set(key, amount)
  }
  const tokens = await readableOf(
    trip,
    [...spent.keys()].filter((token): token is Address => token.startsWith('0x')),
  )
  const priced = await priceTokens(tokens, { ...engine, directory: engine.tokens, chain })
  // Whether shares of a pair were given back or sold is not told from here: what was reserved for them stands.
  if (tokens.some((token) => (priced.get(token)?.pair ?? null) !== null)) return { usdMicros: 0n, isAll: false }
  const { usdMicros, unpriced } = valueOf(spent, priced)
  return { usdMicros, isAll: unpriced.length === 0 }
}

/** Any contract may announce a transfer from the wallet: what cannot be read as a token has no price. */
async function readableOf({ engine, chain }: Trip, tokens: readonly Address[]): Promise<readonly Address[]> {
  const read = tokens.map(async (token) => {
    try {
      if (token !== zeroAddress) await engine.tokens.byAddress(chain, token)
      return [token]
    } catch (error) {
      engine.log.warn('clear-up.unreadable-token', { chainId: chain.id, token, error })
      return []
    }
  })
  return (await Promise.all(read)).flat()
}

function isFinal({ state }: JournalEntry): boolean {
  return state === 'final'
}
