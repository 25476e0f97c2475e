import { encodeFunctionData } from 'viem'
import { accountCount } from '../accounts.ts'
import { twammHook } from '../contracts.gen.ts'
import { allPosts, readFeeds } from '../feeds/feed-posts.ts'
import { poolKey } from '../seed/add-liquidity-calls.ts'
import type { Layout } from '../seed/layout.ts'
import { leadSeconds } from '../seed/make-dump.ts'
import { createMarket } from '../seed/market.ts'
import { unitsFor, type UsdPrices } from '../seed/prices.ts'
import { history, historyHours, tradeHours } from '../seed/trading-hour.ts'
import { type BlockWriter, type Call, createBlockWriter } from './block-writer.ts'
import { type Anvil, startAnvil } from './start-anvil.ts'

/**
 * Serves a seeded state: trades the whole hours that passed since it was made, with the times they would have had, and
 * ends with a block of the present, in which every price feed answers (none is older than the chain's start) and an order to
 * be sold over a day begins.
 */
export async function loadChain(options: LoadOptions): Promise<LoadedChain> {
  const { anvilPath: path, dump, layout, chainId, port } = options
  const args = ['--accounts', String(accountCount), '--load-state', dump]
  const anvil = await startAnvil({ path, chainId, port, args, readyTimeoutMs: 30_000 })
  try {
    const [writer] = await Promise.all([createBlockWriter(anvil.client, anvil.rpcUrl), anvil.client.setAutomine(false)])
    const hour = options.tradingHours > 0 ? await catchUp(anvil, writer, options) : historyHours
    const usd = createMarket(history).pricesAt(hour)
    // Anvil's clock follows the last block it was given; this puts it back to the present.
    await anvil.client.request({ method: 'evm_setTime', params: [options.now()] })
    await writer.writeBlock([...allPosts(layout, usd), twammOrderCall(layout, usd, options.now())])
    await Promise.all([writer.verify(), anvil.client.setAutomine(true)])
    return { ...anvil, usd }
  } catch (error) {
    await anvil.stop()
    throw error
  }
}

export type LoadedChain = Anvil & {
  /** The market's prices in the hour up to which it was traded. */
  readonly usd: UsdPrices
}

type LoadOptions = {
  readonly anvilPath: string
  /** The file that holds the state. */
  readonly dump: string
  readonly layout: Layout
  readonly chainId: number
  readonly port: number
  /** How many hours of trading the state holds. */
  readonly tradingHours: number
  /** Unix seconds. */
  readonly now: () => number
}

/** Returns the hour of the history that the chain is in then. */
async function catchUp(
  { client }: Anvil,
  writer: BlockWriter,
  { layout, tradingHours, now }: LoadOptions,
): Promise<number> {
  const [genesis, head] = await Promise.all([client.getBlock({ blockNumber: 0n }), client.getBlock()])
  const hourZeroTimestamp = Number(genesis.timestamp) + leadSeconds - (historyHours - tradingHours) * 3_600
  const last = Math.floor((now() - hourZeroTimestamp) / 3_600)
  if (last <= historyHours) return historyHours
  const answers = await readFeeds(client, layout)
  // Anvil starts its clock at the present whatever it loads, and refuses a block before it.
  await client.request({ method: 'evm_setTime', params: [Number(head.timestamp)] })
  await tradeHours(writer, { layout, answers, hourZeroTimestamp, first: historyHours + 1, last })
  return last
}

/** Somebody's order to sell 24,000 dollars of WETH over a day or up to an hour more, for it ends with an hour. */
function twammOrderCall(layout: Layout, usd: UsdPrices, nowTimestamp: number): Call {
  const { roles, tokens, twamm } = layout
  const owner = roles.traders[0] ?? roles.bank
  const expiration = BigInt((Math.floor(nowTimestamp / 3_600) + 25) * 3_600)
  const zeroForOne = tokens.WETH === twamm.pool.token0
  const data = encodeFunctionData({
    abi: twammHook.abi,
    functionName: 'submitOrder',
    args: [poolKey(twamm.pool), { owner, expiration, zeroForOne }, unitsFor('WETH', 24_000, usd)],
  })
  return { from: owner, to: twamm.hook, data, gas: 1_000_000n, what: 'an order to be sold over a day' }
}
