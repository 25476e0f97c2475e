import { useDevnet } from '@svc/devnet/testing'
import { erc20Abi } from '@svc/amm/abis'
import { type Address, formatUnits, parseUnits } from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { beforeSending } from '../../../../engine/src/fixtures/network.fixture.ts'
import { callApproved, openWorld, ownPolicy, type World, type WorldOptions } from '../chain-world.fixture.ts'
import { testClient } from '../../fair-value/attack-kit.fixture.ts'
import { openVaultWorld } from './vault-world.fixture.ts'

const devnet = useDevnet()
const worlds: World[] = []
let vaults: ReturnType<typeof openVaultWorld>

beforeEach(() => {
  vaults = openVaultWorld(devnet())
})
afterEach(async () => {
  await Promise.all(worlds.splice(0).map((one) => one.close()))
})

/** Under a policy that names these vaults, or those of the local chain. */
async function open(named: Address[] | null = null, policy: Partial<Policy> = {}): Promise<World> {
  const own: Partial<Policy> = named === null ? {} : { vaults: { [devnet().chainId]: named } }
  const world = await openWorld(devnet(), { policy: { ...ownPolicy(devnet()), ...own, ...policy } })
  worlds.push(world)
  return world
}

const seeded = (label: string) => devnet().vaults.find((vault) => vault.label === label)!.address
const tokenOf = (symbol: string) => devnet().tokens.find((token) => token.symbol === symbol)!.address
const dollars = (amount: string) => parseUnits(amount, 6)

/** A vault of dollars without protection in which somebody else has 10,000, and a world whose policy names it. */
async function openOdd(policy: Partial<Policy> = {}) {
  const vault = await vaults.oddVault('USDC')
  await vaults.deposit(vault, tokenOf('USDC'), dollars('10000'))
  return { vault, world: await open([vault], policy) }
}

function allowance(world: World, vault: Address, symbol = 'USDC'): Promise<bigint> {
  const args = [world.wallet, vault] as const
  return world.client.readContract({ address: world.address(symbol), abi: erc20Abi, functionName: 'allowance', args })
}

/** That nothing of a deposit was done: no shares, no allowance, all of the money there. */
async function expectUntouched(world: World, vault: Address, symbol = 'USDC'): Promise<void> {
  expect(await world.balance(vault)).toBe(0n)
  expect(await allowance(world, vault, symbol)).toBe(0n)
  expect(await world.balance(symbol)).toBe(dollars('100000'))
}

const breaker = async (world: World) => (await world.call('check_safety_status')).at('breaker.open')
const lossAtMost = async (world: World) =>
  Number((await world.call('check_safety_status')).at('valueUsd.lossAtMost.used'))

