import { formatEther } from 'viem'
import type { DeferredRegistration, GasTier } from '../agent/registration/registration.ts'
import { mostFeeWei } from '../sender/fees.ts'
import { askFaucet, waitForBalance } from './ask-faucet.ts'
import { payFromWallet, type Price } from './pay-from-wallet.ts'
import type { GasDesk, SettledCall, SubmittableCall } from './submission.ts'

/**
 * Sends the call from the wallet, which pays; while it cannot, the faucet is asked, and then a person. `deferred` when
 * nobody gave enough in time: nothing is out then. Throws `ABORTED`, `GAS_NOT_PAID` and what {@link payFromWallet} throws.
 */
export async function fundAndPay(desk: GasDesk, call: SubmittableCall): Promise<SettledCall | Deferred> {
  const { tiers } = desk.options.gas ?? {}
  const paid = await pay(desk, call, 'wallet')
  if (paid.status !== 'underfunded') return paid
  let price: Price = paid
  if ((tiers === undefined || tiers.includes('faucet')) && price.balanceWei === 0n && (await askFaucet(desk))) {
    const granted = await pay(desk, call, 'faucet')
    if (granted.status !== 'underfunded') return granted
    price = granted
  }
  if (tiers === undefined || tiers.includes('manual')) return askPerson(desk, call, price)
  return { status: 'deferred', fund: fundOf(desk, price) }
}

type Deferred = { readonly status: 'deferred'; readonly fund: DeferredRegistration['fund'] }

type Underfunded = Price & { readonly status: 'underfunded' }

/** The least a person is asked for: what the registration costs on a busy day of a common chain. */
const leastAskedWei = 5_000_000_000_000_000n

const manualWaitMs = 60_000

async function askPerson(desk: GasDesk, call: SubmittableCall, price: Price): Promise<SettledCall | Deferred> {
  const { options, chain, owner, progress, attempts } = desk
  const { now = Date.now } = options
  const waitMs = options.gas?.manualWaitMs ?? manualWaitMs
  const until = now() + waitMs
  let fund = fundOf(desk, price)
  let enoughWei = price.worstWei
  const { amount, currency } = fund
  progress('wait-for-funds', `Send ${amount} ${currency} to ${owner} on chain ${chain.id} (${chain.name}).`, {
    ...fund,
    chainId: chain.id,
    waitMs,
  })
  while (await waitForBalance(desk, enoughWei, until)) {
    const paid = await pay(desk, call, 'manual')
    if (paid.status !== 'underfunded') return paid
    // Gas became dearer meanwhile.
    fund = fundOf(desk, paid)
    enoughWei = paid.worstWei
  }
  const reason = 'Nobody sent enough in time.'
  attempts.push({ kind: 'gas', tier: 'manual', outcome: 'failed', code: 'INSUFFICIENT_FUNDS', reason })
  return { status: 'deferred', fund }
}

async function pay(desk: GasDesk, call: SubmittableCall, tier: GasTier): Promise<SettledCall | Underfunded> {
  const { wallet, owner, chain, client, journal, options, attempts, warnings, progress } = desk
  const { signal } = options
  const payment = await payFromWallet(
    {
      signer: {
        address: owner,
        signTransaction: (transaction) => wallet.signTransaction(transaction, signal && { signal }),
      },
      chain,
      client,
      journal,
      mayPay: options.gas?.tiers?.includes('wallet') ?? true,
      ...(options.gas?.tiers && { tiers: options.gas.tiers }),
      attempts,
      ...(options.gas?.maxFeeWei !== undefined && { maxFeeWei: options.gas.maxFeeWei }),
      ...(signal && { signal }),
      onStep: (step, details) => progress(step, sentences[step], details),
    },
    call,
  )
  const { status } = payment
  if (status === 'underfunded') {
    const reason = 'The wallet holds less than the gas may cost.'
    attempts.push({ kind: 'gas', tier, outcome: tier === 'wallet' ? 'skipped' : 'failed', reason })
    return { ...payment, status }
  }
  const { txHash } = payment
  attempts.push({ kind: 'gas', tier, outcome: status === 'pending' ? 'pending' : 'done' })
  if (status === 'mined') return { status, txHash, logs: payment.logs, gasTier: tier }
  if (status === 'reverted') return { status, txHash, reason: payment.reason }
  if (signal?.aborted === true) {
    warnings.push(`The caller gave up. Transaction ${txHash} is signed and may be mined: go on by resume.`)
  }
  return { status, txHash, userOperationHash: null }
}

const sentences = {
  sign: 'Signing the transaction.',
  send: 'Sending the transaction.',
  confirm: 'Waiting for the transaction.',
} as const

/** A third above the estimate, since fees move while a person fetches a wallet, and never more than may be spent. */
function fundOf({ owner, chain, options }: GasDesk, { worstWei }: Price): DeferredRegistration['fund'] {
  const reckonedWei = (worstWei * 13n + 9n) / 10n
  const wantedWei = reckonedWei > leastAskedWei ? reckonedWei : leastAskedWei
  const mostWei = mostFeeWei(chain, options.gas?.maxFeeWei)
  const amountWei = wantedWei < mostWei ? wantedWei : mostWei
  return {
    address: owner,
    amountWei: `${amountWei}`,
    amount: formatEther(amountWei),
    currency: chain.nativeCurrency.symbol,
  }
}
