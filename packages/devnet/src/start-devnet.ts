import type { Chain } from '@svc/wallet'
import { type Address, type Hex, zeroAddress } from 'viem'
import { accountCount, deriveAccounts, type DevAccount } from './accounts.ts'
import { anvilPath } from './anvil-path.ts'
import type { ChainClient } from './chain-client.ts'
import { chainRow } from './chain-row.ts'
import { type Amounts, fund } from './fund.ts'
import { createLayout, type PlacedPool } from './layout.ts'
import { makeDump } from './make-dump.ts'
import { cacheFolder, seededDump } from './seeded-dump.ts'
import { startAnvil } from './start-anvil.ts'
import { type Asset, tokenSpecs } from './token-specs.ts'

/**
 * Starts a local chain with the real AMM contracts, tokens, pools and, unless `history` is false, thirty days of
 * trading up to now. The first start seeds the chain and keeps its state in the cache; later ones load it.
 * Throws when no anvil is found, when the cache cannot be written, or when the port is taken.
 */
export async function startDevnet(options: DevnetOptions = {}): Promise<Devnet> {
  const env = options.env ?? process.env
  const path = options.anvilPath ?? anvilPath(env)
  const chainId = options.chainId ?? 31_337
  const { testAccounts, roles } = deriveAccounts()
  const layout = createLayout(roles)
  const dump = await seededDump({
    cacheDir: cacheFolder(options.cacheDir, env),
    variant: 'pools',
    maxAgeMs: Infinity,
    now: Date.now,
    make: async () => await makeDump({ anvilPath: path, layout, testAccounts, nowTimestamp: unixNow() }),
  })
  const anvil = await startAnvil({
    path,
    chainId,
    port: options.rpcPort ?? 0,
    args: ['--accounts', String(accountCount), '--load-state', dump],
    readyTimeoutMs: 30_000,
  })
  const { client, rpcUrl, pid, stop } = anvil
  await returnToNow(client)
  return {
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
    accounts: testAccounts,
    fund: async (address, amounts) => await fund(client, layout, address, amounts),
    mineTo: async (timestamp) => {
      await client.setNextBlockTimestamp({ timestamp: BigInt(timestamp) })
      await client.mine({ blocks: 1 })
    },
    checkpoint: async () => await checkpoint(client),
    stop,
  }
}

export type DevnetOptions = {
  /** 0 or absent: any free port. */
  readonly rpcPort?: number
  /** 31337 when absent. */
  readonly chainId?: number
  /** Where seeded chains are kept; else `svc` in the user's cache folder. */
  readonly cacheDir?: string
  /** Thirty days of trading (default), or contracts, tokens and pools alone. */
  readonly history?: boolean
  readonly onProgress?: (line: string) => void
  /** The anvil program; else it is looked for (see `anvilPath`). */
  readonly anvilPath?: string
  readonly env?: Readonly<Record<string, string | undefined>>
}

export type Devnet = {
  readonly rpcUrl: string
  readonly chainId: number
  /** Of the anvil process. */
  readonly pid: number
  /** The chain's row for a chain table. */
  readonly chain: Chain
  readonly tokens: readonly DevnetToken[]
  readonly pools: readonly DevnetPool[]
  /** Ten accounts that hold ether and 50,000 dollars of every token. Their keys are public. */
  readonly accounts: readonly DevAccount[]
  /** Adds to what the address holds; amounts are decimal strings in whole tokens, by symbol or `ETH`. */
  fund(address: Address, amounts: Amounts): Promise<void>
  /** Mines one block at that time (unix seconds), later than the head's; the clock runs on from there. */
  mineTo(timestamp: number): Promise<void>
  /** Remembers the chain's state; what it returns brings the state back, once, with the clock at the present. */
  checkpoint(): Promise<() => Promise<void>>
  /** Ends the chain's process and waits for its end. */
  stop(): Promise<void>
}

export type DevnetToken = {
  /** Our handle; the hostile token answers something else on chain. */
  readonly symbol: Asset
  readonly name: string
  readonly address: Address
  readonly decimals: number
}

export type DevnetPool = {
  readonly version: 'v2' | 'v3' | 'v4'
  /** Pair or pool address; for v4 the 32-byte PoolId. */
  readonly id: Hex
  /** Sorted as the pool sorts them; the zero address for the native currency. */
  readonly token0: Address
  readonly token1: Address
  /** Hundredths of a basis point. */
  readonly fee: number
  /** `null` for v2. */
  readonly tickSpacing: number | null
  /** The zero address for v4 pools without hooks, `null` for v2 and v3. */
  readonly hooks: Address | null
  /** For people, for example `WETH/USDC 0.05 %`; unique together with the version. */
  readonly label: string
}

const unixNow = () => Math.floor(Date.now() / 1_000)

/** Anvil's clock follows the last block it was told about; this puts it back to the present, with a block of now. */
async function returnToNow(client: ChainClient): Promise<void> {
  await client.request({ method: 'evm_setTime', params: [unixNow()] })
  await client.mine({ blocks: 1 })
}

/** A revert sets anvil's clock to the time of the snapshot's block, hence the second step. */
async function checkpoint(client: ChainClient): Promise<() => Promise<void>> {
  const id = await client.snapshot()
  return async () => {
    await client.revert({ id })
    await client.request({ method: 'evm_setTime', params: [unixNow()] })
  }
}

function describePool({ version, id, token0, token1, fee, tickSpacing, base, quote }: PlacedPool): DevnetPool {
  const label = `${base}/${quote} ${fee / 10_000} %`
  return { version, id, token0, token1, fee, tickSpacing, hooks: version === 'v4' ? zeroAddress : null, label }
}
