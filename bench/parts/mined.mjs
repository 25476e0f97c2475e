import { setTimeout as sleep } from 'node:timers/promises'

/**
 * The receipt of a transaction, asked for like anybody's: a request beside the one that sent it. viem's own wait watches blocks, and can
 * wait for one that has come already; this one rejects after ten seconds.
 */
export async function mined(client, hash) {
  for (const until = performance.now() + 10_000; performance.now() < until; await sleep(20)) {
    const receipt = await client.request({ method: 'eth_getTransactionReceipt', params: [hash] })
    if (receipt === null) continue
    if (receipt.status !== '0x1') throw new Error(`the transaction ${hash} reverted`)
    return
  }
  throw new Error(`the transaction ${hash} was not mined`)
}
