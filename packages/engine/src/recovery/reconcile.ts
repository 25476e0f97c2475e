import type { Engine } from '../context/engine.ts'
import { clearUp, type ClearedUp, isAnythingLeft, stillPending } from './clear-up.ts'
import { followCrossChain } from '../cross-chain/follow-cross-chain.ts'
import { followOrders } from '../orders/follow-orders.ts'
import type { SerialQueue } from './serial-queue.ts'
import { onStorage } from '../call/refusal.ts'
import { isAnyToReadAgain } from '../transactions/revoke-pending.ts'
import { settleHeld } from '../stages/reserve-spend.ts'
import { serverContext } from '../context/execution-context.ts'
import { type Chain, createSender, type Journal, type Sender } from '@svc/wallet/core'
import { type Hash, type Address, isAddressEqual } from 'viem'
import type { Transactions } from '@svc/store'
import type { RpcPool } from '@svc/amm'
import type { Policy } from '../policy/policy.ts'
import { privateRoute } from '../transactions/private-route.ts'

/**
 * Ends what requests that are gone left open on every chain, each in its turn among the writes there; one chain waits for no other. A chain
 * that cannot be read is named and cleared up before its next write. Most chains hold nothing of ours, which one question to the store tells.
 * Throws `STORAGE_UNAVAILABLE`.
 */
export async function reconcile(engine: Engine, means: ReconcileMeans): Promise<ReconcileReport> {
  const unsettled = await onStorage('the journal cannot be read', () => engine.transactions.unsettledChains())
  const chains = engine.chains.list().filter(({ id }) => unsettled.has(id))
  const looked = await Promise.all(chains.map((chain) => reconcileChain(engine, chain, means)))
  return {
    chains: looked.flatMap(({ cleared }) => (cleared === null ? [] : [cleared])),
    failed: looked.flatMap(({ chainId, hasFailed }) => (hasFailed ? [chainId] : [])),
  }
}

async function reconcileChain(
  engine: Engine,
  chain: Chain,
  { inFlight, inTurn, reported }: ReconcileMeans,
): Promise<Looked> {
  const looked: Looked = { chainId: chain.id, cleared: null, hasFailed: false }
  const fail = (error: unknown): void => {
    engine.log.warn('reconcile.failed', { chainId: chain.id, error })
    looked.hasFailed = true
  }
  const { signal } = serverContext(engine, chain).call
  // In a line of its own: it signs nothing, and holds up no write of the server's own wallet.
  await inTurn(`${chain.id} former`, signal, () => settleFormer(engine, chain, reported)).catch(fail)
  const context = serverContext(engine, chain)
  await settleHeld(context).catch(fail)
  await followOrders(context).catch(fail)
  await followCrossChain(context, inFlight).catch(fail)
  try {
    const isLeft = await isAnythingLeft(context, inFlight)
    if (!isLeft && !(await isAnyToReadAgain(engine, chain, context.wallet))) return looked
    const cleared = await inTurn(`${chain.id}`, context.call.signal, () => clearUp(context, inFlight))
    if (isLeft || cleared.tookBack > 0) looked.cleared = cleared
  } catch (error) {
    fail(error)
  }
  return looked
}

type Looked = { readonly chainId: number; cleared: ClearedUp | null; hasFailed: boolean }

export type ReconcileMeans = {
  /** Requests that are on their way. */
  readonly inFlight: ReadonlySet<string>
  readonly inTurn: SerialQueue
  /** What former wallets left open and was logged: once is enough. */
  readonly reported: Set<Hash>
}

export type ReconcileReport = {
  readonly chains: readonly ClearedUp[]
  readonly failed: readonly number[]
}

/** Before a write: ends what is left on its chain. Throws `WALLET_BUSY` while something is still out. */
export async function clearTheWay(engine: Engine, chain: Chain, inFlight: ReadonlySet<string>): Promise<void> {
  const { address: wallet } = engine.senders(chain)
  const isLeft = await onStorage('the journal cannot be read', () =>
    isAnythingLeft({ engine, chain, wallet }, inFlight),
  )
  if (!isLeft) return
  const { pending } = await clearUp(serverContext(engine, chain), inFlight)
  if (pending.length > 0) throw stillPending(pending)
}

/**
 * Senders for the other addresses that have something open on a chain: those of keys this server had before. They look
 * transactions up and send stored bytes again; nothing is ever signed with them, for there is no key.
 */
export function createFormerWallets(options: {
  readonly transactions: Pick<Transactions, 'wallets'>
  readonly journal: Journal
  readonly rpc: Pick<RpcPool, 'client' | 'privately' | 'transactionCounts'>
  /** The address the server signs for. */
  readonly wallet: Address
  readonly policy: () => Policy
  /** As a sender takes it. */
  readonly requireOffer?: () => void
}): (chain: Chain) => Promise<readonly Sender[]> {
  const { transactions, journal, rpc, wallet, policy, requireOffer } = options
  return async (chain) => {
    const others = (await transactions.wallets(chain.id)).filter((address) => !isAddressEqual(address, wallet))
    return others.map((address) =>
      createSender({
        wallet: { address, signTransaction: () => Promise.reject(new TypeError('There is no key for this wallet.')) },
        client: rpc.client(chain),
        chain,
        journal,
        counts: () => rpc.transactionCounts(chain, address),
        privately: privateRoute(rpc, chain, policy),
        requireOffer,
      }),
    )
  }
}

/**
 * Ends what former keys of the server left open on a chain, as far as that needs no key: what was mined is settled, what
 * waits is sent again. What stays open is reported once, with the fix. Rejects when the chain or the journal cannot be read.
 */
async function settleFormer(engine: Engine, chain: Chain, reported: Set<Hash>): Promise<void> {
  for (const sender of await engine.formerWallets(chain)) {
    const { address } = sender
    for (const { hash, nonce, state } of await sender.reconcile()) {
      const transaction = { chainId: chain.id, from: address, hash, nonce }
      engine.audit.note({ event: 'tx.reconciled', transaction, result: { status: state } })
    }
    const [open, refused] = await Promise.all([
      engine.journal.open(chain.id, address),
      engine.journal.refused(chain.id, address),
    ])
    const left = [...open, ...refused].filter(({ hash }) => !reported.has(hash))
    for (const { hash } of left) reported.add(hash)
    if (left.length === 0) continue
    const transactions = left.map(({ hash, nonce, state }) => ({ hash, nonce, state }))
    engine.log.warn('wallet.former-open', { chainId: chain.id, wallet: address, transactions, fix })
  }
}

const fix =
  'These wait for a block and are sent again; their amounts count until they are decided. To raise or cancel them (svc transactions cancel), start the server once with the key of this wallet.'