describe('vault_deposit', () => {
  test.each([
    ['Agent USDC vault', 'USDC', '1234.5', 6, 12],
    ['Agent WETH vault', 'WETH', '1.5', 18, 24],
    ['USDC lending', 'USDC', '1234.5', 6, 12],
  ] as const)('%s: takes no more than the amount, and says to the last share what came', async (...row) => {
    const [label, symbol, amount, decimals, shareDecimals] = row
    const [world, vault] = [await open(), seeded(label)]
    const before = await world.balance(symbol)
    const answer = await world.call('vault_deposit', { vault, amount })
    const paid = before - (await world.balance(symbol))
    expect(answer.text('deposited')).toBe(formatUnits(paid, decimals))
    expect(Number(answer.text('deposited')) / Number(amount)).toBeCloseTo(0.999, 5)
    expect(answer.text('shares')).toBe(formatUnits(await world.balance(vault), shareDecimals))
    expect(Number(answer.text('redeemsFor'))).toBeCloseTo(Number(answer.text('deposited')), 5)
    expect(answer.data).toMatchObject({ status: 'success', vault, assetSymbol: symbol, atomicity: 'single' })
    expect(answer.at('notes')).toEqual([expect.stringMatching(/stayed in the wallet: the slippage/)])
    // Approval, deposit, and what is left of the approval taken back.
    expect(answer.list('transactions')).toHaveLength(3)
    expect(await allowance(world, vault, symbol)).toBe(0n)
    expect(await breaker(world)).toBe(false)
  })

  test('the slippage counts as lost until its block is deep, and what really was lost from then on', async () => {
    const [world, vault] = [await open(), seeded('Agent USDC vault')]
    await world.call('vault_deposit', { vault, amount: '1000' })
    expect(await lossAtMost(world)).toBeCloseTo(1, 2)
    await testClient(devnet()).mine({ blocks: 70 })
    await world.executor.reconcile()
    expect(await lossAtMost(world)).toBeLessThan(0.01)
  })

  test('a dry run shows a person the most that leaves and the shares that come, and just those are minted', async () => {
    const { vault, world } = await openOdd()
    const { plan } = (await world.call('vault_deposit', { vault, amount: '1000', dryRun: true })).data as {
      plan: Shown
    }
    expect(plan.steps.map(({ contract, calls }) => [contract, calls[0]!.function])).toEqual([
      ['the token USDC', 'approve'],
      ['a vault of the policy', 'mint'],
    ])
    expect(plan.bounds.spendsAtMost).toMatchObject([{ symbol: 'USDC', amount: '1000' }])
    expect(plan.bounds.receivesAtLeast).toMatchObject([{ token: vault, amount: '999' }])
    expect(plan.values).toMatchObject({
      leavesUsd: '999',
      arrivesUsd: '999',
      arrivesAtWorstUsd: expect.stringMatching(/^99/),
    })
    expect([plan.policy.allowed, plan.warnings]).toEqual([true, []])
    // Shares that have grown dearer by less than the slippage are still those of the plan.
    await vaults.transfer(tokenOf('USDC'), vault, dollars('5'))
    const carried = await world.call('execute_plan', { planId: plan.planId, planHash: plan.planHash })
    expect(carried.at('shares')).toBe('999')
    expect(Number(carried.at('deposited'))).toBeCloseTo(999.4995, 4)
  })

  test('a plan whose shares have grown dearer than it allows is not carried out', async () => {
    const { vault, world } = await openOdd()
    const { plan } = (await world.call('vault_deposit', { vault, amount: '1000', dryRun: true })).data as {
      plan: Shown
    }
    await vaults.transfer(tokenOf('USDC'), vault, dollars('11'))
    const refusal = await world.refuse('execute_plan', { planId: plan.planId, planHash: plan.planHash })
    expect(refusal).toMatchObject({ code: 'SIMULATION_DRIFT', details: [{ planned: '999' }] })
    await expectUntouched(world, vault)
  })

  test.each([
    ['after it was planned', 1, 'SIMULATION_DRIFT'],
    ['between the last look and its block', 2, 'TRANSACTION_REVERTED'],
  ] as const)('a share price that jumps %s: nothing is bought, nothing is lost', async (_when, nth, code) => {
    const { vault, world } = await openOdd()
    beforeSending(world, nth, async () => {
      for (const _block of [1, 2, 3]) await vaults.transfer(tokenOf('USDC'), vault, dollars('7'))
    })
    const refusal = await world.refuse('vault_deposit', { vault, amount: '1000' })
    expect(refusal.code).toBe(code)
    await expectUntouched(world, vault)
    expect(await breaker(world)).toBe(false)
  })

  test('one that falls before the block costs less, and no more is taken than that', async () => {
    const { vault, world } = await openOdd()
    beforeSending(world, 2, () => vaults.setOddity(vault, { falseTotal: dollars('9000') }))
    const answer = await world.call('vault_deposit', { vault, amount: '1000' })
    expect([answer.text('shares'), Number(answer.text('deposited'))]).toEqual(['999', expect.closeTo(899.1, 3)])
    expect(await allowance(world, vault)).toBe(0n)
  })

  test('one that moves within the slippage costs more, and no more than the amount', async () => {
    const { vault, world } = await openOdd()
    beforeSending(world, 2, async () => void (await vaults.transfer(tokenOf('USDC'), vault, dollars('9'))))
    const answer = await world.call('vault_deposit', { vault, amount: '1000' })
    expect(answer.text('shares')).toBe('999')
    expect(Number(answer.text('deposited'))).toBeCloseTo(999.8991, 4)
  })

  test('an allowance that stood before is no bound, so the exact one takes its place', async () => {
    const { vault, world } = await openOdd()
    await world.call('approve_token', { token: 'USDC', spender: vault, amount: '40000' })
    expect(await allowance(world, vault)).toBe(dollars('40000'))
    // Cleared, approved, and then the deposit.
    beforeSending(world, 3, async () => void (await vaults.transfer(tokenOf('USDC'), vault, dollars('20'))))
    expect((await world.refuse('vault_deposit', { vault, amount: '1000' })).code).toBe('TRANSACTION_REVERTED')
    await expectUntouched(world, vault)
  })
})

