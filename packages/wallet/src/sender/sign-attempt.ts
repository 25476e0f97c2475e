import { keccak256, type Address, type Hex, type PublicClient, type SignedAuthorization } from 'viem'
import type { Chain } from '../chain.ts'
import type { Journal, JournalEntry } from '../journal.ts'
import { isRefused, isWaiting } from './entry-state.ts'
import { feesNow, feesOf } from './fees-now.ts'
import { raisedFees, type Fees } from './raised-fees.ts'
import type { Proposal, ReplacementRules } from './replacement-rules.ts'
import type { TransactionSigner } from './sign-request.ts'

/**
 * Signs another attempt at a nonce into the journal, with fees above those before it, below the cap and within what the wallet holds. Nothing is sent.
 * Whether the nonce still waits is looked up under the lock of signatures. What replaces a private transaction is private like it.
 */
export async function signAttempt(context: AttemptContext, wanted: Wanted, rules: AttemptRules): Promise<Attempt> {
  const { wallet, client, chain, journal, inTurn } = context
  const { kind, nonce, replaces, requestId, step, reservationId, call, authorizationList } = wanted
  const [fees, balanceWei] = await Promise.all([
    rules.fees ?? feesNow(client, chain).then(({ lasting }) => lasting),
    client.getBalance({ address: wallet.address }),
  ])
  // No node keeps what the wallet could not pay for.
  const payableWei = balanceWei > call.value ? balanceWei - call.value : 0n
  const feeCapWei = await rules.feeCapWei({ kind, replaces, gasLimit: call.gas, payableWei })
  const mostWei = feeCapWei < payableWei ? feeCapWei : payableWei
  return inTurn(async () => {
    const attempts = await journal.byNonce(chain.id, wallet.address, nonce)
    const isDue = replaces === null ? attempts.every(isRefused) : attempts.findLast(isWaiting)?.hash === replaces.hash
    if (!isDue || attempts.some((other) => !isRefused(other) && !isWaiting(other))) return 'settled'
    const raised = raisedFees(attempts.map(feesOf), fees, mostWei / call.gas)
    if (raised === null) return 'capped'
    const attempt = (attempts.at(-1)?.attempt ?? -1) + 1
    await wallet.ready?.()
    // Nothing is waited for between this and the signature.
    const proposal: Proposal = { kind, nonce, attempt, replaces, gasLimit: call.gas, ...raised }
    if (!(await rules.allow(proposal))) return 'not-allowed'
    const transaction = { chainId: chain.id, nonce, ...call, ...raised }
    // An authorization says nothing of fees: the one that was signed goes along.
    const rawTransaction = await wallet.signTransaction(
      authorizationList === undefined
        ? { ...transaction, type: 'eip1559' }
        : { ...transaction, type: 'eip7702', authorizationList },
    )
    // A backend elsewhere may take seconds; bytes that are not recorded are never sent.
    if ((await rules.isStillAllowed?.(proposal)) === false) return 'not-allowed'
    const slot = { requestId, step, reservationId, chainId: chain.id, from: wallet.address, nonce, attempt }
    const submission = attempts.findLast((one) => one.submission !== undefined)?.submission
    try {
      const signed = { ...slot, rawTransaction, hash: keccak256(rawTransaction) }
      const entry = submission === undefined ? signed : { ...signed, submission }
      return await (rules.record?.(entry, proposal) ?? journal.recordSigned(entry))
    } catch (error) {
      // Another process signed at this nonce: what it signed is what goes on.
      if (error instanceof Error && 'code' in error && error.code === 'JOURNAL_CONFLICT') return 'settled'
      throw error
    }
  })
}

export type AttemptContext = {
  readonly wallet: TransactionSigner
  readonly client: PublicClient
  readonly chain: Pick<Chain, 'id' | 'ordinaryTipGwei'>
  readonly journal: Journal
  /** Runs one signature after the other. */
  readonly inTurn: <Result>(work: () => Promise<Result>) => Promise<Result>
}

/** `fees` stand for what the chain asks where the caller knows it. */
export type AttemptRules = Pick<ReplacementRules, 'feeCapWei' | 'allow' | 'isStillAllowed' | 'record'> & {
  readonly fees?: Fees
}

export type Wanted = Pick<Proposal, 'kind' | 'nonce' | 'replaces'> &
  Pick<JournalEntry, 'requestId' | 'step' | 'reservationId'> & {
    readonly call: { readonly to: Address | null; readonly data: Hex; readonly value: bigint; readonly gas: bigint }
    /** Of what is signed again, where it delegates the account. */
    readonly authorizationList?: readonly SignedAuthorization[]
  }

export type Attempt = JournalEntry | 'capped' | 'not-allowed' | 'settled'
