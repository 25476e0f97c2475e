import { type Address, parseUnits } from 'viem'
import type { ChainClient } from './chain-client.ts'
import { giveCalls } from './funding-calls.ts'
import type { Layout } from './layout.ts'
import { decimalsOf } from './prices.ts'
import type { Call } from './block-writer.ts'
import type { Asset } from './token-specs.ts'

/** Amounts by symbol or `ETH`, as decimal strings in whole tokens. */
export type Amounts = Readonly<Partial<Record<Asset, string>>>

/** Adds to what an address holds. */
export async function fund({ client, layout, send }: FundedChain, to: Address, amounts: Amounts): Promise<void> {
  for (const [asset, amount] of Object.entries(amounts)) {
    if (!isAsset(layout, asset)) throw new Error(`The local chain has no token ${asset}`)
    const units = parseUnits(amount, decimalsOf(asset))
    if (asset === 'ETH') {
      await client.setBalance({ address: to, value: (await client.getBalance({ address: to })) + units })
    } else {
      for (const call of giveCalls(layout, to, asset, units)) await send(call)
    }
  }
}

type FundedChain = {
  readonly client: ChainClient
  readonly layout: Layout
  readonly send: (call: Call) => Promise<void>
}

function isAsset(layout: Layout, symbol: string): symbol is Asset {
  return Object.hasOwn(layout.assets, symbol)
}
