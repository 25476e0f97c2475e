import { randomUUID } from 'node:crypto'
import type { Hash } from 'viem'
import type { Journal } from '../journal.ts'
import type { OpenChain } from '../open-chain.ts'
import { createSender } from '../sender.ts'
import { feesNow } from '../sender/fees-now.ts'
import type { ServiceWallet } from '../service-wallet.ts'
import { ProviderRpcError, rpcCodes } from './provider-rpc-error.ts'
import type { SendRequest } from './read-transaction.ts'

/**
 * Sends what a client asks for through the journalled sender, and gives the hash once the bytes are out. Gas, fees and
 * nonce that the client leaves out are filled in. Throws {@link ProviderRpcError}, or the node's answer as it is.
 */
export function createCallSender(context: SendContext): CallSender {
  const { wallet, client, chain, journal } = context
  return async (request) => {
    const address = await wallet.getAddress()
    const signer = { address, signTransaction: wallet.signTransaction.bind(wallet) }
    const sender = createSender({ wallet: signer, client, chain, journal })
    const { to, data, valueWei } = request
    const [gas, { lasting }, chainId] = await Promise.all([
      request.gasLimit ??
        client.estimateGas({ account: address, ...(to && { to }), data, value: valueWei, prepare: false }),
      feesNow(client, chain),
      client.getChainId(),
    ])
    if (chainId !== chain.id) {
      throw new ProviderRpcError(rpcCodes.chainDisconnected, `The endpoint serves chain ${chainId}, not ${chain.id}.`)
    }
    const sent = await sender.broadcast(
      await sender.sign({
        requestId: randomUUID(),
        step: 0,
        to,
        data,
        valueWei,
        gasLimit: request.gasLimit ?? (gas * 12n) / 10n,
        maxFeePerGas: request.maxFeePerGas ?? lasting.maxFeePerGas,
        maxPriorityFeePerGas: request.maxPriorityFeePerGas ?? lasting.maxPriorityFeePerGas,
        reservationId: null,
        allow: async () => {},
      }),
    )
    if (sent.state === 'refused') {
      throw new ProviderRpcError(rpcCodes.transactionRejected, 'The endpoint declined the transaction; nothing is out.')
    }
    return sent.hash
  }
}

export type CallSender = (request: SendRequest) => Promise<Hash>

export type SendContext = OpenChain & { readonly wallet: ServiceWallet; readonly journal: Journal }
