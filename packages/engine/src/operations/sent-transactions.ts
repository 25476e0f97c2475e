import type { SignedOrders, StoredOrder, StoredTransaction, Transactions, Ledger } from '@svc/store'
import type { Chain, JournalState } from '@svc/wallet/core'
import {
  formatUnits,
  getAddress,
  type Hash,
  parseTransaction,
  zeroAddress,
  type PublicClient,
  type TransactionReceipt,
} from 'viem'
import { erc20Abi } from '@svc/amm/abis'
import { withBareTokens } from '@svc/amm/tokens'
import type { Sent } from './operations.ts'
import {
  type ChainDirectory,
  type ErrorDetail,
  type RpcPool,
  type TokenDirectory,
  type EarlierTransaction,
  ToolError,
} from '@svc/amm'
import { assetChanges } from '../simulation/asset-changes.ts'
import { approvalOf, isRevoked, mayBeMined, type SignedApproval, signedSteps, isSignedOpen } from './may-be-mined.ts'
import { onStorage } from '../call/refusal.ts'
import { receiptOf, gasCostOf } from '../spending/gas.ts'

/**
 * What a request signed and what became of it, for a caller who asks again. While anything is open the transactions that
 * went out, or still may, and how each stands. Once all is decided, also those that are never mined, what the wallet moved
 * on balance, and in a sentence whether to call again.
 */
export async function sentTransactions(world: SentWorld, requestId: string): Promise<Sent> {
  const [entries, ordered] = await Promise.all([
    world.transactions.byRequest(requestId),
    world.signedOrders.byRequest(requestId),
  ])
  const orders = ordered.map(({ operationId, orderId }) => ({ message: 'order signed', operationId, orderId }))
  const isOver = entries.length > 0 && entries.every(({ state }) => decided.has(state))
  if (!isOver) return { details: [...entries.filter(mayBeMined).map(detailOf), ...orders], end: null }
  const steps = signedSteps(entries)
  const [details, standing] = await Promise.all([
    Promise.all(steps.map((attempts) => withTaker(world, attempts))),
    standingApprovals(world, entries),
  ])
  const end = ordered.some(({ state }) => state !== 'unopened') ? orderedEnd(ordered) : endOf(steps, standing)
  return { details: [...details, ...orders, ...(await movedBy(world, entries))], end }
}

/** Whoever asks again would sign a second one. */
function orderedEnd(ordered: readonly Pick<StoredOrder, 'kind'>[]): NonNullable<Sent['end']> {
  const isCrossing = ordered.some(({ kind }) => kind === 'cross_chain')
  const message = isCrossing
    ? 'it opened a cross-chain order, which may be filled until it ends, whatever became of the call'
    : 'it signed an order, which may be filled until it ends, whatever became of the call'
  const way = isCrossing ? '' : ', or end the order with cancel_uniswapx_order'
  return {
    isCancelled: false,
    message,
    suggestion: `Follow operationId with get_operation${way}; do not ask for it again.`,
  }
}

