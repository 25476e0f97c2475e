import { supportApiUrl } from '../agent/support-api-url.ts'
import type { GasDesk } from './gas-desk.ts'
import type { WalletResultCode } from '../wallet-result-table.ts'
import { requestFaucet } from './request-faucet.ts'
import { waitForBalance } from './wait-for-balance.ts'

/**
 * Asks the faucet of the support API for the wallet and waits for what it sends. Tells whether something came. One
 * grant per wallet and chain: a claim that is still under way is waited for, one that was paid out earlier is not.
 */
export async function askFaucet(desk: GasDesk): Promise<boolean> {
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
