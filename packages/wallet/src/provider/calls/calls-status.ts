import { numberToHex, type Hash, type Hex, type Log, type TransactionReceipt, isAddressEqual } from 'viem'
import { receiptOf } from '../../sender/settle.ts'
import { isOpen } from '../../sender/entry-state.ts'
import type { SignedUserOperation } from '../../user-operation/signed-user-operation.ts'
import { ProviderRpcError, rpcCodes } from '../provider-rpc-error.ts'
import { field } from '../read-params.ts'
import { batchSponsors, type CallsContext, type CallBatch } from './calls-context.ts'
import { WalletError } from '../../wallet-error.ts'

/**
 * `wallet_getCallsStatus` of EIP-5792, read from the chain; blocks count once they are settled. What is out and not mined
 * is offered again on the way, as the bytes it is. Throws -32602, 5730 for an id of no batch, and what the endpoint answers.
 */
export async function callsStatus(context: CallsContext, [id]: readonly unknown[]): Promise<CallsStatus> {
  if (typeof id !== 'string' || id === '') throw field.invalid('params[0]', 'the id of a batch')
  const batch = await context.batches.load(id)
  if (batch === null || batch.chainId !== context.chain.id) {
    throw new ProviderRpcError(rpcCodes.unknownId, 'There is no batch of this id.')
  }
  const { operation } = batch
  const found = operation === null ? await ofTransactions(context, batch) : await ofOperation(context, id, operation)
  return { version: '2.0.0', id, chainId: numberToHex(batch.chainId), atomic: operation !== null, ...found }
}

/** What became of a batch. */
export type CallsStatus = {
  readonly version: '2.0.0'
  readonly id: string
  readonly chainId: Hex
  /** 100 pending, 200 done, 400 never on chain, 500 reverted, 600 partly done (EIP-5792 "Status Codes"). */
  readonly status: 100 | 200 | 400 | 500 | 600
  readonly atomic: boolean
  readonly receipts: readonly CallsReceipt[]
}

/** Of one transaction: the part of its receipt that EIP-5792 asks for. */
export type CallsReceipt = {
  readonly logs: readonly Pick<Log, 'address' | 'data' | 'topics'>[]
  readonly status: '0x0' | '0x1'
  readonly blockHash: Hash
  readonly blockNumber: Hex
  readonly gasUsed: Hex
  readonly transactionHash: Hash
}

type Found = Pick<CallsStatus, 'status' | 'receipts'>

async function ofTransactions(context: CallsContext, { id, requestId, size }: CallBatch): Promise<Found> {
  const { client, journal, sending, underWay } = context
  const isGoingOn = underWay.has(id)
  // What an earlier process left is nobody's to watch but this call's.
  if (!isGoingOn && (await journal.byRequest(requestId)).some(isOpen)) await (await sending.open()).reconcile()
  const entries = await journal.byRequest(requestId)
  const mined = await Promise.all(entries.map(({ hash }) => receiptOf(client, hash)))
  const receipts = mined.flatMap((receipt) =>
    receipt === null ? [] : [toWire(receipt, receipt.logs, receipt.status === 'success')],
  )
  return { status: isGoingOn || entries.some(isOpen) ? 100 : outcomeOf(receipts, size), receipts }
}

function outcomeOf(receipts: readonly CallsReceipt[], size: number): CallsStatus['status'] {
  const done = receipts.filter(({ status }) => status === '0x1').length
  if (done === size) return 200
  if (done > 0) return 600
  return receipts.length > 0 ? 500 : 400
}

async function ofOperation(context: CallsContext, id: string, signed: SignedUserOperation): Promise<Found> {
  const { chain, client } = context
  const { bundlerUrl } = batchSponsors(context)
  const [{ lookForOperation }, { openBundler }] = await Promise.all([
    import('../../user-operation/look-for-operation.ts'),
    import('../../user-operation/open-bundler.ts'),
  ])
  const bundler = bundlerUrl === null ? null : openBundler(bundlerUrl, 10_000)
  const sighting = await lookForOperation({ client, chain, bundler }, signed)
  if (sighting.status === 'mined' || sighting.status === 'reverted') {
    const receipt = await client.getTransactionReceipt({ hash: sighting.txHash })
    const isDone = sighting.status === 'mined'
    return { status: isDone ? 200 : 500, receipts: [toWire(receipt, isDone ? sighting.logs : [], isDone)] }
  }
  if (sighting.status !== 'open') return { status: 400, receipts: [] }
  const now = performance.now()
  if (bundler !== null && now - (context.offeredAt.get(id) ?? -Infinity) > offerAgainMs) {
    context.offeredAt.set(id, now)
    const { offerUserOperation } = await import('../../user-operation/open-bundler.ts')
    await offerUserOperation(bundler, signed)
  }
  return { status: 100, receipts: [] }
}

const offerAgainMs = 10_000

/** Of a bundle's receipt only what the calls themselves logged. */
function toWire(receipt: TransactionReceipt, logs: readonly Log[], isDone: boolean): CallsReceipt {
  return {
    logs: logs.map(({ address, data, topics }) => ({ address, data, topics })),
    status: isDone ? '0x1' : '0x0',
    blockHash: receipt.blockHash,
    blockNumber: numberToHex(receipt.blockNumber),
    gasUsed: numberToHex(receipt.gasUsed),
    transactionHash: receipt.transactionHash,
  }
}

/**
 * `wallet_getCapabilities` of EIP-5792: whether batches are atomic here (`ready`: the first one delegates the account) and
 * whether there is a paymaster that a client may name. Chains that the provider is not on are left out. Throws -32602 and 4100.
 */
export async function callsCapabilities(context: CallsContext, params: readonly unknown[]): Promise<Capabilities> {
  const { wallet, chain } = context
  const [address, chainIds] = params
  const own = await wallet.getAddress()
  if (address !== undefined && address !== null && !isAddressEqual(field.address({ address }, 'address'), own)) {
    throw new ProviderRpcError(rpcCodes.unauthorized, `The wallet is ${own} alone.`)
  }
  if (chainIds !== undefined && !Array.isArray(chainIds)) throw field.invalid('params[1]', 'a list of chain ids')
  const wanted = chainIds?.map((chainId: unknown) => field.quantity({ chainId }, 'chainId'))
  if (wanted !== undefined && !wanted.includes(BigInt(chain.id))) return {}
  const { bundlerUrl, paymasterUrl, clientPaymasterUrls } = batchSponsors(context)
  const isAtomic = bundlerUrl !== null && paymasterUrl !== null
  const supported = bundlerUrl !== null && clientPaymasterUrls.length > 0
  const atomic = { status: isAtomic ? await delegationOf(context) : 'unsupported' } as const
  return { [numberToHex(chain.id)]: { atomic, paymasterService: { supported } } }
}

/** What the wallet can do for batches, by the id of the chain in hex. */
export type Capabilities = Readonly<
  Record<
    Hex,
    {
      readonly atomic: { readonly status: 'supported' | 'ready' | 'unsupported' }
      readonly paymasterService: { readonly supported: boolean }
    }
  >
>

async function delegationOf({ client, wallet, sponsor }: CallsContext): Promise<'supported' | 'ready' | 'unsupported'> {
  const { chooseDelegation } = await import('../../user-operation/choose-delegation.ts')
  try {
    const { nonce } = await chooseDelegation(client, await wallet.getAddress(), sponsor?.allowDelegationTo)
    return nonce === null ? 'supported' : 'ready'
  } catch (error) {
    if (error instanceof WalletError && error.code === 'DELEGATION_NOT_ALLOWED') return 'unsupported'
    throw error
  }
}