export type SentWorld = {
  readonly signedOrders: Pick<SignedOrders, 'byRequest'>
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

/** The attempt that was mined, else the newest; with the transaction of ours that was mined in its place, where one was. */
async function withTaker({ transactions }: SentWorld, attempts: readonly StoredTransaction[]): Promise<ErrorDetail> {
  const last = attempts.find(mayBeMined) ?? attempts.at(-1)
  if (last === undefined) return { message: '' }
  if (mayBeMined(last)) return detailOf(last)
  const others = last.state === 'replaced' ? await transactions.byNonce(last.chainId, last.from, last.nonce) : []
  const mined = others.find(({ state }) => state === 'final' || state === 'reverted')
  return {
    ...detailOf(last),
    ...(isRevoked(attempts) ? { message: 'cancelled by the operator, and never mined' } : {}),
    ...(mined === undefined ? {} : { minedInstead: mined.hash }),
  }
}

/**
 * Only what is certain: an approval that was revoked, or will be, leaves nothing, so one counts only while its allowance
 * stands. Where the operator took a step back, nothing but approvals for it says otherwise.
 */
function endOf(
  steps: readonly (readonly StoredTransaction[])[],
  standing: ReadonlySet<Hash>,
): NonNullable<Sent['end']> {
  const mined = steps.flat().filter(({ state }) => state === 'final')
  const calls = mined.filter((entry) => approvalOf(entry) === null)
  const effects = [...calls, ...mined.filter(({ hash }) => standing.has(hash))]
  // An approval that is used up, or taken back, was for another step.
  const counted = steps.filter(
    (attempts) =>
      attempts.some((entry) => effects.includes(entry)) ||
      attempts.every((entry) => entry.state !== 'final' || approvalOf(entry) === null),
  )
  const all = 'everything it signed is decided by now'
  const isCancelled = calls.length === 0 && steps.some(isRevoked)
  if (effects.length > 0 && !isCancelled) {
    return {
      isCancelled,
      message: `${all}: ${effects.length} of ${counted.length} transactions did what they were for, as details say`,
      suggestion:
        'What details name has happened; do not ask for it again. Call with a new idempotencyKey only for what is still missing.',
    }
  }
  const message = `${all}, and nothing of what it was for has happened`
  return { isCancelled, message, suggestion: 'It is safe to call again with a new idempotencyKey.' }
}

/**
 * The approvals of a request that were not revoked: of each token and spender the last, if it sets an amount and that
 * allowance stands, or if there was nothing of the request to revoke. Where the chain cannot be read, it stands.
 */
async function standingApprovals(world: SentWorld, entries: readonly StoredTransaction[]): Promise<ReadonlySet<Hash>> {
  const byPair = new Map<string, Approved[]>()
  for (const entry of entries) {
    const approval = entry.state === 'final' ? approvalOf(entry) : null
    if (approval?.via !== 'erc20') continue
    const pair = `${approval.token}:${approval.spender}`.toLowerCase()
    byPair.set(pair, [...(byPair.get(pair) ?? []), { entry, approval }])
  }
  const found = await Promise.all(
    [...byPair.values()].map(async (approvals) => {
      const last = approvals.at(-1)
      return last !== undefined && (await stands(world, last, approvals)) ? last.entry.hash : null
    }),
  )
  return new Set(found.filter((hash) => hash !== null))
}

type Approved = {
  readonly entry: StoredTransaction
  readonly approval: Extract<SignedApproval, { readonly via: 'erc20' }>
}

async function stands(
  { chains, rpc }: SentWorld,
  { entry, approval }: Approved,
  all: readonly Approved[],
): Promise<boolean> {
  if (approval.amount === 0n) return all.every((one) => one.approval.amount === 0n)
  const chain = chains.list().find(({ id }) => id === entry.chainId)
  if (chain === undefined) return true
  try {
    const { token: address, spender } = approval
    const call = { address, abi: erc20Abi, functionName: 'allowance', args: [entry.from, spender] } as const
    return (await rpc.client(chain).readContract(call)) !== 0n
  } catch {
    return true
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

async function amountOf(world: SentWorld, chain: Chain, [address, amount]: readonly [string, bigint]) {
  const token = getAddress(address)
  const { symbol, decimals } = await withBareTokens(world).tokens.byAddress(chain, token)
  return { token, symbol, amount: formatUnits(amount, decimals) }
}

/**
 * What the earlier attempts of a request had mined on a chain, in order: what an attempt that goes on must not do again. The journal
 * knows of every transaction before its first byte leaves, and receipts say what it did, so nothing else has to be kept.
 *
 * @throws ToolError `WALLET_BUSY` while anything the request signed may still be mined or is not counted yet, `CANCELLED_BY_OPERATOR` where the
 * operator took something of it back, `STORAGE_UNAVAILABLE`, `RPC_*`
 */
export async function earlierTransactions(
  world: EarlierWorld,
  requestId: string,
  chain: Chain,
): Promise<readonly EarlierTransaction[]> {
  if (!(await isSettled(world, requestId))) await world.lookAgain().catch(() => undefined)
  const signed = await signedBy(world, requestId)
  if (!(await isSettled(world, requestId))) throw stillOpen(signed)
  const steps = signedSteps(signed)
  if (steps.some(isRevoked)) throw cancelled(signed)
  const client = world.rpc.client(chain)
  const mined = signed.filter(({ state, chainId }) => chainId === chain.id && hasReceipt.has(state))
  return Promise.all(mined.map((entry) => readEarlier(client, chain, entry)))
}

export type EarlierWorld = {
  readonly transactions: Pick<Transactions, 'byRequest'>
  readonly ledger: Pick<Ledger, 'open'>
  readonly rpc: Pick<RpcPool, 'client'>
  /** Brings what is left open to its end where the chain shows it. */
  lookAgain(): Promise<unknown>
}

function signedBy({ transactions }: EarlierWorld, requestId: string): Promise<readonly StoredTransaction[]> {
  return onStorage('the journal cannot be read', () => transactions.byRequest(requestId))
}

/** Once the request is on its way again nobody else ends what it left, and revocations forget which approvals were its own. */
async function isSettled(world: EarlierWorld, requestId: string): Promise<boolean> {
  const reserved = await onStorage('the spend ledger cannot be read', () => world.ledger.open())
  if (reserved.some((one) => one.requestId === requestId)) return false
  return !(await signedBy(world, requestId)).some(isOpen)
}

const hasReceipt: ReadonlySet<StoredTransaction['state']> = new Set<StoredTransaction['state']>(['final', 'reverted'])

/** Declined bytes may be mined all the same. */
function isOpen(entry: StoredTransaction): boolean {
  return isSignedOpen(entry) || entry.state === 'refused'
}

async function readEarlier(client: PublicClient, chain: Chain, entry: StoredTransaction): Promise<EarlierTransaction> {
  const { hash, from: wallet } = entry
  const receipt = receiptOf(entry, await client.getTransactionReceipt({ hash }), chain)
  const { blockNumber, logs, gasUsed } = receipt
  const deltas = new Map(assetChanges([logs], { wallet, wrappedNative: chain.wrappedNative.address }).deltas)
  const nativeWei = await nativeChange(client, wallet, receipt)
  if (nativeWei !== 0n) deltas.set(zeroAddress, nativeWei)
  return {
    hash,
    blockNumber,
    logs,
    gasUsed,
    gasCostWei: gasCostOf([receipt]),
    deltas: [...deltas]
      .filter(([, amount]) => amount !== 0n)
      .map(([token, amount]) => ({ token: getAddress(token), amount })),
  }
}

/** Native currency leaves no logs: the change of the balance over the block, gas left out. The wallet sends one transaction at a time. */
async function nativeChange(
  client: PublicClient,
  address: StoredTransaction['from'],
  receipt: TransactionReceipt,
): Promise<bigint> {
  const [before, after] = await Promise.all([
    client.getBalance({ address, blockNumber: receipt.blockNumber - 1n }),
    client.getBalance({ address, blockNumber: receipt.blockNumber }),
  ])
  return after - before + gasCostOf([receipt])
}

function stillOpen(open: readonly StoredTransaction[]): ToolError {
  return new ToolError('WALLET_BUSY', 'What an earlier attempt at this call signed is not decided yet.', {
    details: open.map(detailWith('not decided yet')),
    suggestion: 'Repeat the same call with the same idempotencyKey in a minute; it goes on once the chain has decided.',
  })
}

function cancelled(signed: readonly StoredTransaction[]): ToolError {
  return new ToolError('CANCELLED_BY_OPERATOR', 'The operator took back what this call had sent; it does not go on.', {
    details: signed.map(detailWith('signed by this call')),
  })
}

function detailWith(message: string): (entry: StoredTransaction) => ErrorDetail {
  return ({ hash: txHash }) => ({ message, txHash })
}
