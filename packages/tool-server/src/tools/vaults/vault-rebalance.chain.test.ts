import { useDevnet } from '@svc/devnet/testing'
import { vaultAbi } from '@svc/amm/abis'
import { type Address, createWalletClient, encodeFunctionData, http, maxUint256, parseAbi, parseUnits } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openWorld, ownPolicy, type World, type WorldOptions } from '../chain-world.fixture.ts'
import { beforeSending } from '../../../../engine/src/fixtures/network.fixture.ts'
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

async function open(policy: Partial<NonNullable<WorldOptions['policy']>> = {}, again?: World['again']): Promise<World> {
  const world = await openWorld(devnet(), {
    policy: { ...ownPolicy(devnet()), ...policy },
    ...(again === undefined ? {} : { again }),
  })
  worlds.push(world)
  return world
}

const dollars = (amount: string) => parseUnits(amount, 6)
const strategiesAbi = parseAbi([
  'struct Strategy { address vault; uint256 targetBps; }',
  'function setStrategies(Strategy[] wanted)',
])

/** A vault that the wallet manages, in which a stranger has 1,000 dollars, with a strategy that is to hold so much of them. */
async function openManaged(strategy: Address, targetBps = 6_000n, asset: Address | null = null) {
  const stranger = await open()
  const { privateKey } = stranger.again
  const vault = await vaults.agentVault(asset ?? 'USDC', dollars('1000000'), stranger.wallet)
  await vaults.deposit(vault, asset ?? stranger.address('USDC'), dollars(asset === null ? '1000' : '500'))
  const manager = createWalletClient({ account: privateKeyToAccount(privateKey), transport: http(devnet().rpcUrl) })
  const args = [[{ vault: strategy, targetBps }]] as const
  const hash = await manager.writeContract({
    address: vault,
    abi: strategiesAbi,
    functionName: 'setStrategies',
    args,
    chain: null,
  })
  await stranger.client.waitForTransactionReceipt({ hash })
  return { vault, world: await open({ vaults: { [devnet().chainId]: [vault, strategy] } }, stranger.again) }
}

const lending = () => devnet().vaults.find(({ label }) => label === 'USDC lending')!.address

