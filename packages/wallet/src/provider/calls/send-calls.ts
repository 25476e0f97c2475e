import { randomBytes } from 'node:crypto'
import { bytesToHex, keccak256, stringToHex, type Address } from 'viem'
import { offerUserOperation } from '../../user-operation/open-bundler.ts'
import { openOperation } from '../../user-operation/open-operation.ts'
import type { SignedUserOperation } from '../../user-operation/signed-user-operation.ts'
import { WalletError } from '../../wallet-error.ts'
import { ProviderRpcError, rpcCodes } from '../provider-rpc-error.ts'
import type { JournalEntry } from '../../journal.ts'
import type { CallBatch } from './call-batches.ts'
import { type CallsContext, batchSponsors } from './calls-context.ts'
import { readCalls, type BatchedCall, type CallsRequest } from './read-calls.ts'

/**
 * `wallet_sendCalls` of EIP-5792. With a bundler and a paymaster the calls are one user operation, all or none; without,
 * each is a transaction of its own, sent when the one before it is settled, and the first that fails is the last. An id
 * is used up once anything is signed for it, for good. Throws {@link ProviderRpcError}, and what the wallet throws.
 */
export async function sendCalls(context: CallsContext, params: readonly unknown[]): Promise<{ readonly id: string }> {
  const from = await context.wallet.getAddress()
  const request = readCalls(params, { address: from, chainId: context.chain.id })
  const batch = batchOf(context, request, from)
  const { id } = batch
  if ((await context.batches.load(id)) !== null) throw duplicate()
  const sponsored = sponsorOf(context, request)
  if (sponsored === null) await sendInOrder(context, batch, request.calls, () => keep(context, batch))
  else await sendAsOperation(context, sponsored, (operation) => keep(context, { ...batch, operation }))
  return { id }
}

/** What one user operation is made of. */
type Sponsored = {
  readonly calls: readonly (BatchedCall & { readonly to: Address })[]
  readonly paymasterUrl: string
  readonly paymasterContext: Readonly<Record<string, unknown>> | null
}

function batchOf({ chain }: CallsContext, request: CallsRequest, from: Address): CallBatch {
  const id = request.id ?? bytesToHex(randomBytes(32))
  const requestId = `calls:${chain.id}:${keccak256(stringToHex(id))}`
  return { id, requestId, chainId: chain.id, from, size: request.calls.length, operation: null }
}

/** `null` for calls that go out as transactions. */
function sponsorOf(context: CallsContext, request: CallsRequest): Sponsored | null {
  const { calls, atomicRequired } = request
  const { bundlerUrl, paymasterUrl, clientPaymasterUrls } = batchSponsors(context)
  const named = request.paymaster
  const paymaster = named !== null && clientPaymasterUrls.includes(named.url) ? named : null
  const payer = paymaster?.url ?? (named === null || named.isOptional ? paymasterUrl : null)
  const toSomeone = calls.flatMap(({ to, ...rest }) => (to === null ? [] : [{ to, ...rest }]))
  if (bundlerUrl !== null && payer !== null && toSomeone.length === calls.length) {
    const paymasterContext = paymaster === null ? (context.sponsor?.paymasterContext ?? null) : paymaster.context
    return { calls: toSomeone, paymasterUrl: payer, paymasterContext }
  }
  if (named !== null && !named.isOptional) {
    const message =
      'The paymaster cannot pay for these calls: the wallet does not allow it, has no bundler, or they create a contract.'
    throw new ProviderRpcError(rpcCodes.unsupportedCapability, message)
  }
  if (!atomicRequired || calls.length === 1) return null
  const message = 'All or none takes a bundler and a paymaster, and calls that create no contract.'
  throw new ProviderRpcError(rpcCodes.atomicityUnsupported, message)
}

async function keep({ batches }: CallsContext, batch: CallBatch): Promise<void> {
  if (!(await batches.add(batch))) throw duplicate()
}

function duplicate(): ProviderRpcError {
  return new ProviderRpcError(rpcCodes.duplicateId, 'There is a batch of this id; nothing was signed.')
}

/**
 * Signs calls as one user operation, has it kept, and offers it to the bundler once; it does not wait for its end. What it
 * throws, it throws with nothing offered: 5750 for a wallet that does not delegate its account, and what
 * `signUserOperation` and `keep` throw.
 */
async function sendAsOperation(
  context: CallsContext,
  { calls, paymasterUrl, paymasterContext }: Sponsored,
  keep: (operation: SignedUserOperation) => Promise<void>,
): Promise<void> {
  const { wallet, sponsor, env, chain, client, rpcUrl } = context
  const { paymasterContext: _own, ...others } = sponsor ?? {}
  const operating = await openOperation(
    wallet,
    { chain, client, rpcUrl },
    { ...others, env, paymasterUrl, ...(paymasterContext && { paymasterContext }) },
  )
  const { signUserOperation } = await import('../../user-operation/sign-user-operation.ts')
  const wanted = calls.map(({ to, data, valueWei }) => ({ target: to, data, valueWei }))
  const signed = await signUserOperation(operating, wanted).catch((cause: unknown) => {
    if (!(cause instanceof WalletError && cause.code === 'SIGNING_UNSUPPORTED')) throw cause
    throw new ProviderRpcError(rpcCodes.upgradeRejected, 'The wallet signs no delegation (EIP-7702).', { cause })
  })
  await keep(signed)
  await offerUserOperation(operating.bundler, signed)
}

/**
 * Sends the first call of a batch, and the others one after the other while this process lives, each when the one before
 * it is settled. Resolves when the first is out; what it throws then, it throws with nothing out. A call that fails, or
 * whose end is not known for too long, is the last.
 */
async function sendInOrder(
  context: CallsContext,
  batch: CallBatch,
  calls: readonly BatchedCall[],
  keep: () => Promise<void>,
): Promise<void> {
  const { sending, underWay } = context
  const { id, requestId } = batch
  const send = (step: number): Promise<JournalEntry> | null => {
    const call = calls[step]
    const free = { gasLimit: null, maxFeePerGas: null, maxPriorityFeePerGas: null, nonce: null }
    return call === undefined
      ? null
      : sending.send({ ...call, ...free }, { requestId, step }, step === 0 ? keep : undefined)
  }
  const first = await send(0)
  if (first === null) return
  underWay.add(id)
  void follow(context, first, send)
    // What went wrong shows in the journal: this call is not in it, and none comes after it.
    .catch(() => undefined)
    .finally(() => underWay.delete(id))
}

async function follow(
  { sending }: CallsContext,
  first: JournalEntry,
  send: (step: number) => Promise<JournalEntry> | null,
): Promise<void> {
  const sender = await sending.open()
  let entry: JournalEntry | null = first
  for (let step = 1; entry !== null; step += 1) {
    const { status } = await sender.confirm(entry, { timeoutMs: longestWaitMs })
    if (status !== 'final') return
    entry = await send(step)
  }
}

const longestWaitMs = 600_000
