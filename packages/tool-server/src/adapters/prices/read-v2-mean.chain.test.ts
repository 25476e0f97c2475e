import { useDevnet } from '@svc/devnet/testing'
import { type Address, parseUnits } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import { v2PairAbi } from '../liquidity/abis/v2-pair.ts'
import { createChainActor } from '../liquidity/chain-actor.fixture.ts'
import { createReadsBench } from '../liquidity/reads-bench.fixture.ts'
import { v2PairAddress } from '../liquidity/v2/pair-address.ts'
import { readV2Mean } from './read-v2-mean.ts'

const devnet = useDevnet()
let bench: ReturnType<typeof createReadsBench>

beforeEach(() => {
  bench = createReadsBench(devnet())
})

describe('readV2Mean', () => {
  it('weighs prices by how long they stood, in both directions', async () => {
    const { pair, tokens, trade } = await pairOf()
    const start = await passTime(60)
    const before = await reserves(pair, start.number)
    const traded = await trade()
    const after = await reserves(pair, traded.number)
    const head = await passTime(1_000)
    const blockTimeSeconds = 1_800 / Number(head.number - start.number)
    for (const tokenIs0 of [true, false]) {
      const price = ([held, other]: readonly [bigint, bigint]) =>
        tokenIs0 ? (other * 10n ** 36n) / held : (held * 10n ** 36n) / other
      const [first, second] = [traded.timestamp - start.timestamp, head.timestamp - traded.timestamp]
      const weighed = (price(before) * first + price(after) * second) / (first + second)
      const [decimals, quoteDecimals] = tokenIs0 ? tokens : tokens.toReversed()
      const expected = (weighed * 10n ** BigInt(decimals!)) / 10n ** BigInt(quoteDecimals! + 18)
      // The block at the start is half an hour back, if blocks come as the chain's row says.
      const found = (await mean(
        pair,
        { tokenIs0, decimals: decimals!, quoteDecimals: quoteDecimals! },
        blockTimeSeconds,
        head,
      ))!
      expect(Number(found.meanE18) / Number(expected)).toBeCloseTo(1, 6)
      const heldBefore = Number(before[tokenIs0 ? 1 : 0]) / 10 ** quoteDecimals!
      expect(found.depthBefore / heldBefore).toBeCloseTo(1, 12)
      expect(price(before)).not.toBe(price(after))
    }
  })

  it('is null over too short or too long a time, for a pair that does not stand, and without the older block', async () => {
    const { pair } = await pairOf()
    const side = { tokenIs0: true, decimals: 18, quoteDecimals: 6 }
    await passTime(60)
    const near = await passTime(899)
    expect(await mean(pair, side, 1_800, near)).toBeNull()
    const long = await passTime(7_201)
    expect(await mean(pair, side, 1_800, long)).toBeNull()
    const head = await passTime(900)
    expect(await mean(pair, side, 1_800, head)).not.toBeNull()
    expect(await mean('0x00000000000000000000000000000000000bad00', side, 1_800, head)).toBeNull()
    expect(await mean(pair, side, 0.0001, head)).toBeNull()
  })
})

async function pairOf() {
  const [weth, usdc] = await Promise.all([bench.token('WETH'), bench.token('USDC')])
  const [token0, token1] = BigInt(weth.address) < BigInt(usdc.address) ? [weth, usdc] : [usdc, weth]
  return {
    pair: v2PairAddress(bench.chain.amm.v2!, token0.address, token1.address),
    tokens: [token0.decimals, token1.decimals],
    trade: async () => {
      const actor = await createChainActor(devnet(), devnet().accounts[0]!.address)
      await devnet().fund(actor.address, { WETH: '100' })
      await passTime(400)
      await actor.swapV2([weth.address, usdc.address], parseUnits('100', 18))
      return bench.rpc.client(bench.chain).getBlock()
    },
  }
}

async function reserves(pair: Address, blockNumber: bigint): Promise<readonly [bigint, bigint]> {
  const client = bench.rpc.client(bench.chain)
  const read = { address: pair, abi: v2PairAbi, functionName: 'getReserves' } as const
  const [reserve0, reserve1] = await client.readContract({ ...read, blockNumber })
  return [reserve0, reserve1]
}

function mean(
  pool: Address,
  { tokenIs0, decimals, quoteDecimals }: { tokenIs0: boolean; decimals: number; quoteDecimals: number },
  blockTimeSeconds: number,
  head: { number: bigint; timestamp: bigint },
) {
  const side = { tokenIs0, tokenDecimals: decimals, quoteDecimals }
  return readV2Mean(bench.rpc.client(bench.chain), { ...bench.chain, blockTimeSeconds }, { pool, side }, head)
}

async function passTime(seconds: number) {
  const client = bench.rpc.client(bench.chain)
  const { timestamp } = await client.getBlock()
  await devnet().mineTo(Number(timestamp) + seconds)
  return client.getBlock()
}
