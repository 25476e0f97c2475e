import { randomUUID } from 'node:crypto'
import type { Journal, JournalEntry } from '../journal.ts'
import type { OpenChain } from '../chain.ts'
import { createSender, type Sender } from '../sender.ts'
import { feesNow, requireFeeWithin } from '../sender/fees.ts'
import type { ServiceWallet } from '../service-wallet.ts'
import { ProviderRpcError, rpcCodes } from './provider-rpc-error.ts'
import type { SendRequest } from './read-params.ts'

/**
 * Sends what a client asks for through the journalled sender. Gas, fees and nonce that the client leaves out are filled
 * in; a nonce that it names must be the one whose turn it is. Throws {@link ProviderRpcError}, `GAS_ABOVE_LIMIT`, or the node's answer as it is.
 */
export function createCallSender(context: SendContext): CallSender {
  const { wallet, client, chain, journal, maxFeeWei } = context
  let opened: Sender | null = null
  const open = async (): Promise<Sender> => {
    const signer = { address: await wallet.getAddress(), signTransaction: wallet.signTransaction.bind(wallet) }
    opened ??= createSender({ wallet: signer, client, chain, journal })
    return opened
  }
  const send: CallSender['send'] = async (request, slot = { requestId: randomUUID(), step: 0 }, before) => {
    const sender = await open()
    // Nobody else watches what was sent before.
    if ((await journal.open(chain.id, sender.address)).length > 0) await sender.reconcile()
    const { to, data, valueWei } = request
    const call = { account: sender.address, ...(to && { to }), data, value: valueWei }
    const [gas, { lasting }, balanceWei, chainId] = await Promise.all([
      request.gasLimit ?? client.estimateGas({ ...call, prepare: false }),
      feesNow(client, chain),
      client.getBalance({ address: sender.address }),
      client.getChainId(),
    ])
    if (chainId !== chain.id) {
      throw new ProviderRpcError(rpcCodes.chainDisconnected, `The endpoint serves chain ${chainId}, not ${chain.id}.`)
    }
    const gasLimit = request.gasLimit ?? (gas * 12n) / 10n
    const maxFeePerGas = request.maxFeePerGas ?? lasting.maxFeePerGas
    requireFeeWithin(gasLimit * maxFeePerGas, chain, maxFeeWei)
    requireFunds(balanceWei, gasLimit * maxFeePerGas, valueWei)
    await before?.()
    const signed = await sender.sign({
      ...slot,
      to,
      data,
      valueWei,
      gasLimit,
      maxFeePerGas,
      maxPriorityFeePerGas: request.maxPriorityFeePerGas ?? lasting.maxPriorityFeePerGas,
      reservationId: null,
      allow: async (nonce) => requireNonce(request.nonce, nonce),
    })
    const sent = await sender.broadcast(signed)
    if (sent.state !== 'refused') return sent
    const message = 'The endpoint declined the transaction; nothing is out.'
    throw new ProviderRpcError(rpcCodes.transactionRejected, message, { cause: sent.refusal })
  }
  return { open, send }
}

export type CallSender = {
  open(): Promise<Sender>
  /**
   * Signs and sends, under a request of its own where no slot is named. `before` runs when all is known that can be known
   * before the signature; what it throws ends the call.
   */
  send(
    request: SendRequest,
    slot?: { readonly requestId: string; readonly step: number },
    before?: () => Promise<void>,
  ): Promise<JournalEntry>
}

export type SendContext = OpenChain & {
  readonly wallet: ServiceWallet
  readonly journal: Journal
  /** The most the gas of one transaction may cost. */
  readonly maxFeeWei: bigint
}

/**
 * Asked once the nonce is allocated, before the signature: a client that names a used one means to replace what waits there,
 * and would pay for both.
 */
function requireNonce(named: bigint | null, allocated: number): void {
  if (named === null || named === BigInt(allocated)) return
  const message = `nonce: the wallet gives out nonces itself, and the next is ${allocated}; leave it out. To raise or cancel what is out use replace or cancel of createSender.`
  throw new ProviderRpcError(rpcCodes.invalidParams, message)
}

/** In the words that nodes use: by them clients know the error. */
function requireFunds(balanceWei: bigint, gasWei: bigint, valueWei: bigint): void {
  if (balanceWei >= gasWei + valueWei) return
  const figures = `has ${balanceWei} wei, needs ${valueWei} and at most ${gasWei} for gas`
  throw new ProviderRpcError(rpcCodes.transactionRejected, `insufficient funds for gas * price + value: ${figures}`, {
    data: { code: 'INSUFFICIENT_FUNDS', balanceWei: `${balanceWei}`, valueWei: `${valueWei}`, gasWei: `${gasWei}` },
  })
}
