import { BaseError, ExecutionRevertedError, type Address, type Hash, type Log, type PublicClient } from 'viem'
import type { RegistrationAttempt } from '../agent/registration/registration.ts'
import type { Journal, JournalEntry } from '../journal.ts'
import type { ChainFacts } from '../chain.ts'
import { createSender, type Sender } from '../sender.ts'
import { isNeverMined, isRefused } from '../sender/entry-state.ts'
import { feesNow, requireFeeWithin } from '../sender/fees.ts'
import type { TransactionSigner } from '../sender/sign-request.ts'
import { abortable, throwIfAborted } from '../with-deadline.ts'
import { revertDataIn, revertReason } from '../user-operation/revert-reason.ts'
import { WalletError } from '../wallet-error.ts'
import type { SubmittableCall } from './submission.ts'
import { abortIn, endpointFailure, endpointOf, withRefusal } from '../endpoint-failure.ts'

/**
 * Sends one call from the wallet, which pays its gas. What was signed before under the request is not signed again: its
 * bytes are offered again and its outcome is waited for, unless the chain shows that they are never mined. Throws
 * `GAS_NOT_PAID` where the wallet may not pay, `CALL_REVERTS` when the call would revert, `GAS_ABOVE_LIMIT`,
 * `RPC_UNAVAILABLE`, and what the signer throws; nothing is out then.
 */
export async function payFromWallet(payer: Payer, call: SubmittableCall): Promise<Payment> {
  const sender = createSender({ ...payer, wallet: payer.signer })
  for (let round = 0; round < mostRounds; round += 1) {
    const earlier = await payer.journal.byRequest(call.requestId)
    const alive = earlier.findLast((entry) => !leavesNonce(entry))
    if (alive === undefined) {
      if (payer.mayPay === false) throw notPaid(payer)
      const price = await priceOf(payer, call)
      requireFeeWithin(price.worstWei, payer.chain, payer.maxFeeWei)
      if (price.balanceWei < price.worstWei) return { status: 'underfunded', ...price }
      await sign(payer, sender, call, price, earlier.length)
    } else {
      const payment = await finish(payer, sender, alive, call)
      if (payment !== null) return payment
    }
  }
  const { address } = payer.signer
  throw new WalletError('NONCE_CONTENDED', `Other senders took every nonce of ${address} that was tried.`, {
    details: { chainId: payer.chain.id, address },
  })
}

function notPaid({ chain, signer, tiers = [], attempts = [] }: Payer): WalletError {
  const last = attempts.findLast(({ kind, reason }) => kind === 'gas' && reason !== undefined)
  const why = last === undefined ? '' : ` ${last.tier}: ${last.reason}`
  const details = { chainId: chain.id, address: signer.address, tiers, attempts: [...attempts] }
  return new WalletError('GAS_NOT_PAID', `No tier of gas.tiers pays; nothing is out.${why}`, { details })
}

export type Payer = {
  readonly signer: TransactionSigner
  readonly chain: ChainFacts
  readonly client: PublicClient
  readonly journal: Journal
  /** The most the gas may cost; the chain's own figure where it is missing. */
  readonly maxFeeWei?: bigint | undefined
  /** How long a transaction is waited for before it counts as pending; two minutes where it is missing. */
  readonly timeoutMs?: number | undefined
  /** `false`: what is signed is gone on with, and nothing more is. */
  readonly mayPay?: boolean | undefined
  /** The tiers that may pay, as they were given. */
  readonly tiers?: readonly string[] | undefined
  /** What was tried before the wallet, for whoever is refused. */
  readonly attempts?: readonly RegistrationAttempt[] | undefined
  readonly signal?: AbortSignal | undefined
  readonly onStep?: ((step: 'sign' | 'send' | 'confirm', details?: { readonly txHash: Hash }) => void) | undefined
}

export type Payment =
  | { readonly status: 'mined'; readonly txHash: Hash; readonly logs: readonly Log[] }
  /** `reason`: what the contract says when the call is run again on its block, `null` where that does not revert. */
  | { readonly status: 'reverted'; readonly txHash: Hash; readonly reason: string | null }
  | { readonly status: 'pending'; readonly txHash: Hash }
  | ({ readonly status: 'underfunded' } & Price)

export type Price = {
  readonly balanceWei: bigint
  /** What the gas may cost at its worst. */
  readonly worstWei: bigint
}

