import { createRequire } from 'node:module'
import type * as SdkCore from '@uniswap/sdk-core'
import type * as V3Sdk from '@uniswap/v3-sdk'
import * as fc from 'fast-check'
import type JsbiModule from 'jsbi'
import { MAX_SQRT_PRICE, MAX_TICK, MIN_SQRT_PRICE, MIN_TICK } from './ticks/ticks.ts'

// The oracle publishes an ES module that Node cannot load; its CommonJS build it can.
const load = createRequire(import.meta.url)
export const sdk = load('@uniswap/v3-sdk') as typeof V3Sdk
export const sdkCore = load('@uniswap/sdk-core') as typeof SdkCore
const jsbi = load('jsbi') as typeof JsbiModule.default

export const toJsbi = (value: bigint): JsbiModule.default => jsbi.BigInt(value.toString())
export const fromJsbi = (value: JsbiModule.default): bigint => BigInt(value.toString())

/** What a call gives, or 'throws': for comparing refusals as well as results. */
export function outcome<T>(call: () => T): T | 'throws' {
  try {
    return call()
  } catch {
    return 'throws'
  }
}

export const token0 = new sdkCore.Token(1, `0x${'0'.repeat(39)}1`, 18)
export const token1 = new sdkCore.Token(1, `0x${'0'.repeat(39)}2`, 18)

export const anyTick = fc.integer({ min: MIN_TICK, max: MAX_TICK })

/** Integers whose size, not value, is spread evenly: the small ones are met as often as the huge. */
export function upToBits(bits: number): fc.Arbitrary<bigint> {
  return fc.integer({ min: 0, max: bits }).chain((width) => fc.bigInt({ min: 0n, max: (1n << BigInt(width)) - 1n }))
}

export const anySqrtPrice = fc.oneof(
  upToBits(160).map((value) => {
    const inBounds = MIN_SQRT_PRICE + (value % (MAX_SQRT_PRICE - MIN_SQRT_PRICE))
    return inBounds
  }),
  anyTick.filter((tick) => tick < MAX_TICK).map((tick) => fromJsbi(sdk.TickMath.getSqrtRatioAtTick(tick))),
)

export const anyLiquidity = upToBits(128)
export const anyAmount = upToBits(128)
