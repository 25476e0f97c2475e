import { useDevnet } from '@svc/devnet/testing'
import { vaultAbi } from '@svc/amm/abis'
import { type Address, encodeFunctionData, formatUnits, parseAbi, parseUnits } from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { beforeSending } from '../../../../engine/src/fixtures/network.fixture.ts'
import { openWorld, ownPolicy, type World, type WorldOptions } from '../chain-world.fixture.ts'
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

type Policy = NonNullable<WorldOptions['policy']>

async function open(policy: Partial<Policy>, again?: World['again']): Promise<World> {
  const world = await openWorld(devnet(), {
    policy: { ...ownPolicy(devnet()), ...policy },
    ...(again === undefined ? {} : { again }),
  })
  worlds.push(world)
  return world
}

const seeded = (label: string) => devnet().vaults.find((vault) => vault.label === label)!.address
const dollars = (amount: string) => parseUnits(amount, 6)
const named = (...all: Address[]): Partial<Policy> => ({ vaults: { [devnet().chainId]: all } })

/** A vault without protection in which somebody else has 10,000 dollars, and the wallet 1,000 shares. */
async function openOdd(policy: Partial<Policy> = {}) {
  const vault = await vaults.oddVault('USDC')
  await vaults.deposit(vault, devnet().tokens.find(({ symbol }) => symbol === 'USDC')!.address, dollars('10000'))
  const world = await open({ ...named(vault), ...policy })
  await vaults.deposit(vault, world.address('USDC'), dollars('1000'))
  await vaults.transfer(vault, world.wallet, dollars('1000'))
  return { vault, world }
}

const safety = async (world: World) => (await world.call('check_safety_status')).data as { breaker: { open: boolean } }

describe('vault_withdraw', () => {
  test.each([
    ['Agent USDC vault', 'USDC', '500', 6, 12],
    ['Agent WETH vault', 'WETH', '0.5', 18, 24],
  ] as const)('%s: brings an amount, and then all that is left', async (...row) => {
    const [label, symbol, amount, decimals, shareDecimals] = row
    const [world, vault] = [await open({}), seeded(label)]
    await world.call('vault_deposit', { vault, amount: symbol === 'USDC' ? '2000' : '2' })
    const held = await world.balance(vault)
    const before = await world.balance(symbol)
    const part = await world.call('vault_withdraw', { vault, amount })
    expect((await world.balance(symbol)) - before).toBe(parseUnits(amount, decimals))
    const left = await world.balance(vault)
    expect(part.data).toMatchObject({
      status: 'success',
      withdrawn: amount,
      sharesBurnt: formatUnits(held - left, shareDecimals),
      sharesLeft: formatUnits(left, shareDecimals),
      shareSymbol: symbol === 'USDC' ? 'avUSDC' : 'avWETH',
      notes: [expect.stringMatching(/^Nothing in the calldata says how little may come/)],
    })
    expect(part.list('transactions')).toHaveLength(1)
    const rest = await world.call('vault_withdraw', { vault })
    expect(await world.balance(vault)).toBe(0n)
    expect(rest.text('sharesLeft')).toBe('0')
    const back = (await world.balance(symbol)) - before
    expect(formatUnits(back - parseUnits(amount, decimals), decimals)).toBe(rest.text('withdrawn'))
    expect(Number(formatUnits(back, decimals))).toBeCloseTo(symbol === 'USDC' ? 1998 : 1.998, 5)
    expect((await safety(world)).breaker.open).toBe(false)
  })

  test('takes what a strategy holds where the vault itself has too little', async () => {
    const vault = await vaults.agentVault('USDC')
    const world = await open(named(vault))
    await world.call('vault_deposit', { vault, amount: '2000' })
    const strategy = { vault: seeded('USDC lending'), targetBps: 9_000n }
    await vaults.call(vault, 'function setStrategies((address vault, uint256 targetBps)[] wanted)', [[strategy]])
    await vaults.call(vault, 'function rebalance(uint256 shares, uint256 leastAssets)', [0n, 0n])
    expect(await world.balance('USDC', vault)).toBeLessThan(dollars('201'))
    expect((await world.call('vault_withdraw', { vault, amount: '1500' })).text('withdrawn')).toBe('1500')
  })

  test('a plan says what comes, that nothing bounds what shares bring, and is carried out', async () => {
    const { vault, world } = await openOdd()
    const part = (await world.call('vault_withdraw', { vault, amount: '100', dryRun: true })).data as { plan: Shown }
    expect(part.plan.bounds.receivesAtLeast).toMatchObject([{ symbol: 'USDC', amount: '99.5' }])
    expect(part.plan.bounds.spendsAtMost).toMatchObject([{ token: vault, amount: '100' }])
    expect(part.plan.values).toMatchObject({ leavesUsd: '0', arrivesAtWorstUsd: '0' })
    expect(part.plan.spendUsd).toBe('0')
    const { plan } = (await world.call('vault_withdraw', { vault, dryRun: true })).data as { plan: Shown }
    expect(plan.bounds.spendsAtMost).toMatchObject([{ token: vault, amount: '1000' }])
    expect(plan.values).toMatchObject({ arrivesUsd: '1000', arrivesAtWorstUsd: '0' })
    expect(plan.warnings).toEqual([expect.stringMatching(/^Nothing in the calldata says how little may come/)])
    // What comes meanwhile is no part of the plan.
    await vaults.deposit(vault, world.address('USDC'), dollars('50'))
    await vaults.transfer(vault, world.wallet, dollars('50'))
    await world.call('execute_plan', { planId: plan.planId, planHash: plan.planHash })
    expect(await world.balance(vault)).toBe(dollars('50'))
  })

  test('what a vault cannot pay now, and what is not there, are said by field', async () => {
    const { vault, world } = await openOdd()
    const much = await world.refuse('vault_withdraw', { vault, amount: '1000.5' })
    expect(much).toMatchObject({
      code: 'VAULT_WITHDRAWAL_REFUSED',
      retryable: true,
      details: [{ field: 'amount', accepted: 'at most 1000 USDC, as the vault says' }],
    })
    await vaults.setOddity(vault, { isClosed: true })
    for (const amount of [{}, { amount: '1' }]) {
      const queued = await world.refuse('vault_withdraw', { vault, ...amount })
      expect(queued).toMatchObject({ code: 'VAULT_WITHDRAWAL_REFUSED', details: [{ accepted: /at most 0 USDC/ }] })
    }
    const nothing = await world.refuse('vault_withdraw', { vault: seeded('Agent USDC vault') }).catch(() => null)
    expect(nothing?.code).toBe('INSUFFICIENT_BALANCE')
    await vaults.setOddity(vault, { isAsync: true })
    const requests = await (await open(named(vault))).refuse('vault_withdraw', { vault })
    expect([requests.code, requests.message]).toEqual(['VAULT_NOT_SUPPORTED', expect.stringContaining('ERC-7540')])
  })

  test('a vault that the policy does not name any more', async () => {
    const { vault, world } = await openOdd()
    const narrow = await open(named(), world.again)
    expect((await narrow.refuse('vault_withdraw', { vault })).code).toBe('VAULT_NOT_ALLOWED')
  })
})

