import { randomUUID } from 'node:crypto'
import { formatEther, keccak256, zeroAddress, type Address, type PublicClient } from 'viem'
import type { Journal, JournalEntry } from '../journal.ts'
import { createMemoryJournal } from '../memory-journal.ts'
import { openChain } from '../open-chain.ts'
import type { OpenChain } from '../chain.ts'
import { option, type ChecksOf, requireOptions, requireWallet } from '../require-options.ts'
import { createSender } from '../sender.ts'
import { allocateNonce } from '../sender/sign-request.ts'
import { feesNow, requireFeeWithin } from '../sender/fees.ts'
import type { RevokeDelegationOptions, Revocation, RevokingWallet } from './revoke-delegation.ts'
import { WalletError } from '../wallet-error.ts'
import { endpointFailure, endpointOf, requireChain, withRefusal } from '../endpoint-failure.ts'

/** What `revokeDelegation` does; loaded with the first call. */
export async function runRevocation(wallet: RevokingWallet, options: RevokeDelegationOptions): Promise<Revocation> {
  requireWallet(wallet)
  requireOptions(options, checks)
  const open = openChain(wallet, options)
  const { client } = open
  const journal = options.journal ?? createMemoryJournal({ now: options.now ?? Date.now })
  const owner = await wallet.getAddress()
  const before = await delegateOf(client, owner)
  if (before === null) return { status: 'none' }
  const entry = await signed(wallet, open, { ...options, journal }, owner)
  const signer = { address: owner, signTransaction: wallet.signTransaction.bind(wallet) }
  const sender = createSender({ ...open, wallet: signer, journal })
  const sent = await sender.broadcast(entry)
  if (sent.state === 'refused') {
    throw new WalletError('RPC_UNAVAILABLE', 'The endpoint declined the transaction; the delegation stands.', {
      ...withRefusal(
        { ...endpointOf(client), reason: 'the transaction was declined', txHash: sent.hash },
        sent.refusal,
      ),
      cause: sent.refusal,
    })
  }
  const { timeoutMs, signal } = options
  const confirmed = await sender.confirm(sent, {
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(signal && { signal }),
  })
  const txHash = confirmed.entry.hash
  if (confirmed.status === 'pending') return { status: 'pending', txHash }
  if ((await delegateOf(client, owner)) === null) return { status: 'revoked', implementation: before, txHash }
  // The nonces of transaction and authorization stand in one another's way when somebody else took one of them.
  throw new WalletError('NONCE_CONTENDED', 'The transaction was mined and the delegation stands; try again.', {
    details: { chainId: open.chain.id, address: owner, txHash },
  })
}

const checks: ChecksOf<RevokeDelegationOptions> = {
  chainId: option.chainId,
  chains: option.chains,
  maxFeeWei: option.feeWei,
  journal: option.journal,
  timeoutMs: option.durationMs,
  signal: option.signal,
  now: option.function,
}

/** A transfer of nothing to the zero address, and one authorization: 21,000, 25,000 for it (EIP-7702), and room. */
const gasLimit = 80_000n

async function signed(
  wallet: RevokingWallet,
  { client, chain }: OpenChain,
  { journal, maxFeeWei }: { readonly journal: Journal } & Pick<RevokeDelegationOptions, 'maxFeeWei'>,
  owner: Address,
): Promise<JournalEntry> {
  const [chainId, latestCount, { lasting }, balanceWei] = await Promise.all([
    client.getChainId(),
    client.getTransactionCount({ address: owner, blockTag: 'latest' }),
    feesNow(client, chain),
    client.getBalance({ address: owner }),
  ]).catch((cause: unknown) => {
    throw endpointFailure('The endpoint does not say what the transaction costs.', cause)
  })
  requireChain(chain.id, chainId, client)
  const worstWei = gasLimit * lasting.maxFeePerGas
  requireFeeWithin(worstWei, chain, maxFeeWei)
  if (balanceWei < worstWei) {
    const lackingWei = worstWei - balanceWei
    const amount = formatEther(lackingWei)
    throw new WalletError('INSUFFICIENT_FUNDS', `To end the delegation ${owner} needs ${amount} more.`, {
      details: { address: owner, amountWei: `${lackingWei}`, amount, currency: chain.nativeCurrency.symbol },
    })
  }
  const ownNext = (await journal.nextNonce(chain.id, owner)) ?? 0
  const place = await allocateNonce(journal, chain.id, owner, latestCount, ownNext)
  if (place === 'behind' || place.nonce !== latestCount || (await journal.open(chain.id, owner)).length > 0) {
    throw new WalletError('NONCE_CONTENDED', 'Other transactions of the wallet are out; nothing was signed.', {
      details: { chainId: chain.id, address: owner },
    })
  }
  // The transaction counts up the nonce before its authorizations are applied (EIP-7702).
  const wanted = { contractAddress: zeroAddress, chainId: chain.id, nonce: place.nonce + 1 }
  const authorization = await wallet.signAuthorization(wanted)
  const rawTransaction = await wallet.signTransaction({
    type: 'eip7702',
    chainId: chain.id,
    nonce: place.nonce,
    to: zeroAddress,
    value: 0n,
    gas: gasLimit,
    maxFeePerGas: lasting.maxFeePerGas + BigInt(place.attempt),
    maxPriorityFeePerGas: lasting.maxPriorityFeePerGas,
    authorizationList: [authorization],
  })
  const slot = {
    requestId: `revoke-delegation-${randomUUID()}`,
    step: 0,
    reservationId: null,
    chainId: chain.id,
    from: owner,
  }
  return journal.recordSigned({ ...slot, ...place, rawTransaction, hash: keccak256(rawTransaction) })
}

/** The implementation the account runs, or `null`. */
async function delegateOf(client: PublicClient, address: Address): Promise<Address | null> {
  const code = await client.getCode({ address }).catch((cause: unknown) => {
    throw endpointFailure('The endpoint does not say what code the account runs.', cause)
  })
  return code !== undefined && /^0xef0100[0-9a-f]{40}$/i.test(code) ? `0x${code.slice(8)}` : null
}
