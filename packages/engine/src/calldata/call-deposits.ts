import { type Address, type Hex, zeroAddress } from 'viem'
import type { IntentDeposit } from '@svc/amm'
import type { CalldataPart } from './call-recipients.ts'

/**
 * What the parts of one call put into pools, in order. Throws where a part creates a pool into which no later part of the
 * same call deposits, or tells a hook something: no plan does that, and nobody could be shown what comes of it.
 */
export function callDeposits(parts: readonly CalldataPart[], wrappedNative: Address): readonly CalldataDeposit[] {
  const openings: Opening[] = []
  const deposits: CalldataDeposit[] = []
  for (const { name, values } of parts) {
    const read = reader(values)
    if (name === 'createAndInitializePoolIfNecessary')
      openings.push({ key: v3Key(read), price: read.uint(openingPrice) })
    else if (name === 'initializePool') openings.push({ key: v4Key(read), price: read.uint(openingPrice) })
    else if (isDeposit(name)) {
      const deposit = readers[name](read, wrappedNative)
      const opening = openings.findIndex(({ key }) => deposit.key !== null && isSameKey(key, deposit.key))
      const [opened] = opening === -1 ? [] : openings.splice(opening, 1)
      deposits.push({ ...deposit, opensAt: opened?.price ?? null })
    }
  }
  if (openings.length > 0) throw new RangeError('a pool is created and left empty')
  return deposits
}

/** A deposit as its calldata says it; the pool and range of an increase stand on the chain alone. */
export type CalldataDeposit = Pick<IntentDeposit, 'kind' | 'version'> & {
  readonly key: PoolFacts | null
  readonly range: { readonly tickLower: number; readonly tickUpper: number } | null
  readonly positionId: string | null
  readonly recipient: Address | null
  /** v2 and v3 name amounts, in the pool's order: what is asked for (`null`: the native value sent along), and the least. */
  readonly asked: { readonly amount0: bigint | null; readonly amount1: bigint | null } | null
  readonly least: { readonly amount0: bigint; readonly amount1: bigint } | null
  /** v4 names the liquidity, and the most that it may take. */
  readonly liquidity: bigint | null
  readonly most: { readonly amount0: bigint; readonly amount1: bigint } | null
  /** The sqrt price at which the call creates the pool first, if it is missing. */
  readonly opensAt: bigint | null
}

/** `null` where the calldata does not say. */
export type PoolFacts = Pick<IntentDeposit, 'token0' | 'token1' | 'hooks' | 'tickSpacing'> & {
  readonly fee: number | null
}

type Opening = { readonly key: PoolFacts; readonly price: bigint }

const openingPrice = 'sqrtPriceX96'

type Reader = {
  readonly uint: (name: string) => bigint
  readonly int: (name: string) => number
  readonly address: (name: string) => Address
  readonly bytes: (name: string) => Hex
}

type ReadDeposit = Omit<CalldataDeposit, 'opensAt'>

const readers = {
  mint: (read) => ({
    ...nothing,
    kind: 'mint',
    version: 'v3',
    key: v3Key(read),
    range: rangeOf(read),
    recipient: read.address('recipient'),
    ...v3Amounts(read),
  }),
  increaseLiquidity: (read) => ({
    ...nothing,
    kind: 'increase',
    version: 'v3',
    positionId: `${read.uint('tokenId')}`,
    ...v3Amounts(read),
  }),
  'v4 00': (read) => ({
    ...nothing,
    kind: 'increase',
    version: 'v4',
    positionId: `${read.uint('tokenId')}`,
    ...v4Amounts(read),
  }),
  'v4 02': (read) => ({
    ...nothing,
    kind: 'mint',
    version: 'v4',
    key: v4Key(read),
    range: rangeOf(read),
    recipient: read.address('recipient'),
    ...v4Amounts(read),
  }),
  addLiquidity: (read) =>
    pairDeposit(read, [
      { token: read.address('tokenA'), asked: read.uint('amountADesired'), least: read.uint('amountAMin') },
      { token: read.address('tokenB'), asked: read.uint('amountBDesired'), least: read.uint('amountBMin') },
    ]),
  addLiquidityETH: (read, wrappedNative) =>
    pairDeposit(read, [
      { token: read.address('token'), asked: read.uint('amountTokenDesired'), least: read.uint('amountTokenMin') },
      { token: wrappedNative, asked: null, least: read.uint('amountETHMin') },
    ]),
} as const satisfies Readonly<Record<string, (read: Reader, wrappedNative: Address) => ReadDeposit>>

