import {
  type Address,
  type Hash,
  isAddressEqual,
  type PublicClient,
  type SignedAuthorization,
  type Transaction,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
} from 'viem'
import { recoverAuthorizationAddress } from 'viem/utils'
import type { Journal, JournalEntry, JournalFacts, JournalState } from '../journal.ts'
import { isOpen, isRefused } from './entry-state.ts'

/**
 * Looks once where a signed transaction stands and writes it into the journal. A receipt with `confirmations` blocks
 * closes the entry, and with it every other attempt at its nonce; a younger one marks it mined; one that vanished puts it back to `broadcast`. Without a receipt
 * it stays open until the transaction that took its nonce is found in a settled block, which is looked for once
 * `settledCount` (see below) has passed the nonce. Rejects when the endpoint does not answer.
 */
export async function settle(look: Look): Promise<Sighting> {
  const { client, entry, confirmations, asked = askOutcome(client, entry, confirmations) } = look
  const [receipt, head] = await asked
  if (receipt === null) return withoutReceipt(look)
  const facts = { blockNumber: receipt.blockNumber, blockHash: receipt.blockHash, gasUsed: receipt.gasUsed }
  const isDeep = head === null || head - receipt.blockNumber + 1n >= BigInt(confirmations)
  if (isDeep) {
    const entry = await markStanding(look, receipt.status === 'success' ? 'final' : 'reverted', facts)
    await closeOthers(look)
    return { entry, receipt }
  }
  const isKnown = entry.state === 'mined' && entry.blockHash === receipt.blockHash
  return { entry: isKnown ? entry : await markStanding(look, 'mined', facts), receipt }
}

/** What the chain says of a transaction: its receipt, and the newest block where more than one confirmation is waited for. */
export function askOutcome(client: PublicClient, { hash }: Pick<JournalEntry, 'hash'>, confirmations: number): Outcome {
  return Promise.all([receiptOf(client, hash), confirmations > 1 ? client.getBlockNumber({ cacheTime: 0 }) : null])
}

type Outcome = Promise<readonly [receipt: TransactionReceipt | null, head: bigint | null]>

/**
 * How many transactions of `address` are settled, that is counted at the block that has `confirmations` blocks, itself
 * included. A nonce below this number is taken for good.
 */
export async function settledCount(
  client: PublicClient,
  address: JournalEntry['from'],
  confirmations: number,
): Promise<number> {
  if (confirmations <= 1) return client.getTransactionCount({ address, blockTag: 'latest' })
  const head = await client.getBlockNumber({ cacheTime: 0 })
  const blockNumber = head - BigInt(confirmations - 1)
  return blockNumber < 0n ? 0 : client.getTransactionCount({ address, blockNumber })
}

/** The receipt of a transaction, or `null` while the endpoint knows none. */
export async function receiptOf(client: PublicClient, hash: Hash): Promise<TransactionReceipt | null> {
  try {
    return await client.getTransactionReceipt({ hash })
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return null
    throw error
  }
}

export type Look = {
  readonly client: PublicClient
  readonly journal: Journal
  readonly entry: JournalEntry
  readonly confirmations: number
  /** Where it was asked for already. */
  readonly asked?: Outcome
  /** Asked only when there is no receipt; absent to leave the question for another look. */
  readonly settledCount?: () => Promise<number>
}

export type Sighting = { readonly entry: JournalEntry; readonly receipt: TransactionReceipt | null }

async function closeOthers({ journal, entry }: Look): Promise<void> {
  for (const other of await journal.byNonce(entry.chainId, entry.from, entry.nonce)) {
    const isLeft = other.hash !== entry.hash && (isOpen(other) || isRefused(other))
    if (isLeft) await markUnlessClosed(journal, other, 'replaced')
  }
}

async function withoutReceipt(look: Look): Promise<Sighting> {
  const { client, journal, entry, confirmations } = look
  if (entry.state === 'mined') return { entry: await markStanding(look, 'broadcast'), receipt: null }
  if (look.settledCount === undefined || (await look.settledCount()) <= entry.nonce) return { entry, receipt: null }
  // Two absences prove nothing: what took the nonce is read from its block, and may be this very transaction.
  const taker = await whoTook(client, entry, confirmations)
  if (taker === null || taker === entry.hash) return { entry, receipt: null }
  const isOurs = (await journal.byHash(taker)) !== null
  return { entry: await markStanding(look, isOurs ? 'replaced' : 'superseded'), receipt: null }
}

/** Marks the entry and gives back how it stands now; where another watcher has closed it in the meantime, as that one left it. */
export async function markStanding(
  { journal, entry }: Pick<Look, 'journal' | 'entry'>,
  state: JournalState,
  facts: JournalFacts = {},
): Promise<JournalEntry> {
  if (!(await markUnlessClosed(journal, entry, state, facts))) return (await journal.byHash(entry.hash)) ?? entry
  const { blockNumber: _number, blockHash: _hash, gasUsed: _gas, ...signed } = entry
  return { ...signed, state, ...facts }
}

async function markUnlessClosed(
  journal: Journal,
  { hash }: JournalEntry,
  state: JournalState,
  facts: JournalFacts = {},
): Promise<boolean> {
  try {
    await journal.mark(hash, state, facts)
    return true
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'JOURNAL_ENTRY_CLOSED')) throw error
    return false
  }
}

