import { MAX_SQRT_PRICE, MIN_SQRT_PRICE } from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import { type Address, encodePacked, type Hex } from 'viem'
import { contractFunction, type ContractRead } from '../../rpc/contract-function.ts'
import { query, type Query } from '../../rpc/query.ts'
import type { Pipe, PipedRead } from '../../rpc/read-pipes.ts'
import { v2RouterAbi } from '../../abis/v2.ts'
import { v3QuoterV2Abi } from '../../abis/v3.ts'
import { v4QuoterAbi } from '../../abis/v4.ts'
import { requireDeployment } from '../planning/refusals.ts'
import { poolKeyOf } from '../v4/pool-key.ts'
import type { Hop, RouteVersion, Version } from '../../ports.ts'

/** The way of a swap through one to three pools. */
export type Route = {
  readonly version: RouteVersion
  readonly hops: readonly Hop[]
  /** How many of its ends are of the other form than the trade, native currency or its wrapped token: the router turns it. */
  readonly turns?: number
}

/** Hops of one version that follow each other in the same tokens: one call of the router of that version. */
export type Segment = { readonly version: Version; readonly hops: readonly Hop[] }

/** The side of a swap that is given, and how much it is. */
export type Exact = { readonly side: 'in' | 'out'; readonly amount: bigint }

/** What a route takes and pays out, by the quoters of its versions. */
export type RouteAnswer = {
  readonly amountIn: bigint
  readonly amountOut: bigint
  /** Gas of the swap itself; `null` where the quoter does not say. */
  readonly swapGas: bigint | null
}

/**
 * Asks the quoter what a route of one version pays out for an input, or takes for an output; `null` when the route cannot take the amount.
 * QuoterV2 is content with a swap that used a part of the input only: one that ran into the end of all prices did not take the amount.
 *
 * @throws ToolError `VERSION_NOT_DEPLOYED`
 */
export function routeQuery(chain: Chain, { hops }: Route, exact: Exact): Query<RouteAnswer | null> {
  const { side, amount } = exact
  const [segment, ...more] = segmentsOf(hops)
  if (segment === undefined || more.length > 0) throw new TypeError('a quoter is asked about one version')
  return query([segmentRead(chain, segment, exact)], ([answer]) => {
    if (answer === null) return null
    const { other, swapGas } = answer
    return side === 'in'
      ? { amountIn: amount, amountOut: other, swapGas }
      : { amountIn: other, amountOut: amount, swapGas }
  })
}

/**
 * What a route of several versions pays out for an input: each quoter is asked with what the one before it answered, which is what comes
 * as long as no pool occurs twice.
 *
 * @throws ToolError `VERSION_NOT_DEPLOYED`
 */
export function routePipe(chain: Chain, { hops }: Route, amountIn: bigint): Pipe<SegmentAnswer> {
  return segmentsOf(hops).map((segment) => segmentRead(chain, segment, { side: 'in', amount: amountIn }))
}

/** The parts of a route that a router takes one by one. Native currency and its wrapped token between two of them are of two parts. */
export function segmentsOf(hops: readonly Hop[]): readonly Segment[] {
  const segments: { readonly version: Version; readonly hops: Hop[] }[] = []
  for (const hop of hops) {
    const { version } = hop.pool
    const open = segments.at(-1)
    const before = open?.hops.at(-1)
    if (open?.version === version && before?.tokenOut.address === hop.tokenIn.address) open.hops.push(hop)
    else segments.push({ version, hops: [hop] })
  }
  return segments
}

/** The amount on the side that is not given. */
export type SegmentAnswer = { readonly other: bigint; readonly swapGas: bigint | null }

function segmentRead(chain: Chain, segment: Segment, exact: Exact): PipedRead<SegmentAnswer> {
  return { v2: v2Read, v3: v3Read, v4: v4Read }[segment.version](chain, segment, exact)
}

function v2Read(chain: Chain, segment: Segment, { side, amount }: Exact): PipedRead<SegmentAnswer> {
  const { router } = requireDeployment(chain, 'v2')
  const path = tokensAlong(segment)
  const read = side === 'in' ? amountsOut(router, [amount, path]) : amountsIn(router, [amount, path])
  const decode = (answer: Hex) => {
    const other = read.decode(answer).at(side === 'in' ? -1 : 0)
    if (other === undefined) throw new RangeError('no amounts')
    return { other, swapGas: null }
  }
  return { ...read, decode, inputAt: selectorBytes, outputAt: null }
}

