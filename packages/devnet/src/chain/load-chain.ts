import { encodeFunctionData } from 'viem'
import { accountCount } from '../accounts.ts'
import { twammHook } from '../contracts.gen.ts'
import { allPosts, readFeeds } from '../feeds/create-feeder.ts'
import { poolKey, arbitrageCall } from '../seed/pool-calls.ts'
import type { Layout } from '../seed/layout.ts'
import { leadSeconds } from '../seed/make-dump.ts'
import { createMarket, unitsFor, type UsdPrices } from '../seed/market.ts'
import { history, historyHours, tradeHours } from '../seed/trading.ts'
import { type BlockWriter, type Call, createBlockWriter } from './block-writer.ts'
import type { ChainClient } from './chain-client.ts'
import { type Anvil, keptStatesFlag, startAnvil } from './start-anvil.ts'

/**
 * Serves a seeded state: trades the whole hours that passed since it was made, with the times they would have had, and
 * ends with a block of the present, in which every price feed answers (none is older than the chain's start) and an order to
 * be sold over a day begins.
 */
export async function loadChain(options: LoadOptions): Promise<LoadedChain> {
  const { anvilPath: path, dump, chainId, port, isRenewable = false } = options
  // The states of blocks that were taken away are kept as well: a user of hundreds of blocks still finds all of its own.
  const kept = isRenewable ? [keptStatesFlag, '1000'] : []
  const args = ['--accounts', String(accountCount), '--load-state', dump, ...kept]
  const anvil = await startAnvil({ path, chainId, port, args, readyTimeoutMs: 30_000 })
  try {
    const mined = { blocks: 0 }
    const putBack = isRenewable ? await rememberLoaded(anvil.client, mined) : null
    const renew = async () => {
      if (putBack === null) throw new Error('This chain was not started to be renewed')
      await putBack()
      return await begin(anvil, options)
    }
    return { ...anvil, usd: await begin(anvil, options), mined, renew }
  } catch (error) {
    await anvil.stop()
    throw error
  }
}

/** From the state as it was seeded to the present. Returns the market's prices in the hour that is reached. */
async function begin(anvil: Anvil, options: LoadOptions): Promise<UsdPrices> {
  const { client, rpcUrl } = anvil
  const { layout, tradingHours, now } = options
  const [writer] = await Promise.all([createBlockWriter(client, rpcUrl), client.setAutomine(false)])
  const hour = tradingHours > 0 ? await catchUp(anvil, writer, options) : historyHours
  const usd = options.prices ?? createMarket(history).pricesAt(hour)
  if (options.prices) await moveInThePast(anvil, writer, { layout, usd })
  // Anvil's clock follows the last block it was given; this puts it back to the present.
  await client.request({ method: 'evm_setTime', params: [now()] })
  await writer.writeBlock([...allPosts(layout, usd), twammOrderCall(layout, usd, now())])
  await Promise.all([writer.verify(), client.setAutomine(true)])
  return usd
}

/**
 * Remembers the state as it was loaded; what it returns brings it back any number of times, and what anvil keeps beside its state
 * as well: what waits for a block, how blocks are mined and timed, the base fee to come, whom it impersonates. Throws once the
 * chain is slow with the blocks that it mined.
 */
async function rememberLoaded(client: ChainClient, mined: { blocks: number }): Promise<() => Promise<void>> {
  const own = new Set(await client.request({ method: 'eth_accounts' }))
  const [number, baseFeePerGas] = [await client.getBlockNumber(), await nextBaseFee(client)]
  let id = await client.snapshot()
  return async () => {
    mined.blocks += Number((await client.getBlockNumber()) - number)
    if (mined.blocks > blocksInMemory) throw new Error(`This chain has mined ${mined.blocks} blocks`)
    // Nothing is mined until it begins again.
    await client.setIntervalMining({ interval: 0 })
    await client.request({ method: 'anvil_dropAllTransactions' })
    await client.request({ method: 'anvil_autoImpersonateAccount', params: [false] })
    // Anvil counts whom it impersonates among its own.
    const accounts = await client.request({ method: 'eth_accounts' })
    for (const address of accounts) if (!own.has(address)) await client.stopImpersonatingAccount({ address })
    await client.removeBlockTimestampInterval()
    // Unlike the clock and the gas limit, a revert leaves the base fee alone.
    await client.revert({ id })
    if ((await client.getBlockNumber()) !== number) throw new Error('The state as it was loaded is gone')
    await client.setNextBlockBaseFeePerGas({ baseFeePerGas })
    id = await client.snapshot()
  }
}

async function nextBaseFee(client: ChainClient): Promise<bigint> {
  const { baseFeePerGas } = await client.getFeeHistory({ blockCount: 1, rewardPercentiles: [] })
  const next = baseFeePerGas.at(-1)
  if (next === undefined) throw new Error('The local chain names no base fee')
  return next
}

/**
 * Anvil keeps the states of 500 blocks in memory, those that were reverted among them, and writes one to a file for each block
 * after these, which takes as long again.
 */
const blocksInMemory = 400

export type LoadedChain = Anvil & {
  /** Blocks that were mined and taken away again, as far as they are known. */
  readonly mined: { blocks: number }
  /** The market's prices in the hour up to which it was traded. */
  readonly usd: UsdPrices
  /** Brings it to where it was when it was started, at the present of now, and returns the market's prices then. Throws where it cannot. */
  readonly renew: () => Promise<UsdPrices>
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
  /** Takes the place of the market that the state was seeded at. Only for one without trading. */
  readonly prices?: UsdPrices
  /** Keeps what `renew` needs: as much memory again as the state takes. */
  readonly isRenewable?: boolean
}

/** Returns the hour of the history that the chain is in then. */
async function catchUp(
  { client }: Anvil,
  writer: BlockWriter,
  { layout, tradingHours, now }: LoadOptions,
): Promise<number> {
  const genesis = await client.getBlock({ blockNumber: 0n })
  const hourZeroTimestamp = Number(genesis.timestamp) + leadSeconds - (historyHours - tradingHours) * 3_600
  const last = Math.floor((now() - hourZeroTimestamp) / 3_600)
  if (last <= historyHours) return historyHours
  const answers = await readFeeds(client, layout)
  await setClockToHead(client)
  await tradeHours(writer, { layout, answers, hourZeroTimestamp, first: historyHours + 1, last })
  return last
}

/** Right after the seeded state, so that a mean of half an hour knows the prices as soon as that is half an hour old. */
async function moveInThePast(
  { client }: Anvil,
  writer: BlockWriter,
  { layout, usd }: { readonly layout: Layout; readonly usd: UsdPrices },
): Promise<void> {
  const seededAt = await setClockToHead(client)
  await writer.writeBlocks([arbitrageCall(layout, usd)], seededAt)
}

/** Anvil starts its clock at the present whatever it loads, and refuses a block before it. Returns the head's time, in Unix seconds. */
async function setClockToHead(client: ChainClient): Promise<number> {
  const { timestamp } = await client.getBlock()
  await client.request({ method: 'evm_setTime', params: [Number(timestamp)] })
  return Number(timestamp)
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
