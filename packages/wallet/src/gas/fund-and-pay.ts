import { setTimeout as pause } from 'node:timers/promises'
import { type Address, formatEther, type Hash, isHash } from 'viem'
import { boundedBytes } from '../bounded-bytes.ts'
import type { DeferredRegistration, GasTier } from '../agent/registration/registration.ts'
import { mostFeeWei } from '../sender/raised-fees.ts'
import { supportApiUrl } from '../service-urls.ts'
import type { WalletResultCode } from '../wallet-error-table.ts'
import { throwIfAborted, withDeadline } from '../with-deadline.ts'
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

/**
 * Asks the faucet of the support API for the wallet and waits for what it sends. Tells whether something came. One
 * grant per wallet and chain: a claim that is still under way is waited for, one that was paid out earlier is not.
 */
async function askFaucet(desk: GasDesk): Promise<boolean> {
  const { chain, owner, wallet, options, attempts, warnings, progress } = desk
  const isAsked = options.gas?.tiers?.includes('faucet') ?? false
  if (chain.faucet !== true && !isAsked) return false
  const { now = Date.now, env = {} } = options
  const apiUrl = supportApiUrl(options.apiUrl, env)
  if (apiUrl === undefined || wallet.appId === null) {
    const reason = `The faucet needs ${apiUrl === undefined ? 'SVC_API_URL' : 'appId'}.`
    warnings.push(reason)
    attempts.push({ kind: 'gas', tier: 'faucet', outcome: 'skipped', reason })
    return false
  }
  progress('faucet', 'Asking the faucet for native currency.')
  const claim = { address: owner, chainId: chain.id, appId: wallet.appId }
  const answer = await requestFaucet(apiUrl, claim, options)
  const failed = (code: WalletResultCode, reason: string): false => {
    attempts.push({ kind: 'gas', tier: 'faucet', outcome: 'failed', code, reason })
    progress('fallback', reason)
    return false
  }
  if (answer.status === 'failed') return failed('FAUCET_FAILED', answer.reason)
  const { txHash } = answer
  if (answer.status === 'claimed' && txHash !== null) {
    const receipt = await desk.client.getTransactionReceipt({ hash: txHash }).catch(() => null)
    const isSpent = receipt !== null && !(await waitForBalance(desk, 1n, 0))
    if (isSpent) return failed('FAUCET_ALREADY_CLAIMED', 'The wallet had its grant earlier.')
  }
  progress('wait-for-funds', 'Waiting for the grant of the faucet.', { txHash })
  if (await waitForBalance(desk, 1n, now() + longestWaitMs)) return true
  return failed('FAUCET_FAILED', 'The grant of the faucet did not arrive in time.')
}

const longestWaitMs = 60_000

/**
 * Waits until the wallet holds `enoughWei`, at most until `until` (Unix milliseconds), and asks no oftener than fits in
 * between, also where a caller's `sleep` does not wait. Tells whether it does. Throws `ABORTED`: nothing of the call is out
 * while its gas is waited for.
 */
async function waitForBalance(desk: GasDesk, enoughWei: bigint, until: number): Promise<boolean> {
  const { client, owner, chain, options } = desk
  const { now = Date.now, sleep = pauseFor, signal } = options
  const pollMs = Math.min(2_000, Math.max(100, chain.blockTimeSeconds * 500))
  let pausesLeft = Math.ceil((until - now()) / pollMs)
  for (;;) {
    const balanceWei = await client.getBalance({ address: owner }).catch(() => 0n)
    if (balanceWei >= enoughWei) return true
    const leftMs = until - now()
    pausesLeft -= 1
    if (leftMs <= 0 || pausesLeft < 0) return false
    throwIfAborted(signal)
    await sleep(Math.min(pollMs, leftMs), signal)
  }
}

async function pauseFor(ms: number, signal?: AbortSignal): Promise<void> {
  await pause(ms, undefined, signal && { signal }).catch(() => undefined)
}

/**
 * Posts one claim to the faucet of the support API. What goes wrong is reported in the answer, in words of
 * ours; only `ABORTED` is thrown. A claim is asked for once; to ask again for the same wallet and chain is to get the first one.
 */
async function requestFaucet(
  apiUrl: string,
  claim: FaucetClaim,
  surroundings: { readonly fetch?: typeof fetch | undefined; readonly signal?: AbortSignal | undefined },
): Promise<FaucetAnswer> {
  const { fetch: post = fetch, signal } = surroundings
  const ask = async (signal: AbortSignal): Promise<FaucetAnswer> => {
    const response = await post(`${apiUrl.replace(/\/+$/, '')}/v1/faucet/request`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(claim),
      redirect: 'error',
      signal,
    })
    const text = new TextDecoder().decode(await boundedBytes(response, { mostBytes, signal }))
    return read(response.status, parsed(text))
  }
  try {
    return await withDeadline({ timeoutMs: patienceMs, signal }, ask)
  } catch {
    throwIfAborted(signal)
    return failed('The faucet does not answer.')
  }
}

type FaucetClaim = { readonly address: Address; readonly chainId: number; readonly appId: string }

type FaucetAnswer =
  /** `txHash` is `null` while the claim waits in the queue. */
  | { readonly status: 'granted' | 'claimed'; readonly txHash: Hash | null }
  | { readonly status: 'failed'; readonly reason: string }

const patienceMs = 15_000
const mostBytes = 64 * 1024

function read(status: number, body: unknown): FaucetAnswer {
  const code = memberOf(body, 'code')
  if (status === 200) return { status: 'granted', txHash: hashIn(body) }
  if (status === 409 && code === 'FAUCET_ALREADY_CLAIMED') {
    return { status: 'claimed', txHash: hashIn(memberOf(body, 'details')) ?? hashIn(body) }
  }
  const isCode = typeof code === 'string' && /^[A-Z][A-Z0-9_]{2,63}$/.test(code)
  return failed(`The faucet answers ${status}${isCode ? ` (${code})` : ''}.`)
}

function hashIn(body: unknown): Hash | null {
  const hash = memberOf(body, 'txHash')
  return typeof hash === 'string' && isHash(hash) ? hash : null
}

function failed(reason: string): FaucetAnswer {
  return { status: 'failed', reason }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function memberOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined
}
