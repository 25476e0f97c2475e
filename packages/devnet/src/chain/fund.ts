import { type Address, encodeFunctionData, parseUnits } from 'viem'
import { multicall3Abi } from '../abis.ts'
import type { Call } from './block-writer.ts'
import type { ChainClient } from './chain-client.ts'
import { giveCalls } from './funding-calls.ts'
import { type Layout, multicall3Address } from '../seed/layout.ts'
import { decimalsOf } from '../seed/prices.ts'
import { type Asset, tokenSpecs } from '../seed/token-specs.ts'

/** Amounts by symbol or `ETH`, as decimal strings in whole tokens. */
export type Amounts = Readonly<Partial<Record<Asset, string>>>

/** Adds to what an address holds. */
export async function fund({ client, layout, send }: FundedChain, to: Address, amounts: Amounts): Promise<void> {
  const calls = Object.entries(amounts).flatMap(([asset, amount]) => {
    if (!isAsset(layout, asset)) throw new Error(`The local chain has no token ${asset}`)
    return asset === 'ETH' ? [] : giveCalls(layout, to, asset, parseUnits(amount, decimalsOf(asset)))
  })
  if (amounts.ETH !== undefined) {
    const units = parseUnits(amounts.ETH, decimalsOf('ETH'))
    await client.setBalance({ address: to, value: (await client.getBalance({ address: to })) + units })
  }
  const isOwnersAlone = ({ to: token }: Call) => ownersAlone.some((symbol) => layout.tokens[symbol] === token)
  const free = calls.filter((call) => !isOwnersAlone(call))
  for (const call of [...together(layout, free), ...calls.filter(isOwnersAlone)]) await send(call)
}

type FundedChain = {
  readonly client: ChainClient
  readonly layout: Layout
  readonly send: (call: Call) => Promise<void>
}

function isAsset(layout: Layout, symbol: string): symbol is Asset {
  return Object.hasOwn(layout.assets, symbol)
}

/** What only the bank may mint: not even a contract in its name. */
const ownersAlone = tokenSpecs.filter(({ kind }) => kind === 'fee-on-transfer').map(({ symbol }) => symbol)

/** One transaction for all of them: a block each would take most of the time. */
function together({ roles }: Layout, calls: readonly Call[]): readonly Call[] {
  if (calls.length < 2) return calls
  const parts = calls.map(({ to, data, value = 0n }) => ({
    target: to ?? multicall3Address,
    allowFailure: false,
    value,
    callData: data,
  }))
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3Value', args: [parts] })
  const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n)
  return [
    {
      from: roles.bank,
      to: multicall3Address,
      data,
      value: sum(calls.map(({ value = 0n }) => value)),
      gas: sum(calls.map(({ gas }) => gas)),
      what: 'fund',
    },
  ]
}
