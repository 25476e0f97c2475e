import { chains } from '@svc/wallet/core'
import { type Address, encodeFunctionData, type Hex } from 'viem'
import { expect, test } from 'vitest'
import { v3PositionManagerAbi } from '@svc/amm/abis'
import { knownContracts } from './known-contracts.ts'
import { parsePolicy } from '../policy/policy.ts'
import { readCalldata } from './read-calldata.ts'

const chain = chains.find(({ id }) => id === 8453)!
const manager: Address = '0x00000000000000000000000000000000000000aa'
const other: Address = '0x00000000000000000000000000000000000000bb'

const collect = (tokenId: bigint, recipient: Address): Hex =>
  encodeFunctionData({
    abi: v3PositionManagerAbi,
    functionName: 'collect',
    args: [{ tokenId, recipient, amount0Max: 1n, amount1Max: 1n }],
  })

test('what a call is made of is the same however often it is read, and never that of another call', () => {
  const { readCall } = knownContracts(chain, parsePolicy({}, { production: false }))
  const calls = Array.from({ length: 20 }, (_, index) => [
    { to: manager, data: collect(BigInt(index), manager) },
    { to: manager, data: collect(BigInt(index), other) },
    { to: other, data: collect(BigInt(index), other) },
    { to: manager, data: '0x1234' as const },
  ]).flat()
  for (const { to, data } of [...calls, ...calls.toReversed(), ...calls]) {
    const read = readCalldata('v3PositionManager', to, data, chain.wrappedNative.address)
    expect(readCall('v3PositionManager', { to, data })).toEqual(read)
    expect(readCall('wrappedNative', { to, data })).toBeNull()
  }
})

test('the identity registry of a chain may be called where it is supported or the row names one, and never be approved', () => {
  const registryIn = (row: typeof chain) => {
    const { surfaces, spenders } = knownContracts(row, parsePolicy({}, { production: false }))
    const found = [...surfaces].filter(([, surface]) => surface.endsWith('Registry'))
    expect(found.some(([address]) => spenders.has(address))).toBe(false)
    return found
  }
  expect(registryIn(chain)).toEqual([['0x8004a169fb4a3325136eb29fa0ceb6d2e539a432', 'identityRegistry']])
  const pending = chains.find(({ id }) => id === 10)!
  expect(registryIn(pending)).toEqual([])
  const own = { address: manager, form: 'handle-v0' } as const
  expect(registryIn({ ...pending, identityRegistry: own })).toEqual([[manager, 'handleRegistry']])
  expect(registryIn({ ...chain, identityRegistry: own })).toEqual([[manager, 'handleRegistry']])
})

test('the distributor of rewards that a row names may be called, and never be approved', () => {
  const known = knownContracts(chain, parsePolicy({}, { production: false }))
  const address = '0x3ef3d8ba38ebe18db133cec108f4d14ce00dd9ae'
  expect([known.surfaces.get(address), known.spenders.has(address)]).toEqual(['rewardDistributor', false])
  const testnet = chains.find(({ id }) => id === 84_532)!
  const { surfaces } = knownContracts(testnet, parsePolicy({}, { production: false }))
  expect([...surfaces.values()]).not.toContain('rewardDistributor')
})
