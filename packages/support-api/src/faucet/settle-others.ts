import { createSender } from '@svc/wallet/core'
import { addressOf } from './open-round.ts'
import type { PayTerm } from './pay-claim.ts'

/**
 * Finds out what became of what other keys of the faucet signed for claims that wait, and sends it again, which signs
 * nothing. While any of it may still be mined a claim could be paid by both keys: then it is true, and nothing may be
 * signed. Rejects when the endpoint or the store does not answer.
 */
export async function settleOthers({ chain, client, account, store, now, log }: OthersTerm): Promise<boolean> {
  const signers = await store.claims.otherSigners(chain.id, account.address)
  for (const signer of signers) {
    const address = addressOf({ address: signer })
    const wallet = { address, signTransaction: () => Promise.reject(new TypeError('The key is not at hand.')) }
    await createSender({ wallet, client, chain, journal: store.journal, now }).reconcile()
  }
  const left = signers.length === 0 ? signers : await store.claims.otherSigners(chain.id, account.address)
  if (left.length > 0) log.error('faucet.other-signer', { chainId: chain.id, signer: account.address, others: left })
  return left.length > 0
}

export type OthersTerm = PayTerm & { readonly now: () => number }