describe('vault_rebalance', () => {
  test('brings the strategies of a vault to their parts, and says what lies where', async () => {
    const { vault, world } = await openManaged(lending())
    const before = await world.balance('USDC')
    const answer = await world.call('vault_rebalance', { vault })
    expect(answer.data).toMatchObject({
      status: 'success',
      vault,
      assetSymbol: 'USDC',
      strategies: [{ vault: lending(), targetBps: 6_000, before: '0' }],
      notes: [],
    })
    expect(Number(answer.text('strategies.0.after'))).toBeCloseTo(600, 4)
    expect(Number(answer.text('idle'))).toBeCloseTo(400, 4)
    expect(await world.balance('USDC', vault)).toBe(dollars('400'))
    expect(await world.balance('USDC')).toBe(before)
    const again = await world.refuse('vault_rebalance', { vault })
    expect(again.code).toBe('VAULT_BALANCED')
  })

  test('waits as long as the tier "standard" asks for', async () => {
    const { vault, world } = await openManaged(lending())
    const slow = await open(
      { vaults: { [devnet().chainId]: [vault, lending()] }, proxyDelay: true, delaySeconds: { standard: 600 } },
      world.again,
    )
    const answer = await slow.call('vault_rebalance', { vault })
    expect(answer.at('status')).toBe('scheduled')
    expect(answer.at('plan.steps.0.contract')).toBe('a vault of the policy')
    expect(await world.balance('USDC', vault)).toBe(dollars('1000'))
  })

  test('is for the manager alone, of a kind that is known, in a vault that the policy names', async () => {
    const world = await open()
    const [seeded] = devnet().vaults
    const other = await world.refuse('vault_rebalance', { vault: seeded!.address })
    expect(other).toMatchObject({ code: 'VAULT_ROLE_MISSING', details: [{ field: 'vault' }] })
    expect(other.details[0]!['accepted']).toContain(world.wallet)
    const odd = await vaults.oddVault('USDC')
    const named = await open({ vaults: { [devnet().chainId]: [odd] } })
    expect((await named.refuse('vault_rebalance', { vault: odd })).code).toBe('VAULT_ROLE_MISSING')
    const bare = await vaults.agentVault('USDC', dollars('1000'), named.wallet)
    expect((await named.refuse('vault_rebalance', { vault: bare })).code).toBe('VAULT_NOT_ALLOWED')
    const both = await open({ vaults: { [devnet().chainId]: [bare] } }, named.again)
    expect((await both.refuse('vault_rebalance', { vault: bare })).code).toBe('VAULT_NOT_SUPPORTED')
  })

  test('does not hand what depositors have to a strategy that keeps a part of it', async () => {
    const strategy = await vaults.oddVault('USDC')
    await vaults.deposit(strategy, devnet().tokens.find(({ symbol }) => symbol === 'USDC')!.address, dollars('10000'))
    const { vault, world } = await openManaged(strategy)
    await vaults.setOddity(strategy, { depositFeeBps: 500n })
    const refusal = await world.refuse('vault_rebalance', { vault })
    expect([refusal.code, refusal.details[0]!['before']]).toEqual(['VALUE_LOSS_EXCEEDED', '1000'])
    await vaults.setOddity(strategy, { refusal: 'full' })
    expect(await world.refuse('vault_rebalance', { vault })).toMatchObject({
      code: 'SIMULATION_FAILED',
      message: expect.stringContaining('full'),
    })
    expect(await world.balance('USDC', vault)).toBe(dollars('1000'))
  })

  test('moves nothing into a strategy that the policy does not name', async () => {
    const { vault, world } = await openManaged(lending())
    const narrow = await open({ vaults: { [devnet().chainId]: [vault] } }, world.again)
    const refusal = await narrow.refuse('vault_rebalance', { vault })
    expect(refusal).toMatchObject({ code: 'VAULT_NOT_ALLOWED', details: [{ field: 'vault', strategy: lending() }] })
  })
})

const redeem = 'function redeem(uint256 shares, address receiver, address owner)'