/** A signature and its end take two rounds; a nonce that another sender takes costs two more. */
const mostRounds = 6

/** The nonce of such an entry is taken by another transaction, or free for the next one, which then takes it. */
function leavesNonce(entry: JournalEntry): boolean {
  return isNeverMined(entry) || isRefused(entry)
}

type PriceWithGas = Price & {
  readonly gasLimit: bigint
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  readonly latestCount: number
}

async function sign(payer: Payer, sender: Sender, call: SubmittableCall, price: PriceWithGas, step: number) {
  const { worstWei: _worst, balanceWei: _balance, ...gas } = price
  payer.onStep?.('sign')
  await sender.sign({
    ...gas,
    requestId: call.requestId,
    step,
    to: call.target,
    data: call.data,
    valueWei: 0n,
    reservationId: null,
    allow: async () => throwIfAborted(payer.signal),
  })
}

/** `null` when the entry turned out to be never mined. */
async function finish(
  payer: Payer,
  sender: Sender,
  entry: JournalEntry,
  call: SubmittableCall,
): Promise<Payment | null> {
  const { timeoutMs, signal, onStep } = payer
  onStep?.('send', { txHash: entry.hash })
  // The bytes are signed: whether they went out already when the caller gives up, nobody can tell.
  const sent = await abortable(signal)
    .until(() => sender.broadcast(entry))
    .catch((error: unknown) => {
      if (abortIn(error) !== null) return null
      throw error
    })
  if (sent === null) return { status: 'pending', txHash: entry.hash }
  if (sent.state === 'refused') {
    const details = { ...endpointOf(payer.client), reason: declined, txHash: sent.hash }
    throw new WalletError('RPC_UNAVAILABLE', 'The endpoint declined the transaction; nothing is out.', {
      ...withRefusal(details, sent.refusal),
      cause: sent.refusal,
    })
  }
  onStep?.('confirm', { txHash: sent.hash })
  const confirmed = await sender.confirm(sent, {
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(signal === undefined ? {} : { signal }),
  })
  const { status } = confirmed
  if (status === 'pending') return { status, txHash: confirmed.entry.hash }
  if (status !== 'final' && status !== 'reverted') return null
  const { transactionHash: txHash, logs, blockNumber } = confirmed.receipt
  if (status === 'final') return { status: 'mined', txHash, logs }
  return { status, txHash, reason: await reasonAt(payer, call, blockNumber) }
}

const declined = 'the transaction was declined'

/** On the state behind the block, which the call left as it was. Old state is not kept everywhere. */
async function reasonAt({ client, signer }: Payer, { target, data }: SubmittableCall, blockNumber: bigint) {
  return client.call({ account: signer.address, to: target, data, blockNumber }).then(
    () => null,
    (error: unknown) => revertReason(revertDataIn(error) ?? '0x'),
  )
}

/** All in one round of questions. A fifth more gas than estimated, since state moves. */
async function priceOf({ client, chain, signer }: Payer, call: SubmittableCall): Promise<PriceWithGas> {
  const { address } = signer
  const [gas, { lasting }, balanceWei, latestCount] = await Promise.all([
    estimate(client, address, call),
    feesNow(client, chain),
    client.getBalance({ address }),
    client.getTransactionCount({ address, blockTag: 'latest' }),
  ]).catch((cause: unknown) => {
    if (cause instanceof WalletError) throw cause
    throw endpointFailure('The endpoint does not say what the transaction costs.', cause, client)
  })
  const gasLimit = (gas * 12n) / 10n
  return { gasLimit, ...lasting, worstWei: gasLimit * lasting.maxFeePerGas, balanceWei, latestCount }
}

/** Without fees in the request: a wallet that is empty yet must learn the price all the same. */
async function estimate(client: PublicClient, account: Address, { target, data }: SubmittableCall): Promise<bigint> {
  return client.estimateGas({ account, to: target, data, prepare: false }).catch((cause: unknown) => {
    const reverted = cause instanceof BaseError ? cause.walk((error) => error instanceof ExecutionRevertedError) : null
    if (reverted === null) throw cause
    const reason = revertReason(revertDataIn(cause) ?? '0x')
    throw new WalletError('CALL_REVERTS', `The contract refuses the call${reason === null ? '' : `: ${reason}`}.`, {
      cause,
      details: { to: target, reason },
    })
  })
}
