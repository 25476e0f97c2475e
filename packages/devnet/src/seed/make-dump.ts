import type { Address } from 'viem'
import { addLiquidityCalls, createPoolCalls, growOracleCalls, venueCall } from './pool-calls.ts'
import { accountCount, type DevAccount } from '../accounts.ts'
import { type BlockWriter, createBlockWriter } from '../chain/block-writer.ts'
import type { ChainClient } from '../chain/chain-client.ts'
import { deploymentCalls, placeMulticall3 } from '../chain/deploy-contracts.ts'
import { approvalCalls, fundingCalls } from '../chain/fund.ts'
import { earlierRewardCalls } from '../rewards/create-rewards.ts'
import { allPosts, postCall, readFeeds, sequencerAnswer } from '../feeds/create-feeder.ts'
import type { Layout, PlacedPool } from './layout.ts'
import { type UsdPrices, createMarket } from './market.ts'
import { fillVaultCalls } from './vaults.ts'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startAnvil } from '../chain/start-anvil.ts'
import { history, historyHours, tradeHours } from './trading.ts'

/**
 * Seeds a chain whose last block is at `nowTimestamp` (unix seconds) and returns its state as anvil's `--load-state`
 * reads it. The last `tradingHours` hours of the history are traded; with none, the pools are as created.
 * Throws when any transaction failed.
 */
export async function makeDump(options: {
  readonly anvilPath: string
  readonly layout: Layout
  readonly testAccounts: readonly DevAccount[]
  readonly nowTimestamp: number
  /** 0 to `historyHours`. */
  readonly tradingHours: number
  readonly onProgress?: (line: string) => void
}): Promise<Buffer> {
  const { layout, nowTimestamp, tradingHours, onProgress } = options
  const hourZeroTimestamp = nowTimestamp - historyHours * 3_600
  const first = historyHours - tradingHours + 1
  const startTimestamp = hourZeroTimestamp + (first - 1) * 3_600 - leadSeconds
  const usd = createMarket(history).pricesAt(first - 1)
  const folder = mkdtempSync(join(tmpdir(), 'svc-devnet-'))
  const removeFolder = () => rmSync(folder, { recursive: true, force: true })
  process.once('exit', removeFolder)
  const file = join(folder, 'state.json')
  // An older hard fork writes no block hashes into the state, which anvil hashes anew for every block.
  const args = `--accounts ${accountCount} --timestamp ${startTimestamp} --hardfork cancun --no-mining --prune-history`
  const anvil = await startAnvil({
    path: options.anvilPath,
    chainId: 31_337,
    port: 0,
    args: [...args.split(' '), '--dump-state', file],
    readyTimeoutMs: 30_000,
    exitTimeoutMs: 60_000,
  })
  try {
    onProgress?.('seeding a new chain, once for all starts of a day: contracts, tokens and pools')
    const seed = { layout, usd, startTimestamp, rpcUrl: anvil.rpcUrl, testAccounts: options.testAccounts }
    const writer = await seedChain(anvil.client, seed)
    const answers = await readFeeds(anvil.client, layout)
    const hours = { first, last: historyHours, hourZeroTimestamp }
    await tradeHours(writer, { layout, answers, ...hours, onHour: dayReport(onProgress) })
    await writer.writeBlocks(growOracleCalls(layout, finalOracleEntries), nowTimestamp - 240)
    await anvil.stop()
    const state = withoutTraces(readFileSync(file), writer.transactionCount())
    // With a history, a swap costs the gas that it costs a pool whose oracle was grown long ago.
    return withoutEmptySlots(state, tradingHours > 0 ? [] : layout.pools.filter(({ version }) => version === 'v3'))
  } finally {
    await anvil.stop()
    process.off('exit', removeFolder)
    removeFolder()
  }
}

/** The pools are this much older than the first block of interest, so that a time-weighted price has its past. */
export const leadSeconds = 2 * 3_600

/** A trader's trades every few seconds must not push the last half hour out of the main pool's oracle. */
function finalOracleEntries(pool: PlacedPool): number {
  return pool.perHour >= 1 ? 500 : 120
}

function dayReport(onProgress: ((line: string) => void) | undefined): (hour: number) => void {
  return (hour) => {
    const days = historyHours / 24
    const day = hour / 24
    if (day % 5 === 0) onProgress?.(`seeding its trading: ${day} of ${days} days`)
  }
}

/**
 * The chain's state less the traces that anvil keeps of every transaction, three quarters of it. The text is cut rather
 * than parsed, for a month of trading is over 100 MB. Throws unless all transactions are there and succeeded.
 */