describe('G13: what a vault may not do to its depositor', () => {
  test('inflation: a share that somebody made dear takes nothing, before the call or in its middle', async () => {
    const vault = await vaults.oddVault('USDC')
    const world = await open([vault])
    await vaults.deposit(vault, tokenOf('USDC'), 1n)
    beforeSending(world, 2, async () => void (await vaults.transfer(tokenOf('USDC'), vault, dollars('10000'))))
    expect((await world.refuse('vault_deposit', { vault, amount: '15000' })).code).toBe('TRANSACTION_REVERTED')
    await expectUntouched(world, vault)
    const few = await world.refuse('vault_deposit', { vault, amount: '15000' })
    expect([few.code, few.message]).toEqual([
      'VALUE_LOSS_EXCEEDED',
      expect.stringMatching(/14962.5 USD would leave and as little as 4987/),
    ])
    const none = await world.refuse('vault_deposit', { vault, amount: '4000' })
    expect([none.code, none.suggestion]).toEqual(['AMOUNT_TOO_SMALL', expect.stringContaining('inflated')])
    await expectUntouched(world, vault)
  })

  test('a million virtual shares to a unit make the same gift harmless', async () => {
    const vault = await vaults.agentVault('USDC')
    const world = await open([vault])
    await vaults.deposit(vault, tokenOf('USDC'), 1n)
    await vaults.transfer(tokenOf('USDC'), vault, dollars('1'))
    const answer = await world.call('vault_deposit', { vault, amount: '15000' })
    expect(Number(answer.text('redeemsFor'))).toBeCloseTo(14_985, 0)
  })

  test('a fee that no preview tells is measured, and refused where it takes more than the policy lets a call lose', async () => {
    const { vault, world } = await openOdd()
    await vaults.setOddity(vault, { depositFeeBps: 50n })
    const answer = await world.call('vault_deposit', { vault, amount: '1000' })
    expect(answer.at('notes')).toContainEqual(expect.stringMatching(/^The preview is not kept: 50 bps fewer shares/))
    expect(Number(answer.text('shares'))).toBeCloseTo(994.005, 3)
    expect(await lossAtMost(world)).toBeGreaterThan(4)
    await vaults.setOddity(vault, { depositFeeBps: 300n })
    const refusal = await world.refuse('vault_deposit', { vault, amount: '1000' })
    expect(refusal.code).toBe('VALUE_LOSS_EXCEEDED')
  })

  test('a fee on the way out counts as one on the way in', async () => {
    const { vault, world } = await openOdd()
    await vaults.setOddity(vault, { redeemFeeBps: 300n })
    expect((await world.refuse('vault_deposit', { vault, amount: '1000' })).code).toBe('VALUE_LOSS_EXCEEDED')
    await expectUntouched(world, vault)
  })

  test.each([20_000n, 5_000n, 0n])('a preview of %i / 10000 of the truth changes nothing', async (previewBps) => {
    const { vault, world } = await openOdd()
    await vaults.setOddity(vault, { previewBps })
    expect((await world.call('vault_deposit', { vault, amount: '1000' })).text('shares')).toBe('999')
  })

  test('a vault that makes fewer shares in its block than it showed opens the breaker', async () => {
    const { vault, world } = await openOdd()
    beforeSending(world, 2, () => vaults.setOddity(vault, { mintBps: 5_000n }))
    await world.call('vault_deposit', { vault, amount: '1000' })
    expect(await breaker(world)).toBe(true)
  })

  test('a cap and a pause: the field and how much the vault takes', async () => {
    const vault = await vaults.agentVault('USDC', dollars('500'))
    const world = await open([vault])
    const full = await world.refuse('vault_deposit', { vault, amount: '501' })
    expect(full).toMatchObject({
      code: 'VAULT_DEPOSIT_REFUSED',
      details: [{ field: 'amount', accepted: 'at most 500 USDC, as the vault says' }],
    })
    expect((await world.call('vault_deposit', { vault, amount: '500' })).at('status')).toBe('success')
    await vaults.call(vault, 'function setPaused(bool isPaused)', [true])
    const paused = await world.refuse('vault_deposit', { vault, amount: '0.1' })
    expect(paused).toMatchObject({
      code: 'VAULT_DEPOSIT_REFUSED',
      details: [{ accepted: 'at most 0 USDC, as the vault says' }],
    })
  })

  test('shares that wait in a queue cannot be measured, so nothing is put in', async () => {
    const { vault, world } = await openOdd()
    await vaults.setOddity(vault, { isClosed: true })
    const refusal = await world.refuse('vault_deposit', { vault, amount: '1000' })
    expect(refusal).toMatchObject({
      code: 'VAULT_SHARES_LOCKED',
      details: [{ field: 'vault', vault, message: expect.stringContaining('redeeming') }],
    })
    await expectUntouched(world, vault)
  })

  test('a vault of requests (ERC-7540) is refused by name', async () => {
    const { vault, world } = await openOdd()
    await vaults.setOddity(vault, { isAsync: true })
    const anew = await open([vault])
    for (const one of [world, anew]) {
      const refusal = await one.refuse('vault_deposit', { vault, amount: '1000' })
      expect([refusal.code, refusal.message]).toEqual(['VAULT_NOT_SUPPORTED', expect.stringContaining('ERC-7540')])
    }
  })

  test('a vault that the policy does not name is refused, with those that it names', async () => {
    const vault = await vaults.agentVault('USDC')
    const refusal = await (await open()).refuse('vault_deposit', { vault, amount: '1000' })
    expect(refusal).toMatchObject({ code: 'VAULT_NOT_ALLOWED', details: [{ field: 'vault' }] })
    expect(refusal.details[0]!['accepted']).toContain(seeded('Agent USDC vault'))
    const [nobody] = (await (await open([])).refuse('vault_deposit', { vault, amount: '1' })).details
    expect(nobody!['accepted']).toBe('none: the policy names no vault of this chain')
  })
})

