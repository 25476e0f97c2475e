import { v2ProtocolFeeLiquidity } from '@svc/lp-math'
import { type Address, zeroAddress } from 'viem'

/**
 * The shares that a mint or burn of this moment counts with: all that there are, and those that the pair mints to the receiver of
 * the protocol's fee first, where its factory names one. Between two mints or burns they are a sixth of what trades and gifts added,
 * so a share is worth less than the part of the supply that it is. Source: UniswapV2Pair `_mintFee`.
 */
export function supplyWithFee({ reserve0, reserve1, totalSupply, kLast }: PairCounts, feeTo: Address): bigint {
  return feeTo === zeroAddress
    ? totalSupply
    : totalSupply + v2ProtocolFeeLiquidity(reserve0, reserve1, kLast, totalSupply)
}

/** What a pair answers; `kLast` is the product of its reserves after the last mint or burn, 0 without a fee. */
export type PairCounts = {
  readonly reserve0: bigint
  readonly reserve1: bigint
  readonly totalSupply: bigint
  readonly kLast: bigint
}
