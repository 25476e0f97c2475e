import { type Address, type Hash, isHash } from 'viem'
import { boundedBytes } from '../bounded-bytes.ts'
import { supportApiUrl } from '../service-urls.ts'
import type { WalletResultCode } from '../wallet-error-table.ts'
import { throwIfAborted, withDeadline } from '../with-deadline.ts'
import type { GasDesk } from './submission.ts'
import { setTimeout as pause } from 'node:timers/promises'

/**
 * Asks the faucet of the support API for the wallet and waits for what it sends. Tells whether something came. One
 * grant per wallet and chain: a claim that is still under way is waited for, one that was paid out earlier is not.
 */
export async function askFaucet(desk: FaucetDesk): Promise<boolean> {
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

/** What of the desk bears on a grant. */
export type FaucetDesk = BalanceDesk &
  Pick<GasDesk, 'attempts' | 'warnings' | 'progress'> & {
    readonly wallet: Pick<GasDesk['wallet'], 'appId'>
    readonly options: Pick<GasDesk['options'], 'apiUrl' | 'env' | 'fetch' | 'gas'>
  }

const longestWaitMs = 60_000

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

/**
 * Waits until the wallet holds `enoughWei`, at most until `until` (Unix milliseconds), and asks no oftener than fits in
 * between, also where a caller's `sleep` does not wait. Tells whether it does. Throws `ABORTED`: nothing of the call is out
 * while its gas is waited for.
 */
export async function waitForBalance(desk: BalanceDesk, enoughWei: bigint, until: number): Promise<boolean> {
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

/** What of the desk bears on a balance. */
type BalanceDesk = Pick<GasDesk, 'chain' | 'client' | 'owner'> & {
  readonly options: Pick<GasDesk['options'], 'now' | 'sleep' | 'signal'>
}

async function pauseFor(ms: number, signal?: AbortSignal): Promise<void> {
  await pause(ms, undefined, signal && { signal }).catch(() => undefined)
}