function isDeposit(name: string): name is keyof typeof readers {
  return Object.hasOwn(readers, name)
}

const nothing = {
  key: null,
  range: null,
  positionId: null,
  recipient: null,
  asked: null,
  least: null,
  liquidity: null,
  most: null,
} as const

type PairSide = { readonly token: Address; readonly asked: bigint | null; readonly least: bigint }

function pairDeposit(read: Reader, sides: readonly [PairSide, PairSide]): ReadDeposit {
  const [one, other] = sides
  const [side0, side1] = BigInt(one.token) < BigInt(other.token) ? [one, other] : [other, one]
  return {
    ...nothing,
    kind: 'mint',
    version: 'v2',
    key: { token0: side0.token, token1: side1.token, fee: null, tickSpacing: null, hooks: null },
    recipient: read.address('to'),
    asked: { amount0: side0.asked, amount1: side1.asked },
    least: { amount0: side0.least, amount1: side1.least },
  }
}

function v3Key(read: Reader): PoolFacts {
  const [token0, token1] = [read.address('token0'), read.address('token1')]
  return { token0, token1, fee: read.int('fee'), tickSpacing: null, hooks: null }
}

function v4Key(read: Reader): PoolFacts {
  const hooks = read.address('hooks')
  return {
    token0: read.address('currency0'),
    token1: read.address('currency1'),
    fee: read.int('fee'),
    tickSpacing: read.int('tickSpacing'),
    hooks: hooks === zeroAddress ? null : hooks,
  }
}

function rangeOf(read: Reader): NonNullable<CalldataDeposit['range']> {
  return { tickLower: read.int('tickLower'), tickUpper: read.int('tickUpper') }
}

function v3Amounts(read: Reader): Pick<CalldataDeposit, 'asked' | 'least'> {
  return {
    asked: { amount0: read.uint('amount0Desired'), amount1: read.uint('amount1Desired') },
    least: { amount0: read.uint('amount0Min'), amount1: read.uint('amount1Min') },
  }
}

function v4Amounts(read: Reader): Pick<CalldataDeposit, 'liquidity' | 'most'> {
  if (read.bytes('hookData') !== '0x') throw new RangeError('a hook is given something')
  return {
    liquidity: read.uint('liquidity'),
    most: { amount0: read.uint('amount0Max'), amount1: read.uint('amount1Max') },
  }
}

function isSameKey(one: PoolFacts, other: PoolFacts): boolean {
  const text = ({ token0, token1, fee, tickSpacing, hooks }: PoolFacts) =>
    [token0, token1, fee, tickSpacing, hooks].join(' ').toLowerCase()
  return text(one) === text(other)
}

function reader(values: CalldataPart['values']): Reader {
  const wrong = (name: string) => new TypeError(`${name} is not what it should be`)
  const hex = (name: string): Hex => {
    const value = values[name]
    if (typeof value !== 'string' || !value.startsWith('0x')) throw wrong(name)
    return value as Hex
  }
  return {
    uint: (name) => {
      const value = values[name]
      if (typeof value !== 'bigint') throw wrong(name)
      return value
    },
    int: (name) => {
      const value = values[name]
      if (typeof value !== 'number') throw wrong(name)
      return value
    },
    address: hex,
    bytes: hex,
  }
}