describe('vault_withdraw is a way home', () => {
  test('no limit, threshold or budget stands in its way, and it takes nothing out of them', async () => {
    const { vault, world } = await openOdd({
      limitsUsd: { perTransaction: '1', perSession: '1', daily: '1' },
      approvalThresholdUsd: '1',
      maxDailyGasUsd: '5',
    })
    expect((await world.call('vault_withdraw', { vault, amount: '600' })).at('status')).toBe('success')
    expect((await world.call('vault_withdraw', { vault })).at('status')).toBe('success')
    // Gas alone.
    expect(Number((await world.call('check_safety_status')).at('spentUsd.daily'))).toBeLessThan(0.5)
  })

  test('a breaker that failures opened lets it pass, and no deposit', async () => {
    const { vault, world } = await openOdd({ breaker: { maxConsecutiveFailures: 1 } })
    beforeSending(world, 2, async () => void (await vaults.transfer(world.address('USDC'), vault, dollars('50'))))
    expect((await world.refuse('vault_deposit', { vault, amount: '1000' })).code).toBe('TRANSACTION_REVERTED')
    world.network.fetch = fetch
    expect((await safety(world)).breaker.open).toBe(true)
    expect((await world.refuse('vault_deposit', { vault, amount: '10' })).code).toBe('CIRCUIT_BREAKER_OPEN')
    expect((await world.call('vault_withdraw', { vault })).at('status')).toBe('success')
  })

  test('a pause of the vault, a fee that no preview tells, and one that it tells keep nobody inside', async () => {
    const own = await vaults.agentVault('USDC')
    const { vault, world } = await openOdd()
    await vaults.setOddity(vault, { redeemFeeBps: 2_000n })
    const answer = await world.call('vault_withdraw', { vault })
    expect(Number(answer.text('withdrawn'))).toBeCloseTo(800, 3)
    const other = await open(named(own))
    await other.call('vault_deposit', { vault: own, amount: '1000' })
    await vaults.call(own, 'function setPaused(bool isPaused)', [true])
    expect((await other.call('vault_withdraw', { vault: own })).text('withdrawn')).toMatch(/^99[89]/)
  })

  test('a vault that lies about what its shares are worth keeps nobody inside', async () => {
    const { vault, world } = await openOdd()
    await vaults.setOddity(vault, { falseTotal: dollars('5000') })
    const { client } = world
    const args = [dollars('1000')] as const
    const said = await client.readContract({ address: vault, abi: vaultAbi, functionName: 'convertToAssets', args })
    expect(said).toBeLessThan(dollars('500'))
    const answer = await world.call('vault_withdraw', { vault })
    expect(Number(answer.text('withdrawn'))).toBeCloseTo(Number(formatUnits(said, 6)), 3)
  })

  test('one that pays less in its block than it showed opens the breaker, which lets ways home pass on', async () => {
    const { vault, world } = await openOdd()
    beforeSending(world, 1, () => vaults.setOddity(vault, { redeemFeeBps: 5_000n }))
    await world.call('vault_withdraw', { vault })
    world.network.fetch = fetch
    expect((await safety(world)).breaker.open).toBe(true)
    await vaults.deposit(vault, world.address('USDC'), dollars('100'))
    await vaults.transfer(vault, world.wallet, dollars('10'))
    const answer = await world.call('vault_withdraw', { vault, amount: '5' })
    expect(answer.text('withdrawn')).toBe('2.5')
    expect(answer.at('notes')).toContainEqual(expect.stringMatching(/^2.5 came where 5 was asked for: the vault keeps/))
  })
})