/**
 * The hash of the transaction that used up the nonce of an entry, read from the block that holds it, `confirmations`
 * deep. This is the only proof that other bytes are never mined: a count and a missing receipt may be given by different
 * endpoints, or by one that counts a block before it shows its receipts. `null` while there is no such block, where nothing
 * in it takes the nonce, and where the endpoint keeps no state of blocks that old. Rejects when the endpoint
 * does not answer at all. At most 68 requests, and about two for each doubling of the block's age; of a block that is too
 * long to be read at once, one more and one for each of its transactions.
 */
export async function whoTook(
  client: PublicClient,
  account: Pick<JournalEntry, 'chainId' | 'from' | 'nonce'>,
  confirmations: number,
): Promise<Hash | null> {
  const { from: address, nonce } = account
  const head = await client.getBlockNumber({ cacheTime: 0 })
  const settled = head - BigInt(Math.max(confirmations, 1) - 1)
  if (settled < 0n) return null
  const isUsedAt = async (blockNumber: bigint): Promise<boolean> =>
    (await client.getTransactionCount({ address, blockNumber })) > nonce
  if (!(await isUsedAt(settled))) return null
  const block = await firstBlock(settled, isUsedAt)
  if (block === null) return null
  const transactions = await transactionsIn(client, block)
  const own = await takerIn(transactions, account, null)
  if (own !== null || block === 0n || !transactions.some(isDelegating)) return own
  // What others carry proves nothing without the state before it: anybody can repeat an authorization whose nonce is gone.
  const before = await client.getTransactionCount({ address, blockNumber: block - 1n }).catch(() => null)
  return takerIn(transactions, account, before)
}

/**
 * The transactions of a block, one by one where they cannot be read at once: whoever fills a block with calldata makes it
 * too long for that, and no transaction alone is (EIP-7825). Rejects where not even their hashes can be read.
 */
export async function transactionsIn(client: PublicClient, blockNumber: bigint): Promise<readonly Taking[]> {
  const whole = await client.getBlock({ blockNumber, includeTransactions: true }).catch(() => null)
  if (whole !== null) return whole.transactions
  const { transactions: hashes } = await client.getBlock({ blockNumber })
  const read: Taking[] = []
  for (let start = 0; start < hashes.length; start += mostAtOnce) {
    const asked = hashes.slice(start, start + mostAtOnce)
    const batch = await Promise.all(asked.map((hash) => client.getTransaction({ hash })))
    read.push(...batch.map(({ input: _input, ...taking }) => taking))
  }
  return read
}

const mostAtOnce = 20

/** What says of a transaction which nonces it takes. */
export type Taking = Pick<Transaction, 'hash' | 'from' | 'nonce' | 'chainId' | 'authorizationList'>

/**
 * Which transaction of a block takes a nonce of an account that had made `before` of them (`null` where that is not known).
 * That is one of the account itself at the nonce, or one of anybody that carries an authorization of the account at it
 * (EIP-7702), as the bytes of a batch do that was cancelled. An authorization counts only when it is the account's turn.
 */
export async function takerIn(
  transactions: readonly Taking[],
  { chainId, from, nonce }: Pick<JournalEntry, 'chainId' | 'from' | 'nonce'>,
  before: number | null,
): Promise<Hash | null> {
  const isOwn = (one: Pick<Transaction, 'from'>): boolean => isAddressEqual(one.from, from)
  // An endpoint that serves another chain for a while proves nothing; a legacy transaction may name none.
  const here = transactions.filter((one) => (one.chainId ?? chainId) === chainId)
  const own = here.find((one) => isOwn(one) && one.nonce === nonce)
  if (own !== undefined) return own.hash
  let next = before
  for (const one of here) {
    if (isOwn(one)) next = one.nonce + 1
    for (const authorization of one.authorizationList ?? []) {
      if (authorization.nonce !== next || !(await isOf(authorization, from, chainId))) continue
      if (next === nonce) return one.hash
      next += 1
    }
  }
  return null
}

function isDelegating({ authorizationList = [] }: Pick<Transaction, 'authorizationList'>): boolean {
  return authorizationList.length > 0
}

/** Whether the chain takes it for the account's: for this chain or any, and with the lower of the two signatures that recover. */
async function isOf(authorization: SignedAuthorization, account: Address, chainId: number): Promise<boolean> {
  if (authorization.chainId !== chainId && authorization.chainId !== 0) return false
  try {
    return (
      BigInt(authorization.s) <= highestS &&
      isAddressEqual(await recoverAuthorizationAddress({ authorization }), account)
    )
  } catch {
    return false
  }
}

/** Half of the order of secp256k1 (EIP-2). */
const highestS = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n

/** Enough for every doubling of an age in blocks, down and up again. */
const mostSteps = 64

/**
 * The first block at which the nonce is used, given one at which it is: back in doubling strides, then halving between.
 * A block whose state is not kept counts as one before it: then what is found may be another block, whose content says so.
 */
async function firstBlock(used: bigint, isUsedAt: (blockNumber: bigint) => Promise<boolean>): Promise<bigint | null> {
  const isKnownAt = (blockNumber: bigint): Promise<boolean> => isUsedAt(blockNumber).catch(() => false)
  let [first, before, steps] = [used, -1n, 0]
  for (let stride = 1n; first > 0n && steps < mostSteps; stride *= 2n, steps += 1) {
    const earlier = used > stride ? used - stride : 0n
    if (!(await isKnownAt(earlier))) {
      before = earlier
      break
    }
    first = earlier
  }
  while (first - before > 1n && steps < mostSteps) {
    const middle = (first + before) / 2n
    if (await isKnownAt(middle)) first = middle
    else before = middle
    steps += 1
  }
  return first - before === 1n ? first : null
}
