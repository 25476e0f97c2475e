import type { IntentDeposit } from '@svc/amm'
import { v3PositionManagerAbi } from '@svc/amm/abis'
import { liquidityForAmounts } from '@svc/amm/liquidity'
import { getSqrtPriceAtTick } from '@svc/lp-math'
import { chains, findChain } from '@svc/wallet/core'
import { encodeFunctionData } from 'viem'
import { expect, test } from 'vitest'
import { knownContracts } from '../calldata/known-contracts.ts'
import { devnetPolicy, parsePolicy } from '../policy/policy.ts'
import { guardUpstream } from './guard-upstream.ts'

const chain = findChain(chains, 'base')!
const wallet = '0x00000000000000000000000000000000000a11ce'
const [token0, token1] = [
  '0x4200000000000000000000000000000000000006',
  '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
] as const
const range = { tickLower: -600, tickUpper: 600 }
const bounds = {
  sqrtPriceX96: 2n ** 96n,
  sqrtPriceAX96: getSqrtPriceAtTick(-600),
  sqrtPriceBX96: getSqrtPriceAtTick(600),
}
const [amount0, amount1] = [10n ** 18n, 10n ** 18n]
const asked: IntentDeposit = {
  kind: 'mint',
  version: 'v3',
  pool: '0x',
  token0,
  token1,
  fee: 500,
  tickSpacing: 10,
  hooks: null,
  ...range,
  positionId: null,
  recipient: wallet,
  sqrtPriceX96: bounds.sqrtPriceX96,
  amount0,
  amount1,
  ...liquidityForAmounts({ bounds, amount0, amount1, slippageBps: 50 }),
  createsPool: false,
  isInverted: false,
}

/** What the guard makes of a mint that asks the pool to take these amounts. */
function guarded(given: { readonly amount0: bigint; readonly amount1: bigint }, least = 1n) {
  const { positionManager: to } = chain.amm.v3!
  const mint = {
    ...({ token0, token1, fee: 500, ...range, recipient: wallet, deadline: 100n } as const),
    amount0Desired: given.amount0,
    amount1Desired: given.amount1,
    amount0Min: least,
    amount1Min: least,
  }
  const data = encodeFunctionData({ abi: v3PositionManagerAbi, functionName: 'mint', args: [mint] })
  const transaction = { to, data, value: '0', chainId: chain.id, from: wallet }
  return guardUpstream(transaction, {
    chain,
    known: knownContracts(chain, parsePolicy(devnetPolicy(), { production: false })),
    wallet,
    kind: 'add',
    spends: [
      { token: token0, amount: amount0 },
      { token: token1, amount: amount1 },
    ],
    receives: [],
    deposits: [asked],
    position: null,
    pool: { fee: 500, tickSpacing: null, hooks: null, sqrtPriceX96: null },
    latestDeadline: 100,
    slippageBps: 50,
    riskTier: 'routine',
    label: 'mint position',
    why: 'a test',
  })
}

test('a deposit that rounds in another way is declared as the calldata makes it', () => {
  expect(guarded({ amount0, amount1 }).deposits).toEqual([asked])
  const [less] = guarded({ amount0: amount0 - 7n, amount1 }).deposits ?? []
  expect(less).toMatchObject({ amount0: amount0 - 7n, amount1 })
  expect(less!.liquidity).toBeLessThan(asked.liquidity)
})

test('one that puts in less than the slippage permits, or more than was asked for, is refused', () => {
  const refusal = (message: string) =>
    expect.objectContaining({ code: 'UNSAFE_TRANSACTION', message: expect.stringContaining(message) })
  expect(() => guarded({ amount0: (amount0 * 9_940n) / 10_000n, amount1 })).toThrow(refusal('it deposits less'))
  expect(() => guarded({ amount0, amount1: 0n })).toThrow(refusal('it deposits less'))
  expect(() => guarded({ amount0: amount0 + 1n, amount1 })).toThrow(refusal('it takes more'))
})

test('a deposit whose limits leave the price no room is refused', () => {
  const room = (amount: bigint) => (amount * 9_985n) / 10_000n
  expect(() => guarded({ amount0, amount1 }, room(amount0))).toThrow('less room for the price to move')
})
