import { vi } from 'vitest'
import type { useDevnet } from '@svc/devnet/testing'
import {
  type Address,
  type Client,
  createClient,
  type Hash,
  type Hex,
  http,
  type JsonRpcAccount,
  type PublicActions,
  publicActions,
  type Transport,
  type WalletActions,
  walletActions,
} from 'viem'
import { foundry } from 'viem/chains'
import { stateViewAbi, v2Abi, v3PoolAbi, v4PoolManagerAbi } from './amm-abis.fixture.ts'
import { getFeeGrowthInside } from './fees/fees.ts'
import type { PoolState } from './pool.fixture.ts'

type Devnet = ReturnType<ReturnType<typeof useDevnet>>
type Pool = Devnet['pools'][number]
export type Ticks = { tickLower: number; tickUpper: number }
type Growth = readonly [bigint, bigint]

export const noDeadline = 2n ** 40n

/** Reads a local chain's AMM contracts, for tests that hold the arithmetic against them. */
export function ammContracts(devnet: Devnet) {
  const account = devnet.accounts[0]!.address
  const client = connect(devnet.rpcUrl, account)
  const { v2, v3, v4 } = devnet.chain.amm
  if (!v2 || !v3 || !v4) throw new Error('The local chain has all three versions')
  const find = (version: Pool['version'], label: string) =>
    devnet.pools.find((pool) => pool.version === version && pool.label === label)!
  const mined = async (sent: Promise<Hash>) => {
    const hash = await sent
    return await vi.waitFor(() => client.getTransactionReceipt({ hash }), { timeout: 60_000, interval: 20 })
  }

  return {
    client,
    account,
    addresses: { v2, v3, v4 },
    find,
    mined,
    poolsOf: (version: Pool['version']) => devnet.pools.filter((pool) => pool.version === version),
    decimalsOf: (address: Address) => devnet.tokens.find((token) => token.address === address)!.decimals,
    async approve(tokens: readonly Address[], spender: Address) {
      for (const address of tokens) {
        const approve = {
          address,
          abi: v2Abi,
          functionName: 'approve',
          args: [spender, 2n ** 255n],
        } as const
        await mined(client.writeContract(approve))
      }
    },
    async readV2(pair: Hex) {
      const at = { address: pair, abi: v2Abi } as const
      const [reserve0, reserve1] = await client.readContract({ ...at, functionName: 'getReserves' })
      return { reserve0, reserve1, totalSupply: await client.readContract({ ...at, functionName: 'totalSupply' }) }
    },
    v3: {
      async ranges({ id }: Pool): Promise<Ticks[]> {
        const logs = await client.getLogs({ address: id, event: v3PoolAbi[0], fromBlock: 0n, strict: true })
        return logs.map(({ args: { tickLower, tickUpper } }) => ({ tickLower, tickUpper }))
      },
      async state(pool: Pool): Promise<PoolState> {
        const at = { address: pool.id, abi: v3PoolAbi } as const
        const [sqrtPriceX96, tick] = await client.readContract({ ...at, functionName: 'slot0' })
        const ticks = boundsOf(await this.ranges(pool)).map(async (bound) => {
          const record = await client.readContract({ ...at, functionName: 'ticks', args: [bound] })
          return { tick: bound, liquidityNet: record[1] }
        })
        const liquidity = await client.readContract({ ...at, functionName: 'liquidity' })
        return { sqrtPriceX96, tick, liquidity, ticks: await Promise.all(ticks), ...termsOf(pool) }
      },
      async growthInside({ id }: Pool, { tickLower, tickUpper }: Ticks): Promise<Growth> {
        const at = { address: id, abi: v3PoolAbi } as const
        const outside = async (bound: number) => {
          const record = await client.readContract({ ...at, functionName: 'ticks', args: [bound] })
          return { feeGrowthOutside0X128: record[2], feeGrowthOutside1X128: record[3] }
        }
        const [, tickCurrent] = await client.readContract({ ...at, functionName: 'slot0' })
        const inside = getFeeGrowthInside({
          tickCurrent,
          tickLower,
          tickUpper,
          feeGrowthGlobal0X128: await client.readContract({ ...at, functionName: 'feeGrowthGlobal0X128' }),
          feeGrowthGlobal1X128: await client.readContract({ ...at, functionName: 'feeGrowthGlobal1X128' }),
          lower: await outside(tickLower),
          upper: await outside(tickUpper),
        })
        return [inside.feeGrowthInside0X128, inside.feeGrowthInside1X128]
      },
    },
    v4: {
      async ranges({ id }: Pool): Promise<Ticks[]> {
        const from = { address: v4.poolManager, args: { id }, fromBlock: 0n, strict: true } as const
        const logs = await client.getLogs({ ...from, event: v4PoolManagerAbi[0] })
        return logs.map(({ args: { tickLower, tickUpper } }) => ({ tickLower, tickUpper }))
      },
      async state(pool: Pool): Promise<PoolState> {
        const at = { address: v4.stateView, abi: stateViewAbi } as const
        const [sqrtPriceX96, tick] = await client.readContract({ ...at, functionName: 'getSlot0', args: [pool.id] })
        const ticks = boundsOf(await this.ranges(pool)).map(async (bound) => {
          const args = [pool.id, bound] as const
          const [, liquidityNet] = await client.readContract({ ...at, functionName: 'getTickLiquidity', args })
          return { tick: bound, liquidityNet }
        })
        const liquidity = await client.readContract({ ...at, functionName: 'getLiquidity', args: [pool.id] })
        return { sqrtPriceX96, tick, liquidity, ticks: await Promise.all(ticks), ...termsOf(pool) }
      },
      async growthInside({ id }: Pool, { tickLower, tickUpper }: Ticks): Promise<Growth> {
        const at = { address: v4.stateView, abi: stateViewAbi } as const
        const args = [id, tickLower, tickUpper] as const
        return await client.readContract({ ...at, functionName: 'getFeeGrowthInside', args })
      },
    },
  }
}

type ChainClient = Client<
  Transport,
  typeof foundry,
  JsonRpcAccount,
  undefined,
  PublicActions<Transport, typeof foundry, JsonRpcAccount> & WalletActions<typeof foundry, JsonRpcAccount>
>

/** A client whose transactions the node signs, with one of its own accounts. */
function connect(rpcUrl: string, account: Address): ChainClient {
  return createClient({ account, chain: foundry, transport: http(rpcUrl), pollingInterval: 10, cacheTime: 0 })
    .extend(publicActions)
    .extend(walletActions)
}

const termsOf = (pool: Pool) => ({ feePips: pool.fee, tickSpacing: pool.tickSpacing! })

const boundsOf = (ranges: readonly Ticks[]) =>
  [...new Set(ranges.flatMap(({ tickLower, tickUpper }) => [tickLower, tickUpper]))].sort((a, b) => a - b)
