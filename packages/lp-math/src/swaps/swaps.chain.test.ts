import { useDevnet } from '@svc/devnet/testing'
import { concat, hexToBigInt, keccak256, numberToHex, zeroAddress } from 'viem'
import { expect, test } from 'vitest'
import { quoterV2Abi, stateViewAbi, v2Abi, v4QuoterAbi } from '../amm-abis.fixture.ts'
import { ammContracts } from '../amm-contracts.fixture.ts'
import { unpackProtocolFee, v4SwapFee } from '../fees/fees.ts'
import type { PoolState } from '../pool.fixture.ts'
import { getSqrtPriceAtTick, getTickAtSqrtPrice } from '../ticks/ticks.ts'
import { getAmountIn, getAmountOut, quoteLiquidity } from '../v2/shares.ts'
import { swapThroughTicks } from './solve-swap-to-ratio.ts'

const devnet = useDevnet()

test('every v3 pool quotes what swapThroughTicks gives: output, price and ticks crossed', async () => {
  const chain = ammContracts(devnet())
  for (const pool of chain.poolsOf('v3')) {
    const state = await chain.v3.state(pool)
    expect(getTickAtSqrtPrice(state.sqrtPriceX96)).toBe(state.tick)
    for (const { zeroForOne, amountSpecified } of swapsOfAllSizes(state)) {
      const own = swapThroughTicks({ ...state, amountSpecified, zeroForOne })
      const [tokenIn, tokenOut] = zeroForOne ? [pool.token0, pool.token1] : [pool.token1, pool.token0]
      const { result } = await chain.client.simulateContract({
        address: chain.addresses.v3.quoterV2,
        abi: quoterV2Abi,
        functionName: 'quoteExactInputSingle',
        args: [{ tokenIn, tokenOut, amountIn: amountSpecified, fee: pool.fee, sqrtPriceLimitX96: 0n }],
      })
      expect([pool.label, own.amountOut, own.sqrtPriceX96After, own.crossed]).toEqual([
        pool.label,
        result[0],
        result[1],
        result[2],
      ])
    }
  }
})

test('every v4 pool quotes what swapThroughTicks gives', async () => {
  const chain = ammContracts(devnet())
  for (const pool of chain.poolsOf('v4')) {
    const state = await chain.v4.state(pool)
    const currencies = { currency0: pool.token0, currency1: pool.token1 }
    const poolKey = { ...currencies, fee: pool.fee, tickSpacing: state.tickSpacing, hooks: pool.hooks ?? zeroAddress }
    for (const { zeroForOne, amountSpecified } of swapsOfAllSizes(state)) {
      const own = swapThroughTicks({ ...state, amountSpecified, zeroForOne })
      const { result } = await chain.client.simulateContract({
        address: chain.addresses.v4.quoter,
        abi: v4QuoterAbi,
        functionName: 'quoteExactInputSingle',
        args: [{ poolKey, zeroForOne, exactAmount: amountSpecified, hookData: '0x' }],
      })
      expect([pool.label, own.amountOut]).toEqual([pool.label, result[0]])
    }
  }
})

test('and with a protocol fee for either token, packed as a v4 pool packs it', async () => {
  const chain = ammContracts(devnet())
  const pool = chain.poolsOf('v4')[0]!
  const state = await chain.v4.state(pool)
  const currencies = { currency0: pool.token0, currency1: pool.token1 }
  const poolKey = { ...currencies, fee: pool.fee, tickSpacing: state.tickSpacing, hooks: pool.hooks ?? zeroAddress }
  const { client, addresses } = chain
  const [pips0, pips1] = [1000, 7]
  // The manager's pools are its seventh slot; bits 184 to 207 of a pool's first word hold the protocol fee.
  const slot = keccak256(concat([pool.id, numberToHex(6, { size: 32 })]))
  const word = hexToBigInt((await client.getStorageAt({ address: addresses.v4.poolManager, slot })) ?? '0x')
  const value = numberToHex(word | (BigInt((pips1 << 12) | pips0) << 184n), { size: 32 })
  const stateOverride = [{ address: addresses.v4.poolManager, stateDiff: [{ slot, value }] }]
  const read = { address: addresses.v4.stateView, abi: stateViewAbi, functionName: 'getSlot0' } as const
  const [, , packed] = await client.readContract({ ...read, args: [pool.id], stateOverride })
  expect(unpackProtocolFee('v4', packed)).toEqual({ version: 'v4', pips0, pips1 })
  for (const { zeroForOne, amountSpecified } of swapsOfAllSizes(state)) {
    const feePips = v4SwapFee(zeroForOne ? pips0 : pips1, pool.fee)
    const { result } = await client.simulateContract({
      address: addresses.v4.quoter,
      abi: v4QuoterAbi,
      functionName: 'quoteExactInputSingle',
      args: [{ poolKey, zeroForOne, exactAmount: amountSpecified, hookData: '0x' }],
      stateOverride,
    })
    expect(swapThroughTicks({ ...state, feePips, amountSpecified, zeroForOne }).amountOut).toBe(result[0])
  }
})

test('the v2 router quotes what the constant product gives', async () => {
  const chain = ammContracts(devnet())
  const router = { address: chain.addresses.v2.router, abi: v2Abi } as const
  for (const pool of chain.poolsOf('v2')) {
    const { reserve0, reserve1 } = await chain.readV2(pool.id)
    for (const part of [10n ** 12n, 10n ** 6n, 1000n, 10n, 2n]) {
      const sell = [reserve0 / part + 1n, reserve0, reserve1] as const
      const buy = [reserve1 / part, reserve0, reserve1] as const
      const read = { ...router, args: sell } as const
      expect(getAmountOut(...sell)).toBe(await chain.client.readContract({ ...read, functionName: 'getAmountOut' }))
      expect(quoteLiquidity(...sell)).toBe(await chain.client.readContract({ ...read, functionName: 'quote' }))
      const asked = chain.client.readContract({ ...router, functionName: 'getAmountIn', args: buy })
      // The router refuses an output of 0.
      expect(buy[0] === 0n || getAmountIn(...buy) === (await asked)).toBe(true)
    }
  }
})

/** Swaps from a few units up to half of what the pool takes, or to a price far away, in both directions. */
function swapsOfAllSizes(state: PoolState): { zeroForOne: boolean; amountSpecified: bigint }[] {
  return [true, false].flatMap((zeroForOne) => {
    const amounts = [2n, 7n, 1_000_003n]
    for (const ticks of [3, 30, 300, 3000]) {
      const away = state.tick + (zeroForOne ? -ticks : ticks) * state.tickSpacing
      const sqrtPriceLimitX96 = getSqrtPriceAtTick(Math.max(Math.min(away, 887_000), -887_000))
      const reach = swapThroughTicks({ ...state, amountSpecified: 2n ** 127n, zeroForOne, sqrtPriceLimitX96 })
      amounts.push(reach.amountIn / 2n + 1n)
    }
    return amounts.map((amountSpecified) => ({ zeroForOne, amountSpecified }))
  })
}