describe('G13: what nobody takes of a way out', () => {
  const lost = async (world: World) => Number((await world.call('check_safety_status')).at('valueUsd.lossAtMost.used'))

  test('a share that somebody has made dear is not burnt for a smallest unit of the asset', async () => {
    const vault = await vaults.oddVault('USDC')
    const world = await open(named(vault))
    await vaults.deposit(vault, world.address('USDC'), 3n)
    await vaults.transfer(vault, world.wallet, 2n)
    await vaults.transfer(world.address('USDC'), vault, dollars('15000'))
    const before = await world.balance('USDC')
    const answer = await world.call('vault_withdraw', { vault, amount: '0.000001' })
    expect(answer.data).toMatchObject({ sharesBurnt: '0.000001', sharesLeft: '0.000001' })
    // A part of the gift is lost in virtual shares, and none to the way out.
    expect((await world.balance('USDC')) - before).toBe(dollars('3750') + 1n)
    expect(answer.at('notes')).toContainEqual(expect.stringMatching(/^3750.000001 came where 0.000001 was asked for/))
    expect([await lost(world), (await safety(world)).breaker.open]).toEqual([0, false])
  })

  test('what comes short of the simulation counts as lost, also where it is too little for the breaker', async () => {
    const { vault, world } = await openOdd()
    beforeSending(world, 1, () => vaults.setOddity(vault, { redeemFeeBps: 40n }))
    await world.call('vault_withdraw', { vault, amount: '500' })
    world.network.fetch = fetch
    expect(await lost(world)).toBeCloseTo(2, 2)
    expect((await safety(world)).breaker.open).toBe(false)
  })

  test('many small steps bring what one brings', async () => {
    const vault = await vaults.oddVault('USDC')
    const world = await open(named(vault))
    // A share is worth a little less than two smallest units, so that each step rounds.
    await vaults.deposit(vault, world.address('USDC'), 1_000_000n)
    await vaults.transfer(world.address('USDC'), vault, 999_999n)
    await vaults.transfer(vault, world.wallet, 1_000_000n)
    const before = await world.balance('USDC')
    for (const _step of [1, 2, 3]) await world.call('vault_withdraw', { vault, amount: '0.000001' })
    await world.call('vault_withdraw', { vault })
    expect((await world.balance('USDC')) - before).toBeGreaterThanOrEqual(1_999_995n)
  })

  test('a price that is pushed down before the block: the way out goes, and the breaker opens', async () => {
    const { vault, world } = await openOdd()
    beforeSending(world, 1, () => vaults.setOddity(vault, { falseTotal: dollars('5500') }))
    const answer = await world.call('vault_withdraw', { vault, amount: '600' })
    world.network.fetch = fetch
    expect(Number(answer.text('withdrawn'))).toBeCloseTo(300, 3)
    expect(await lost(world)).toBeCloseTo(300, 2)
    expect((await safety(world)).breaker.open).toBe(true)
  })

  test('an asset that gives a right over the wallet away in the middle of it', async () => {
    const asset = await vaults.token('DD', 6)
    const vault = await vaults.agentVault(asset)
    const world = await open(named(vault))
    await vaults.deposit(vault, asset, dollars('100'))
    await vaults.transfer(vault, world.wallet, parseUnits('50', 12))
    const theft = encodeFunctionData({
      abi: parseAbi(['function approveFor(address owner, address spender, uint256 value)']),
      args: [world.wallet, vaults.account, dollars('100')],
    })
    await vaults.call(asset, 'function setHook(address hook, bytes call_)', [asset, theft])
    const refusal = await world.refuse('vault_withdraw', { vault })
    expect([refusal.code, refusal.message]).toEqual(['UNSAFE_TRANSACTION', expect.stringContaining('give a right')])
  })
})

type Shown = {
  readonly planId: string
  readonly planHash: string
  readonly spendUsd: string
  readonly warnings: readonly string[]
  readonly values: unknown
  readonly bounds: { readonly spendsAtMost: unknown; readonly receivesAtLeast: unknown }
}