describe('vault_deposit and the limits', () => {
  test('all of it counts, and what comes out again frees nothing', async () => {
    const limitsUsd = { perTransaction: '1500', perSession: '2000', daily: '2000' }
    const [world, vault] = [await open(null, { limitsUsd }), seeded('Agent USDC vault')]
    expect((await world.refuse('vault_deposit', { vault, amount: '1600' })).code).toBe('SPENDING_LIMIT_EXCEEDED')
    await world.call('vault_deposit', { vault, amount: '1400' })
    await world.call('vault_withdraw', { vault })
    expect((await world.refuse('vault_deposit', { vault, amount: '1400' })).code).toBe('SPENDING_LIMIT_EXCEEDED')
  })

  test('above the threshold a person decides', async () => {
    const [world, vault] = [await open(null, { approvalThresholdUsd: '1000' }), seeded('Agent USDC vault')]
    const answer = await callApproved(world, 'vault_deposit', { vault, amount: '1400' })
    expect(answer.at('status')).toBe('success')
    expect(await world.balance(vault)).toBeGreaterThan(0n)
  })

  test('a strict list takes the shares of a named vault, and no asset that it leaves out', async () => {
    const strict: Partial<Policy> = { allowlist: { mode: 'strict' } }
    const world = await open(null, strict)
    await world.call('vault_deposit', { vault: seeded('Agent WETH vault'), amount: '1' })
    const asset = await vaults.token('OWN', 18)
    const vault = await vaults.agentVault(asset)
    await vaults.transfer(asset, world.wallet, 10n ** 18n)
    const narrow = await openWorld(devnet(), {
      again: world.again,
      policy: { ...ownPolicy(devnet()), ...strict, vaults: { [devnet().chainId]: [vault] } },
    })
    worlds.push(narrow)
    expect((await narrow.refuse('vault_deposit', { vault, amount: '0.5' })).code).toBe('TOKEN_NOT_ALLOWLISTED')
  })

  test('what the wallet lacks, and an amount that the asset cannot have, are said by field', async () => {
    const [world, vault] = [await open(), seeded('Agent USDC vault')]
    const lacking = await world.refuse('vault_deposit', { vault, amount: '100001' })
    expect(lacking).toMatchObject({ code: 'INSUFFICIENT_BALANCE', details: [{ field: 'amount', holds: '100000' }] })
    const fine = await world.refuse('vault_deposit', { vault, amount: '1.0000001' })
    expect(fine).toMatchObject({ code: 'VALIDATION_FAILED', details: [{ field: 'amount' }] })
  })
})

type Policy = NonNullable<WorldOptions['policy']>

type Shown = {
  readonly planId: string
  readonly planHash: string
  readonly warnings: readonly string[]
  readonly values: unknown
  readonly policy: { readonly allowed: boolean }
  readonly bounds: { readonly spendsAtMost: unknown; readonly receivesAtLeast: unknown }
  readonly steps: readonly { readonly contract: string; readonly calls: readonly { readonly function: string }[] }[]
}
