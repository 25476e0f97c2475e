import { createMutex } from '@svc/wallet/core'
import { toHex } from 'viem'
import type { Call } from './chain/block-writer.ts'
import type { ChainClient } from './chain/chain-client.ts'
import { devAccounts, type DevAccount } from './accounts.ts'
import { anvilPath } from './chain/start-anvil.ts'
import { chainRow } from './chain/chain-row.ts'
import type { Devnet, DevnetOptions, DevnetPool } from './devnet.ts'
import { createFeeder, type Feeder } from './feeds/create-feeder.ts'
import { fund } from './chain/fund.ts'
import {
  createLayout,
  entryPointAddress,
  type Layout,
  type PlacedPool,
  batchDelegateAddress,
  simple7702AccountAddress,
} from './seed/layout.ts'
import { createRewards } from './rewards/create-rewards.ts'
import { type LoadedChain, loadChain } from './chain/load-chain.ts'
import { makeDump } from './seed/make-dump.ts'
import type { LiveMarket } from './seed/market.ts'
import { cacheFolder, seededDump } from './seed/seeded-dump.ts'
import { tokenSpecs } from './seed/token-specs.ts'
import { historyHours, createTrading } from './seed/trading.ts'
import { describeVaults } from './seed/vaults.ts'

/**
 * Starts a local chain with the real AMM contracts, tokens, pools and, unless `history` is false, thirty days of
 * trading up to now. The first start seeds the chain and keeps its state in the cache; later ones load it.
 * Throws when no anvil is found, when the cache cannot be written, or when the port is taken.
 */
export async function startDevnet(options: DevnetOptions = {}): Promise<Devnet> {
  return (await start(options, false)).devnet
}

/** The same for tests: `renew` brings it to where a start of now would, with all that anvil keeps, in less time. */
export async function startRenewable(options: DevnetOptions): Promise<RenewableDevnet> {
  return await start(options, true)
}

export type RenewableDevnet = { readonly devnet: Devnet; readonly renew: () => Promise<void> }

async function start(options: DevnetOptions, isRenewable: boolean): Promise<RenewableDevnet> {
  const env = options.env ?? process.env
  const path = options.anvilPath ?? anvilPath(env)
  const { rpcPort: port = 0, chainId = 31_337, prices, onProgress } = options
  const { testAccounts, roles, sponsors } = devAccounts()
  const layout = createLayout({ roles, sponsors })
  const tradingHours = (options.history ?? true) ? historyHours : 0
  const seeding = { anvilPath: path, layout, testAccounts, tradingHours, ...(onProgress && { onProgress }) }
  const dump = await seededDump({
    cacheDir: cacheFolder(options.cacheDir, env),
    variant: tradingHours > 0 ? 'history' : 'pools',
    maxAgeMs: tradingHours > 0 ? dayMs : Infinity,
    now: Date.now,
    make: async () => await makeDump({ ...seeding, nowTimestamp: unixNow() }),
  })
  const served = { anvilPath: path, dump, layout, chainId, port, tradingHours, now: unixNow, isRenewable }
  const anvil = await loadChain({ ...served, ...(tradingHours === 0 && prices && { prices }) })
  return describeDevnet(anvil, layout, chainId, testAccounts)
}

function describeDevnet(
  anvil: LoadedChain,
  layout: Layout,
  chainId: number,
  accounts: readonly DevAccount[],
): RenewableDevnet {
  const { client, rpcUrl, pid } = anvil
  const inTurn = createMutex()
  const send = async (call: Call) => await inTurn(async () => await sendNow(client, call))
  const market: LiveMarket = { usd: anvil.usd }
  const feeder = createFeeder({ client, layout, market, send })
  const trading = createTrading({ layout, market, send, postDue: feeder.postDue })
  const restoreFeeder = feeder.remember()
  const renew = async () => {
    await trading.stopAll()
    market.usd = await anvil.renew()
    restoreFeeder()
  }
  const devnet: Devnet = {
    rpcUrl,
    chainId,
    pid,
    chain: chainRow(layout, chainId, rpcUrl),
    tokens: tokenSpecs.map(({ symbol, name, decimals }) => ({
      symbol,
      name,
      decimals,
      address: layout.tokens[symbol],
    })),
    pools: layout.pools.map(describePool),
    twamm: { hook: layout.twamm.hook, pool: describePool(layout.twamm.pool) },
    accounts,
    registry: { identity: layout.agents.identityRegistry, handle: layout.agents.handleRegistry },
    entryPoint: entryPointAddress,
    simple7702Account: simple7702AccountAddress,
    batchDelegate: batchDelegateAddress,
    paymaster: layout.agents.paymaster,
    sponsors: layout.sponsors,
    rewards: createRewards({ client, layout, send }),
    vaults: describeVaults(layout),
    market: { prices: () => market.usd, move: trading.move },
    feeds: feeder.feeds,
    sequencer: feeder.sequencer,
    fund: async (address, amounts) => await fund({ client, layout, send }, address, amounts),
    trade: async (count, seed = 1, pools) => await trading.trade(count, String(seed), pools),
    startTrader: (options) => trading.startTrader(options),
    mineTo: async (timestamp) => {
      await client.setNextBlockTimestamp({ timestamp: BigInt(timestamp) })
      await client.mine({ blocks: 1 })
    },
    exited: anvil.exited,
    checkpoint: async () => await checkpoint(anvil, market, feeder),
    stop: async () => {
      await trading.stopAll()
      await anvil.stop()
    },
  }
  return { devnet, renew }
}

const dayMs = 24 * 3_600_000

const unixNow = () => Math.floor(Date.now() / 1_000)

/** A revert sets anvil's clock to the time of the snapshot's block, hence the second step. */
async function checkpoint(
  { client, mined }: LoadedChain,
  market: LiveMarket,
  feeder: Feeder,
): Promise<() => Promise<void>> {
  const { usd } = market
  const restoreFeeder = feeder.remember()
  const [number, id] = [await client.getBlockNumber(), await client.snapshot()]
  return async () => {
    market.usd = usd
    restoreFeeder()
    mined.blocks += Number((await client.getBlockNumber()) - number)
    await client.revert({ id })
    await client.request({ method: 'evm_setTime', params: [unixNow()] })
  }
}

function describePool({ version, id, token0, token1, fee, tickSpacing, ...spec }: PlacedPool): DevnetPool {
  const label = `${spec.base}/${spec.quote} ${fee / 10_000} %`
  return { version, id, token0, token1, fee, tickSpacing, hooks: version === 'v4' ? spec.hooks : null, label }
}

/** Sends a call on a chain that mines at once and waits for its block. Throws when it fails. */
export async function sendNow(client: ChainClient, { from, to, data, value = 0n, gas, what }: Call): Promise<void> {
  const transaction = { from, ...(to && { to }), data, value: toHex(value), gas: toHex(gas) }
  const receipt = await client.request({ method: 'eth_sendTransactionSync', params: [transaction] })
  if (receipt.status !== '0x1') throw new Error(`On the local chain, "${what}" failed (${receipt.transactionHash})`)
}
