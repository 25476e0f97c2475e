import type { StoredTransaction, Transactions } from '@svc/store'
import type { Chain, JournalState } from '@svc/wallet'
import { formatUnits, getAddress, parseTransaction, slice, size, toFunctionSelector, zeroAddress } from 'viem'
import type { Sent } from '../dispatch/once.ts'
import type { ChainDirectory, RpcPool, TokenDirectory } from '../ports.ts'
import type { ErrorDetail } from '../tool-error.ts'
import { assetChanges } from './asset-changes.ts'
import { isCancelled } from './mined-instead-of.ts'
import { wentOut } from './went-out.ts'

/**
 * What a request signed and what became of it, for a caller who asks again. While anything is open the transactions that
 * went out, or still may, and how each stands. Once all is decided, also those that are never mined, what the wallet moved
 * on balance, and in a sentence whether to call again.
 */
export async function sentTransactions(world: SentWorld, requestId: string): Promise<Sent> {
  const entries = await world.transactions.byRequest(requestId)
  const isOver = entries.length > 0 && entries.every(({ state }) => decided.has(state))
  if (!isOver) return { details: entries.filter(wentOut).map(detailOf), end: null }
  const last = lastAttempts(entries)
  const details = await Promise.all(last.map((entry) => withTaker(world, entry)))
  return { details: [...details, ...(await movedBy(world, entries))], end: endOf(last) }
}

export type SentWorld = {
  readonly transactions: Pick<Transactions, 'byRequest' | 'byNonce'>
  readonly chains: Pick<ChainDirectory, 'list'>
  readonly rpc: Pick<RpcPool, 'client'>
  readonly tokens: Pick<TokenDirectory, 'byAddress'>
}

const standing: Partial<Record<JournalState, string>> = {
  final: 'mined',
  reverted: 'mined and reverted',
  refused: 'declined by the endpoint, which may have passed it on all the same',
  replaced: 'never mined: another transaction took its place',
  superseded: 'never mined: another transaction took its place',
}

const decided: ReadonlySet<JournalState> = new Set<JournalState>(['final', 'reverted', 'replaced', 'superseded'])

function detailOf({ hash, state }: StoredTransaction): ErrorDetail {
  return { message: standing[state] ?? 'not confirmed', txHash: hash }
}

/** One for each nonce: the attempt that was mined, else the newest. */
function lastAttempts(entries: readonly StoredTransaction[]): readonly StoredTransaction[] {
  const byNonce = new Map<number, StoredTransaction>()
  for (const entry of entries) {
    const other = byNonce.get(entry.nonce)
    if (other === undefined || !wentOut(other)) byNonce.set(entry.nonce, entry)
  }
  return [...byNonce.values()]
}

/** With the transaction of ours that was mined in its place, where one was. */
async function withTaker({ transactions }: SentWorld, entry: StoredTransaction): Promise<ErrorDetail> {
  if (entry.state !== 'replaced') return detailOf(entry)
  const attempts = await transactions.byNonce(entry.chainId, entry.from, entry.nonce)
  const mined = attempts.find(({ state }) => state === 'final' || state === 'reverted')
  const message = attempts.some(isCancelled) ? 'cancelled by the operator, and never mined' : standing.replaced
  return { ...detailOf(entry), message: message ?? '', ...(mined === undefined ? {} : { minedInstead: mined.hash }) }
}

/** Only what is certain: approvals alone leave nothing but an allowance, which is taken back. */
function endOf(last: readonly StoredTransaction[]): NonNullable<Sent['end']> {
  const effects = last.filter((entry) => entry.state === 'final' && !isApproval(entry))
  const all = 'everything it signed is decided by now'
  if (effects.length > 0) {
    return {
      isCancelled: false,
      message: `${all}: ${effects.length} of ${last.length} transactions did what they were for, as details say`,
      suggestion:
        'What details name has happened; do not ask for it again. Call with a new idempotencyKey only for what is still missing.',
    }
  }
  const message = `${all}, and nothing of what it was for has happened`
  return {
    isCancelled: last.some(isCancelled),
    message,
    suggestion: 'It is safe to call again with a new idempotencyKey.',
  }
}

/** What the wallet moved on balance; left out where the endpoint does not answer. */
async function movedBy(world: SentWorld, entries: readonly StoredTransaction[]): Promise<readonly ErrorDetail[]> {
  const mined = entries.filter(({ state }) => state === 'final')
  const [first] = mined
  const chain = world.chains.list().find(({ id }) => id === first?.chainId)
  if (first === undefined || chain === undefined) return []
  try {
    const client = world.rpc.client(chain)
    const receipts = await Promise.all(mined.map(({ hash }) => client.getTransactionReceipt({ hash })))
    const context = { wallet: first.from, wrappedNative: chain.wrappedNative.address }
    const changes = assetChanges(
      receipts.map(({ logs }) => logs),
      context,
    )
    const sent = mined.reduce((sum, { rawTransaction }) => sum + (parseTransaction(rawTransaction).value ?? 0n), 0n)
    const deltas = sent === 0n ? changes.deltas : new Map([...changes.deltas, [zeroAddress, -sent] as const])
    const moved = await Promise.all([...deltas].map((delta) => amountOf(world, chain, delta)))
    return [{ message: 'what the wallet moved; native currency that came in is left out', moved }]
  } catch {
    return [{ message: 'what the wallet moved cannot be read now' }]
  }
}

async function amountOf({ tokens }: SentWorld, chain: Chain, [address, amount]: readonly [string, bigint]) {
  const token = getAddress(address)
  const { symbol, decimals } = await tokens.byAddress(chain, token)
  return { token, symbol, amount: formatUnits(amount, decimals) }
}

function isApproval({ rawTransaction }: StoredTransaction): boolean {
  const { data = '0x' } = parseTransaction(rawTransaction)
  return size(data) >= 4 && approvals.has(slice(data, 0, 4))
}

const approvals: ReadonlySet<string> = new Set([
  toFunctionSelector('approve(address,uint256)'),
  toFunctionSelector('approve(address,address,uint160,uint48)'),
])