function withoutTraces(state: Buffer, transactions: number): Buffer {
  const [start, end] = ['"traces":[', '],"exit":']
  const kept: Buffer[] = []
  let position = 0
  for (;;) {
    const from = state.indexOf(start, position)
    if (from === -1) break
    kept.push(state.subarray(position, from + start.length))
    position = state.indexOf(end, from)
  }
  kept.push(state.subarray(position))
  const text = Buffer.concat(kept)
  const succeeded = count(text, '"status":"0x1"')
  if (kept.length - 1 !== transactions || succeeded !== transactions) {
    throw new Error(`Seeding: ${succeeded} of ${transactions} transactions succeeded (${kept.length - 1} mined)`)
  }
  return text
}

/**
 * The chain's state less the storage that holds nothing, and less the entries of these pools' oracles that were reserved and never
 * written: anvil hashes all of its state for each block, and they are two thirds of it. All that tells the chain from one with them is
 * the gas of the swap that writes such an entry first.
 */
function withoutEmptySlots(state: Buffer, pools: readonly PlacedPool[]): Buffer {
  const parsed: DumpedState = JSON.parse(state.toString())
  const oracles = new Set(pools.map(({ id }) => id.toLowerCase()))
  for (const [address, { storage }] of Object.entries(parsed.accounts)) {
    const isOracle = oracles.has(address.toLowerCase())
    for (const [slot, value] of Object.entries(storage)) {
      const isReserved = isOracle && BigInt(value) === reservedEntry && isOracleSlot(BigInt(slot))
      if (BigInt(value) === 0n || isReserved) delete storage[slot]
    }
  }
  return Buffer.from(JSON.stringify(parsed))
}

type DumpedState = { readonly accounts: Record<string, { readonly storage: Record<string, string> }> }

/** What `grow` of a v3 pool's oracle writes into an entry. */
const reservedEntry = 1n

/** Of a v3 pool's `observations`, which begin behind its slots of other things. */
function isOracleSlot(slot: bigint): boolean {
  return slot >= 8n && slot < 8n + 65_535n
}

function count(text: Buffer, part: string): number {
  let found = 0
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) found += 1
  return found
}

/**
 * Puts contracts, tokens, funds, approvals, pools, liquidity and the first answers of the price feeds on an empty chain that mines on demand, from
 * `startTimestamp` (unix seconds) on, at the market's prices `usd`. Returns the writer for whatever comes after.
 */
async function seedChain(
  client: ChainClient,
  options: {
    readonly rpcUrl: string
    readonly layout: Layout
    readonly testAccounts: readonly DevAccount[]
    readonly usd: UsdPrices
    readonly startTimestamp: number
  },
): Promise<BlockWriter> {
  const { layout, usd } = options
  const testAddresses = options.testAccounts.map((account) => account.address)
  await giveEther(client, layout)
  await placeMulticall3(client)
  const writer = await createBlockWriter(client, options.rpcUrl)
  const phases = [
    deploymentCalls(layout),
    fundingCalls(layout, testAddresses, usd),
    approvalCalls(layout),
    allPools(layout).flatMap((pool) => createPoolCalls(layout, pool, usd)),
    growOracleCalls(layout, () => 24),
    [
      venueCall(layout),
      postCall(layout, 'sequencer', sequencerAnswer.up),
      ...allPosts(layout, usd),
      ...earlierRewardCalls(layout, testAddresses),
      ...fillVaultCalls(layout),
      ...allPools(layout).flatMap((pool) => addLiquidityCalls(layout, pool, usd)),
    ],
  ]
  let timestamp = options.startTimestamp
  for (const calls of phases) timestamp = await writer.writeBlocks(calls, timestamp)
  await writer.verify()
  return writer
}

function allPools({ pools, twamm }: Layout): readonly PlacedPool[] {
  return [...pools, twamm.pool]
}

/** Ether enough for everything the seeding accounts ever do. */
async function giveEther(client: ChainClient, { roles, sponsors }: Layout): Promise<void> {
  const rich: readonly Address[] = [roles.deployer, roles.bank, ...roles.providers, ...roles.traders]
  const value = 20_000_000n * 10n ** 18n
  await Promise.all(rich.map(async (address) => await client.setBalance({ address, value })))
  for (const { address } of [sponsors.executor, sponsors.utility]) {
    await client.setBalance({ address, value: 1_000n * 10n ** 18n })
  }
}