describe('G13: what a rebalance may cost those who hold shares', () => {
  const usdc = () => devnet().tokens.find(({ symbol }) => symbol === 'USDC')!.address

  /** A strategy without protection that holds nothing but the one share of a stranger, who has the rest. */
  async function openInflatable() {
    const strategy = await vaults.oddVault('USDC')
    await vaults.deposit(strategy, usdc(), 1n)
    return { strategy, ...(await openManaged(strategy)) }
  }

  test('a strategy that somebody makes dear just before takes nothing', async () => {
    const { strategy, vault, world } = await openInflatable()
    beforeSending(world, 1, async () => void (await vaults.transfer(usdc(), strategy, dollars('400'))))
    expect((await world.refuse('vault_rebalance', { vault })).code).toBe('TRANSACTION_REVERTED')
    expect(await world.balance('USDC', vault)).toBe(dollars('1000'))
  })

  test('nor where what is taken is deposited before, so that all that the vault holds is more than it was', async () => {
    const { strategy, vault, world } = await openInflatable()
    beforeSending(world, 1, async () => {
      await vaults.transfer(usdc(), strategy, dollars('1200'))
      await vaults.deposit(vault, usdc(), dollars('2000'))
    })
    expect((await world.refuse('vault_rebalance', { vault })).code).toBe('TRANSACTION_REVERTED')
    expect(await world.balance('USDC', vault)).toBe(dollars('3000'))
  })

  test('an asset that enters the vault while a strategy pays out takes nothing of what shares are worth', async () => {
    const asset = await vaults.token('ENTERS', 6)
    const strategy = await vaults.oddVault(asset)
    const { vault, world } = await openManaged(strategy, 6_000n, asset)
    await world.call('vault_rebalance', { vault })
    await vaults.transfer(asset, strategy, dollars('200'))
    await vaults.call(asset, 'function mint(address to, uint256 value)', [asset, dollars('500')])
    const approve = 'function approveFor(address owner, address spender, uint256 value)'
    await vaults.call(asset, approve, [asset, vault, maxUint256])
    const enter = encodeFunctionData({
      abi: parseAbi(['function deposit(uint256 assets, address receiver)']),
      args: [dollars('500'), asset],
    })
    beforeSending(
      world,
      1,
      async () => void (await vaults.call(asset, 'function setHook(address hook, bytes call_)', [vault, enter])),
    )
    const worth = async () => {
      const read = {
        address: vault,
        abi: vaultAbi,
        functionName: 'convertToAssets',
        args: [parseUnits('500', 12)],
      } as const
      return Number(await world.client.readContract(read)) / 1e6
    }
    const before = await worth()
    expect((await world.call('vault_rebalance', { vault })).at('status')).toBe('success')
    expect(before).toBeCloseTo(700, 3)
    expect(await worth()).toBeCloseTo(before, 3)
    expect(await world.balance(vault, asset)).toBeGreaterThan(0n)
  })

  test('a plan keeps its bound, and is not carried out where shares have lost since', async () => {
    const strategy = await vaults.oddVault('USDC')
    await vaults.deposit(strategy, usdc(), dollars('1000'))
    const { vault, world } = await openManaged(strategy)
    await world.call('vault_rebalance', { vault })
    await vaults.deposit(vault, usdc(), dollars('500'))
    const planned = async () => {
      const { plan } = (await world.call('vault_rebalance', { vault, dryRun: true })).data as {
        plan: { planId: string; planHash: string }
      }
      return { planId: plan.planId, planHash: plan.planHash }
    }
    const plan = await planned()
    await vaults.setOddity(strategy, { falseTotal: dollars('1590') })
    const refusal = await world.refuse('execute_plan', plan)
    expect(refusal).toMatchObject({ code: 'SIMULATION_DRIFT', details: [{ field: 'vault' }] })
    await vaults.setOddity(strategy, {})
    const again = await planned()
    // Who leaves meanwhile takes nothing of what the others' shares are worth.
    await vaults.call(vault, redeem, [parseUnits('400', 12), vaults.account, vaults.account])
    expect((await world.call('execute_plan', again)).at('status')).toBe('success')
  })

  test('shares that are worth less in its block than before open the breaker', async () => {
    const strategy = await vaults.oddVault('USDC')
    await vaults.deposit(strategy, usdc(), dollars('1000'))
    const { vault, world } = await openManaged(strategy)
    const node = testClient(devnet())
    beforeSending(world, 1, async () => {
      await node.setAutomine(false)
    })
    const called = world.call('vault_rebalance', { vault })
    await expect.poll(async () => (await node.getTxpoolStatus()).pending, { timeout: 20_000 }).toBeGreaterThan(0)
    const losing = vaults.setOddity(strategy, { falseTotal: dollars('1000') })
    await expect.poll(async () => (await node.getTxpoolStatus()).pending, { timeout: 20_000 }).toBeGreaterThan(1)
    await node.mine({ blocks: 1 })
    await node.setAutomine(true)
    await losing
    expect((await called).at('status')).toBe('success')
    expect((await world.call('check_safety_status')).at('breaker.open')).toBe(true)
  })
})

test('G13: a rebalance on whose way somebody gives the wallet something is no way home by that, and uses up none of the gas that is kept for those', async () => {
  const asset = await vaults.token('HOOK', 6)
  const strategy = await vaults.oddVault(asset)
  const { vault, world } = await openManaged(strategy, 6_000n, asset)
  await vaults.transfer(world.address('USDC'), asset, 1_000n)
  const data = encodeFunctionData({
    abi: parseAbi(['function transfer(address to, uint256 value)']),
    functionName: 'transfer',
    args: [world.wallet, 1n],
  })
  await vaults.call(asset, 'function setHook(address hook, bytes call)', [world.address('USDC'), data])
  const before = await world.balance('USDC')
  await world.call('vault_rebalance', { vault })
  expect(await world.balance('USDC')).toBe(before + 1n)
  const used = await world.call('check_safety_status')
  expect([used.at('valueUsd.exitGas.used'), Number(used.at('valueUsd.gas.used')) > 0]).toEqual(['0', true])
})
