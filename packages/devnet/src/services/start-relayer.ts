import { setTimeout as sleep } from 'node:timers/promises'
import type { Hash } from 'viem'
import { connect, mineSettled } from '../chain/chain-client.ts'
import type { Amounts } from '../chain/fund.ts'
import type { Devnet } from '../devnet.ts'
import { createRelayer, type Relayer } from './create-relayer.ts'

export { createRelayer, type Relayer }

/**
 * Fills every order that is opened on one of two local chains for the other, both ways, within a second and out of a stock of its own, and
 * gives back what nobody can fill any more. Blocks enough follow for either end to be settled, which chains that stand still would not
 * give. It goes on until stopped.
 */
export async function startRelayer(one: Devnet, other: Devnet): Promise<{ stop(): Promise<void> }> {
  const [there, back] = [relay(one, other), relay(other, one)]
  await Promise.all([other.fund(there.payer, stock), one.fund(back.payer, stock)])
  const halt = new AbortController()
  const work = async () => {
    while (!halt.signal.aborted) {
      // A chain that does not answer is asked again; one that has ended ends the world.
      for (const way of [there, back]) await way.look().catch(() => {})
      await sleep(pauseMs, null, { signal: halt.signal }).catch(() => {})
    }
  }
  const finished = work()
  return {
    stop: async () => {
      halt.abort()
      await finished
    },
  }
}

/** From one chain to another. `look` sees to what was opened since it looked last, and to what is left over. */
function relay(origin: Devnet, destination: Devnet): { readonly payer: Relayer['address']; look(): Promise<void> } {
  const relayer = createRelayer(origin, destination)
  const [from, to] = [connect(origin.rpcUrl), connect(destination.rpcUrl)]
  /** Unix milliseconds from which an order is tried, by its hash; one that is filled waits for its release. */
  const waiting = new Map<Hash, { readonly at: number; readonly isFilled: boolean }>()
  let fromBlock = 0n
  return {
    payer: relayer.address,
    async look() {
      const toBlock = await from.getBlockNumber()
      if (toBlock >= fromBlock) {
        for (const orderId of await relayer.opened({ fromBlock, toBlock }))
          waiting.set(orderId, { at: 0, isFilled: false })
        fromBlock = toBlock + 1n
      }
      for (const [orderId, { at, isFilled: wasFilled }] of waiting) {
        if (Date.now() < at) continue
        const again = Date.now() + againMs
        waiting.set(orderId, { at: again, isFilled: wasFilled })
        const isFilled = wasFilled || (await relayer.fill(orderId)) !== null
        waiting.set(orderId, { at: again, isFilled })
        if ((isFilled ? await relayer.release(orderId) : await relayer.refund(orderId)) === null) continue
        waiting.delete(orderId)
        await Promise.all([mineSettled(from), mineSettled(to)])
      }
    },
  }
}

const pauseMs = 500
/** Before its deadline an order that was not filled is neither filled nor given back; of one that is, the payment may fail. */
const againMs = 5_000

/** More than the limits of `svc up` let anybody move in a month. */
const stock: Amounts = { WETH: '10000', WBTC: '1000', USDC: '50000000', USDT: '50000000', DAI: '50000000' }
