import { createPublicClient, erc20Abi, formatUnits, http, isAddressEqual, zeroAddress } from 'viem'
import { number } from '../wording.ts'
import type { HostileScene } from './hostile-scene.ts'
import { stranger } from './tricks.ts'

/** Asks the chain what the stranger holds and may take, and what the wallet holds still. Throws when the stranger has anything. */
export async function proveNothingLeft({
  world,
  transcript,
}: Pick<HostileScene, 'world' | 'transcript'>): Promise<void> {
  const { rpc, wallet } = world.ready
  const tokens = [{ symbol: 'ETH', address: zeroAddress, decimals: 18 }, ...world.ready.tokens]
  const client = createPublicClient({ transport: http(rpc.url, { batch: true }) })
  transcript.line('token     the stranger holds  may take of the wallet  the wallet holds')
  for (const { symbol, address, decimals } of tokens) {
    const isNative = isAddressEqual(address, zeroAddress)
    const holds = (owner: typeof address) =>
      isNative
        ? client.getBalance({ address: owner })
        : client.readContract({ address, abi: erc20Abi, functionName: 'balanceOf', args: [owner] })
    const allowance = isNative
      ? 0n
      : client.readContract({ address, abi: erc20Abi, functionName: 'allowance', args: [wallet.address, stranger] })
    const [gained, takeable, kept] = await Promise.all([holds(stranger), allowance, holds(wallet.address)])
    if (gained > 0n || takeable > 0n) throw new Error(`The stranger got hold of ${symbol}`)
    const shown = number(Number(formatUnits(kept, decimals)))
    transcript.line(`${symbol.padEnd(10)}${`${gained}`.padStart(18)}${`${takeable}`.padStart(24)}${shown.padStart(18)}`)
  }
}
