import { v2PairAbi } from '@svc/amm/abis'
import { type Address, encodeAbiParameters, encodeEventTopics, type Log, zeroAddress } from 'viem'
import { expect, test } from 'vitest'
import { sharesAsMade } from './settled-value.ts'
import type { PairShares } from '../value/trusted-value.ts'

const pair: Address = '0x00000000000000000000000000000000000000a1'
const [token0, token1] = ['0x00000000000000000000000000000000000000b0', '0x00000000000000000000000000000000000000b1']
const dollar = {
  lowE18: 10n ** 18n,
  midE18: 10n ** 18n,
  highE18: 10n ** 18n,
  basis: 'feed',
  depthUsdMicros: 0n,
  decimals: 6,
} as const
const units = 1_000_000n
// A deposit of 60 and 60 into a pair of 1,000 and 1,000 and as many shares.
const simulated: PairShares = {
  pair,
  token0,
  token1,
  amount: 60n * units,
  reserve0: 1_060n * units,
  reserve1: 1_060n * units,
  burnSupply: 1_060n * units,
}

const sync = (reserve0: bigint, reserve1: bigint) => log('Sync', {}, [reserve0, reserve1])
const mint = (amount0: bigint, amount1: bigint) => log('Mint', { sender: pair }, [amount0, amount1])
const burn = (amount0: bigint, amount1: bigint) => log('Burn', { sender: pair, to: pair }, [amount0, amount1])
const transfer = (from: Address, to: Address, value: bigint) => log('Transfer', { from, to }, [value])

function log(
  eventName: 'Sync' | 'Mint' | 'Burn' | 'Transfer',
  args: { sender?: Address; from?: Address; to?: Address },
  values: readonly bigint[],
): Log {
  const topics = encodeEventTopics({ abi: v2PairAbi, eventName, args })
  const type = eventName === 'Sync' ? 'uint112' : 'uint256'
  return {
    address: pair,
    topics,
    data: encodeAbiParameters(
      values.map(() => ({ type })),
      values,
    ),
  } as object as Log
}

function counted(came: bigint, logs: readonly Log[], paid = 60n * units, minted = came): bigint | undefined {
  const deltas = new Map([
    [token0, -paid],
    [token1, -paid],
    [pair as string, came],
  ])
  const told = logs.flatMap((one, at) =>
    at === logs.findLastIndex(isSync) ? [transfer(zeroAddress, pair, minted), one] : [one],
  )
  const options = { simulated: [simulated], logs: told, wrappedNative: '0x00', prices: () => dollar }
  return sharesAsMade(deltas, options).get(pair)
}

function isSync({ topics }: Log): boolean {
  return topics[0] === sync(0n, 0n).topics[0]
}

// A gift of 2,000 and 2,000 comes first: 20 shares stand for the same 120 dollars.
const grown = [sync(3_060n * units, 3_060n * units), mint(60n * units, 60n * units)]

test('fewer shares of a pair that a gift has made larger count as those of the simulation', () => {
  const worth = counted(20n * units, grown)
  expect(worth).toBeGreaterThan((60n * units * 999n) / 1000n)
  expect(worth).toBeLessThan((60n * units * 1001n) / 1000n)
})

test.each([
  [
    'a token kept a part of what moved',
    20n * units,
    [sync(3_060n * units, 3_060n * units), mint(60n * units, 6n * units)],
  ],
  ['the pair tells nothing', 20n * units, []],
  ['two deposits were made', 20n * units, [...grown, ...grown]],
])('they count as they came where %s', (_why, came, logs) => {
  expect(counted(came, logs)).toBe(came)
})

test.each([
  [1n, 500n],
  [9n, 900n],
  [99n, 990n],
])('%i shares may have lost as much as one to rounding', (came, permille) => {
  const whole = counted(20n * units, grown) ?? 0n
  const worth = ((counted(came, grown) ?? 0n) * 1000n) / whole
  expect(worth).toBeGreaterThanOrEqual(permille - 1n)
  expect(worth).toBeLessThanOrEqual(permille + 1n)
})

test('what a deposit left to others in a pair out of balance is lost', () => {
  // The pair took 60 and 60, and 60 of one side are a hundredth of it.
  const worth = counted(20n * units, [sync(6_000n * units, 600n * units), mint(60n * units, 60n * units)])
  expect(worth).toBeLessThan(30n * units)
})

// 40 shares are taken apart, and 60 and 60 put in: on balance 20 and 20 go in, and 20 shares come.
const taken = [
  transfer(pair, zeroAddress, 40n * units),
  sync(960n * units, 960n * units),
  burn(40n * units, 40n * units),
]

test('shares that are made after others of the pair were taken apart count as made', () => {
  const gift = [...taken, sync(3_060n * units, 3_060n * units), mint(60n * units, 60n * units)]
  const worth = counted(-20n * units, gift, 20n * units, 20n * units)
  expect(worth).toBeGreaterThan((20n * units * 999n) / 1000n)
  expect(worth).toBeLessThan((20n * units * 1001n) / 1000n)
})

test('nor is what a token kept then made up for by what was paid out', () => {
  const kept = [...taken, sync(3_060n * units, 3_060n * units), mint(60n * units, 30n * units)]
  expect(counted(-20n * units, kept, 20n * units, 20n * units)).toBe(-20n * units)
})
