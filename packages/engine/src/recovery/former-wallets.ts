import type { Transactions } from '@svc/store'
import { createSender, type Chain, type Journal, type Sender } from '@svc/wallet/core'
import { type Address, type Hash, isAddressEqual } from 'viem'
import type { RpcPool } from '@svc/amm'
import type { Engine } from '../context/engine.ts'
import type { Policy } from '../policy/policy.ts'
import { privateRoute } from '../transactions/private-route.ts'

/**
 * Senders for the other addresses that have something open on a chain: those of keys this server had before. They look
 * transactions up and send stored bytes again; nothing is ever signed with them, for there is no key.
 */
export function createFormerWallets(options: {
  readonly transactions: Pick<Transactions, 'wallets'>
  readonly journal: Journal
  readonly rpc: Pick<RpcPool, 'client' | 'privately' | 'transactionCounts'>
  /** The address the server signs for. */
  readonly wallet: Address
  readonly policy: () => Policy
  /** As a sender takes it. */
  readonly requireOffer?: () => void
}): (chain: Chain) => Promise<readonly Sender[]> {
  const { transactions, journal, rpc, wallet, policy, requireOffer } = options
  return async (chain) => {
    const others = (await transactions.wallets(chain.id)).filter((address) => !isAddressEqual(address, wallet))
    return others.map((address) =>
      createSender({
        wallet: { address, signTransaction: () => Promise.reject(new TypeError('There is no key for this wallet.')) },
        client: rpc.client(chain),
        chain,
        journal,
        counts: () => rpc.transactionCounts(chain, address),
        privately: privateRoute(rpc, chain, policy),
        requireOffer,
      }),
    )
  }
}

/**
 * Ends what former keys of the server left open on a chain, as far as that needs no key: what was mined is settled, what
 * waits is sent again. What stays open is reported once, with the fix. Rejects when the chain or the journal cannot be read.
 */
export async function settleFormer(engine: Engine, chain: Chain, reported: Set<Hash>): Promise<void> {
  for (const sender of await engine.formerWallets(chain)) {
    const { address } = sender
    for (const { hash, nonce, state } of await sender.reconcile()) {
      const transaction = { chainId: chain.id, from: address, hash, nonce }
      engine.audit.note({ event: 'tx.reconciled', transaction, result: { status: state } })
    }
    const [open, refused] = await Promise.all([
      engine.journal.open(chain.id, address),
      engine.journal.refused(chain.id, address),
    ])
    const left = [...open, ...refused].filter(({ hash }) => !reported.has(hash))
    for (const { hash } of left) reported.add(hash)
    if (left.length === 0) continue
    const transactions = left.map(({ hash, nonce, state }) => ({ hash, nonce, state }))
    engine.log.warn('wallet.former-open', { chainId: chain.id, wallet: address, transactions, fix })
  }
}

const fix =
  'These wait for a block and are sent again; their amounts count until they are decided. To raise or cancel them (svc transactions cancel), start the server once with the key of this wallet.'
