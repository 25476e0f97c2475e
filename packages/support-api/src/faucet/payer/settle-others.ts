import { createSender } from '@svc/wallet/core'
import { addressOf } from './open-round.ts'
import type { PayTerm } from './pay-claim.ts'
import { tellOnce } from '../tell-once.ts'

/**
 * Finds out what became of what other keys of the faucet signed for claims that wait, and sends it again, which signs
 * nothing. While any of it may still be mined such a claim rests, lest both keys pay it; the others are paid. Rejects when
 * the endpoint or the store does not answer.
 */
export async function settleOthers(term: OthersTerm): Promise<void> {
  const { chain, client, account, store, now, log } = term
  const signers = await store.claims.otherSigners(chain.id, account.address)
  if (signers.length === 0) return
  for (const signer of signers) {
    const address = addressOf({ address: signer })
    const wallet = { address, signTransaction: () => Promise.reject(new TypeError('The key is not at hand.')) }
    await createSender({ wallet, client, chain, journal: store.journal, now }).reconcile()
  }
  const others = await store.claims.otherSigners(chain.id, account.address)
  const tell = () => log.error('faucet.other-signer', { chainId: chain.id, signer: account.address, others })
  if (others.length > 0) tellOnce(term, others.join(), tell)
}

export type OthersTerm = PayTerm & { readonly now: () => number }
