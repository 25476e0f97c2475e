import { useDevnet } from '@svc/devnet/testing'
import { formatUnits } from 'viem'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { erc20Abi } from '@svc/amm/abis'
import { openWorld, type World } from '../chain-world.fixture.ts'

const devnet = useDevnet()
let world: World

beforeEach(async () => {
  world = await openWorld(devnet())
})
afterEach(async () => {
  await world.close()
})

function allowance(): Promise<bigint> {
  return world.client.readContract({
    address: world.address('USDC'),
    abi: erc20Abi,
    functionName: 'allowance',
    args: [world.wallet, world.chain.amm.v3!.swapRouter02],
  })
}

test('approve_token sets an exact allowance that stays, and "0" takes it back', async () => {
  const args = { token: 'USDC', spender: world.chain.amm.v3!.swapRouter02 }
  const given = await world.call('approve_token', { ...args, amount: '123.456789' })
  expect(given.data).toMatchObject({
    status: 'success',
    atomicity: 'single',
    transactions: [expect.any(String)],
    amount: '123.456789',
    previousAmount: '0',
    notes: [],
  })
  expect(await allowance()).toBe(123_456_789n)
  const balance = await world.call('get_agent_balance')
  expect(balance.at('allowances')).toEqual([
    expect.objectContaining({ token: world.address('USDC'), via: 'erc20', amount: '123.456789', expiresAt: null }),
  ])
  const taken = await world.call('approve_token', { ...args, amount: '0' })
  expect(taken.data).toMatchObject({ amount: '0', previousAmount: '123.456789' })
  expect(await allowance()).toBe(0n)
})

test('approve_token knows no stranger', async () => {
  const spender = '0x000000000000000000000000000000000000dEaD'
  const refusal = await world.refuse('approve_token', { token: 'USDC', spender, amount: '1' })
  expect(refusal.code).toBe('SPENDER_NOT_ALLOWED')
  const { amm, permit2, crossChainSettler } = world.chain
  expect(refusal.details[0]?.accepted).toEqual([
    `${amm.v2!.router} (v2Router)`,
    `${amm.v3!.positionManager} (v3PositionManager)`,
    `${amm.v3!.swapRouter02} (v3SwapRouter02)`,
    `${amm.v4!.positionManager} (v4PositionManager)`,
    `${amm.universalRouter!.address} (universalRouter)`,
    `${permit2} (permit2)`,
    `${crossChainSettler!} (the settler of cross-chain orders)`,
    `${world.devnet.twamm.hook} (a TWAMM hook of the policy)`,
    ...world.devnet.vaults.map(({ address }) => `${address} (a vault of the policy)`),
  ])
  expect(await world.client.getTransactionCount({ address: world.wallet })).toBe(0)
})

test.each([
  ['all that fits into 256 bits', 2n ** 256n - 1n, 'UNSAFE_TRANSACTION'],
  ['half of that', 2n ** 255n - 1n, 'UNSAFE_TRANSACTION'],
  ['more dollars than a ledger holds', 10n ** 19n, 'SPENDING_LIMIT_EXCEEDED'],
])('a dry run of %s says which limit it exceeds, as the call itself does', async (_what, raw, code) => {
  const args = { token: 'USDC', spender: world.chain.amm.v3!.swapRouter02, amount: formatUnits(raw, 6) }
  const planned = await world.call('approve_token', { ...args, dryRun: true })
  const refusals = expect.arrayContaining([expect.objectContaining({ code: 'SPENDING_LIMIT_EXCEEDED' })])
  expect(planned.at('plan.policy')).toMatchObject({ allowed: false, refusals })
  expect(await world.refuse('approve_token', args)).toMatchObject({ code, retryable: false })
  expect(await world.refuse('execute_plan', { planId: planned.text('plan.planId') })).toMatchObject({ code })
})