function v3Read(chain: Chain, segment: Segment, { side, amount }: Exact): PipedRead<SegmentAnswer> {
  const { quoterV2 } = requireDeployment(chain, 'v3')
  const path = v3Path(tokensAlong(segment), segment.hops, side)
  const read = side === 'in' ? v3Output(quoterV2, [path, amount]) : v3Input(quoterV2, [path, amount])
  const decode = (answer: Hex) => {
    const [other, pricesAfter, , swapGas] = read.decode(answer)
    if (pricesAfter.some(isPriceLimit)) throw new RangeError('a part of the amount is left')
    return { other, swapGas }
  }
  return { ...read, decode, inputAt: selectorBytes + wordBytes, outputAt: 0 }
}

function v4Read(chain: Chain, { hops }: Segment, { side, amount }: Exact): PipedRead<SegmentAnswer> {
  const { quoter } = requireDeployment(chain, 'v4')
  const [first, ...more] = hops
  const last = hops.at(-1)
  if (first === undefined || last === undefined) throw new TypeError('a route has at least one pool')
  const piped = (read: ContractRead<readonly [bigint, bigint]>, words: number): PipedRead<SegmentAnswer> => {
    const decode = (answer: Hex) => {
      const [other, swapGas] = read.decode(answer)
      return { other, swapGas }
    }
    return { ...read, decode, inputAt: selectorBytes + words * wordBytes, outputAt: 0 }
  }
  if (more.length === 0) {
    const poolKey = poolKeyOf(first.pool)
    const zeroForOne = first.tokenIn.address === poolKey.currency0
    const params = { poolKey, zeroForOne, exactAmount: amount, hookData: '0x' } as const
    // Behind where the tuple stands, the five words of the key and the direction.
    return piped(side === 'in' ? v4Output(quoter, [params]) : v4Input(quoter, [params]), 7)
  }
  const exactCurrency = (side === 'in' ? first.tokenIn : last.tokenOut).address
  const params = { exactCurrency, path: v4Path(hops, side), exactAmount: amount }
  // Behind where the tuple stands, the currency and where the path does.
  return piped(side === 'in' ? v4OutputAlong(quoter, [params]) : v4InputAlong(quoter, [params]), 3)
}

const selectorBytes = 4
const wordBytes = 32

/** One more token than hops. */
export function tokensAlong({ hops }: Pick<Route, 'hops'>): readonly Address[] {
  return [...hops.slice(0, 1).map(({ tokenIn }) => tokenIn), ...hops.map(({ tokenOut }) => tokenOut)].map(
    ({ address }) => address,
  )
}

/** Tokens with the fees of the pools between them, packed (Path of v3-periphery): for an exact output the last token comes first. */
export function v3Path(tokens: readonly Address[], hops: readonly Pick<Hop, 'pool'>[], side: Exact['side']): Hex {
  const fees = hops.map(({ pool }) => pool.fee)
  const [first, ...rest] = side === 'in' ? tokens : tokens.toReversed()
  const ordered = side === 'in' ? fees : fees.toReversed()
  const types = ['address', ...rest.flatMap(() => ['uint24', 'address'])]
  return encodePacked(types, [first, ...rest.flatMap((token, index) => [ordered[index], token])])
}

/** The hops as v4 takes them: each names the currency on the side that is not given. */
export function v4Path(hops: readonly Hop[], side: Exact['side']) {
  return hops.map(({ pool, tokenIn, tokenOut }) => {
    const { fee, tickSpacing, hooks } = poolKeyOf(pool)
    const intermediateCurrency = (side === 'in' ? tokenOut : tokenIn).address
    return { intermediateCurrency, fee, tickSpacing, hooks, hookData: '0x' } as const
  })
}

/** Where a swap ends that found no more liquidity (SwapRouter's own limits). */
function isPriceLimit(sqrtPriceX96: bigint): boolean {
  return sqrtPriceX96 <= MIN_SQRT_PRICE + 1n || sqrtPriceX96 >= MAX_SQRT_PRICE - 1n
}

const amountsOut = contractFunction(v2RouterAbi, 'getAmountsOut')
const amountsIn = contractFunction(v2RouterAbi, 'getAmountsIn')
const v3Output = contractFunction(v3QuoterV2Abi, 'quoteExactInput')
const v3Input = contractFunction(v3QuoterV2Abi, 'quoteExactOutput')
const v4Output = contractFunction(v4QuoterAbi, 'quoteExactInputSingle')
const v4Input = contractFunction(v4QuoterAbi, 'quoteExactOutputSingle')
const v4OutputAlong = contractFunction(v4QuoterAbi, 'quoteExactInput')
const v4InputAlong = contractFunction(v4QuoterAbi, 'quoteExactOutput')
