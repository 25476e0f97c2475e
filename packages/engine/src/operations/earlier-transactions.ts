import type { Ledger, StoredTransaction, Transactions } from '@svc/store'
import type { Chain } from '@svc/wallet/core'
import { getAddress, type PublicClient, type TransactionReceipt, zeroAddress } from 'viem'
import { type EarlierTransaction, type ErrorDetail, type RpcPool, ToolError } from '@svc/amm'
import { onStorage } from '../call/refusal.ts'
import { assetChanges } from '../simulation/asset-changes.ts'
import { receiptOf, gasCostOf } from '../spending/gas-cap.ts'
import { isRevoked, isSignedOpen, signedSteps } from './may-be-mined.ts'

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
