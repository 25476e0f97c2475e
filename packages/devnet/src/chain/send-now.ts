import { toHex } from 'viem'
import type { Call } from './block-writer.ts'
import type { ChainClient } from './chain-client.ts'

/** Sends a call on a chain that mines at once and waits for its block. Throws when it fails. */
export async function sendNow(client: ChainClient, { from, to, data, value = 0n, gas, what }: Call): Promise<void> {
  const transaction = { from, ...(to && { to }), data, value: toHex(value), gas: toHex(gas) }
  const receipt = await client.request({ method: 'eth_sendTransactionSync', params: [transaction] })
  if (receipt.status !== '0x1') throw new Error(`On the local chain, "${what}" failed (${receipt.transactionHash})`)
}
