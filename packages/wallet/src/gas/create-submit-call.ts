import { formatEther, type Address } from 'viem'
import type { OpenRegistry } from '../agent/open-registry.ts'
import type { AgentRegistrationConfig, RegistrationProgress } from '../agent/registration.ts'
import type { Journal } from '../journal.ts'
import type { ServiceWallet } from '../service-wallet.ts'
import { payFromWallet } from './pay-from-wallet.ts'
import type { SubmitCall } from './submission.ts'

/** Makes the way of one call to the chain, by who pays its gas. */
export function createSubmitCall(context: GasContext): SubmitCall {
  const { wallet, owner, chain, client, journal, options } = context
  const signer = { address: owner, signTransaction: wallet.signTransaction.bind(wallet) }
  return async (call) => {
    const payment = await payFromWallet(
      { signer, chain, client, journal, ...(options.signal && { signal: options.signal }) },
      call,
    )
    const common = { attempts: [], warnings: [] }
    if (payment.status === 'underfunded') {
      const amountWei = payment.worstWei
      const fund = { address: owner, amountWei, amount: formatEther(amountWei), currency: chain.nativeCurrency.symbol }
      return { ...common, status: 'deferred', fund }
    }
    const { status, txHash } = payment
    if (status === 'mined') return { ...common, status, txHash, logs: payment.logs, gasTier: 'wallet' }
    if (status === 'reverted') return { ...common, status, txHash, reason: null }
    return { ...common, status, txHash, userOperationHash: null }
  }
}

export type GasContext = Pick<OpenRegistry, 'chain' | 'client'> & {
  readonly wallet: ServiceWallet
  readonly owner: Address
  readonly journal: Journal
  readonly options: Pick<AgentRegistrationConfig, 'gas' | 'apiUrl' | 'signal' | 'fetch' | 'env' | 'now'>
  readonly progress: (step: RegistrationProgress['step'], message: string) => void
}
