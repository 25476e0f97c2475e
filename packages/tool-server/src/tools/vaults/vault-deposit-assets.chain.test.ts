import { useDevnet } from '@svc/devnet/testing'
import { erc20Abi } from '@svc/amm/abis'
import { type Address, encodeFunctionData, formatUnits, parseAbi, parseUnits } from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openWorld, ownPolicy, type World } from '../chain-world.fixture.ts'
import { beforeSending } from '../../../../engine/src/fixtures/network.fixture.ts'
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

const dollars = (amount: string) => parseUnits(amount, 6)

describe('vault_deposit of an asset of strange make', () => {
  /** A vault of a token that counts as a dollar, in which a stranger has 300, and a wallet with 100 of it. */
  async function openStrange(decimals: number, isListed = true, own: Address | null = null) {
    const asset = own ?? (await vaults.token(`D${decimals}`, decimals))
    const vault = await vaults.agentVault(asset)
    await vaults.deposit(vault, asset, parseUnits('300', decimals))
    const row = { address: asset, symbol: 'DD', name: 'DD', decimals, usdPegged: true }
    const world = await openWorld(devnet(), {
      policy: { ...ownPolicy(devnet()), vaults: { [devnet().chainId]: [vault] }, unnamedSales: 'allow' },
      ...(isListed ? { chain: { tokens: [...devnet().chain.tokens, row] } } : {}),
    })
    worlds.push(world)
    await vaults.transfer(asset, world.wallet, parseUnits('100', decimals))
    return { asset, vault, world }
  }

  test.each([2, 8, 24])('%i decimals', async (decimals) => {
    const { asset, vault, world } = await openStrange(decimals)
    const answer = await world.call('vault_deposit', { vault, amount: '50' })
    const paid = parseUnits('100', decimals) - (await world.balance(asset))
    expect(answer.text('deposited')).toBe(formatUnits(paid, decimals))
    expect(answer.text('shares')).toBe(formatUnits(await world.balance(vault), decimals + 6))
    const out = await world.call('vault_withdraw', { vault })
    expect(Number(out.text('withdrawn'))).toBeCloseTo(Number(answer.text('deposited')), 1)
  })

  test('that calls somebody in the middle of a transfer changes neither price nor number of shares', async () => {
    const { asset, vault, world } = await openStrange(6)
    const gift = encodeFunctionData({
      abi: parseAbi(['function mint(address to, uint256 value)']),
      args: [vault, dollars('900')],
    })
    await vaults.call(asset, 'function setHook(address hook, bytes call_)', [asset, gift])
    const answer = await world.call('vault_deposit', { vault, amount: '50' })
    expect([answer.text('deposited'), answer.text('shares')]).toEqual(['49.95', '49.95'])
    // A gift to all who hold shares by then.
    expect(Number(answer.text('redeemsFor'))).toBeCloseTo((1_249.95 * 49.95) / 349.95, 1)
    const args = [world.wallet, vault] as const
    expect(await world.client.readContract({ address: asset, abi: erc20Abi, functionName: 'allowance', args })).toBe(0n)
  })

  test('that gives a right over the wallet away in the middle of a transfer is refused', async () => {
    const { asset, vault, world } = await openStrange(6)
    const theft = encodeFunctionData({
      abi: parseAbi(['function approveFor(address owner, address spender, uint256 value)']),
      args: [world.wallet, vaults.account, dollars('100')],
    })
    await vaults.call(asset, 'function setHook(address hook, bytes call_)', [asset, theft])
    const refusal = await world.refuse('vault_deposit', { vault, amount: '50' })
    expect([refusal.code, refusal.message]).toEqual(['UNSAFE_TRANSACTION', expect.stringContaining('give a right')])
  })

  test('that enters the vault again in the middle of a way out changes nothing of what it brings', async () => {
    const { asset, vault, world } = await openStrange(6)
    await world.call('vault_deposit', { vault, amount: '50' })
    await vaults.transfer(vault, asset, parseUnits('100', 12))
    const again = encodeFunctionData({
      abi: parseAbi(['function redeem(uint256 shares, address receiver, address owner)']),
      args: [parseUnits('100', 12), asset, asset],
    })
    await vaults.call(asset, 'function setHook(address hook, bytes call_)', [vault, again])
    const answer = await world.call('vault_withdraw', { vault, amount: '20' })
    expect([answer.text('withdrawn'), answer.text('sharesBurnt')]).toEqual(['20', '20'])
    expect(await world.balance(vault, asset)).toBe(0n)
    expect((await world.call('check_safety_status')).at('breaker.open')).toBe(false)
  })

  test('that keeps a part of each transfer is not put in: too little would come out again', async () => {
    const { vault, world } = await openStrange(18, true, await vaults.feeToken('KEEPS', 200n))
    const refusal = await world.refuse('vault_deposit', { vault, amount: '5' })
    expect([refusal.code, await world.balance(vault)]).toEqual(['VALUE_LOSS_EXCEEDED', 0n])
  })

  test('that the vault exchanges for another between the last look and the block is not taken', async () => {
    const vault = await vaults.oddVault('USDC')
    const world = await openWorld(devnet(), {
      policy: { ...ownPolicy(devnet()), vaults: { [devnet().chainId]: [vault] } },
    })
    worlds.push(world)
    await vaults.deposit(vault, world.address('USDC'), dollars('1000'))
    const held = await world.balance('WETH')
    beforeSending(world, 2, () => vaults.setOddity(vault, { falseAsset: world.address('WETH') }))
    expect((await world.refuse('vault_deposit', { vault, amount: '500' })).code).toBe('TRANSACTION_REVERTED')
    world.network.fetch = fetch
    expect([await world.balance('WETH'), await world.balance('USDC'), await world.balance(vault)]).toEqual([
      held,
      dollars('100000'),
      0n,
    ])
    const refusal = await world.refuse('vault_deposit', { vault, amount: '500' })
    expect([refusal.code, refusal.message]).toEqual(['VAULT_NOT_SUPPORTED', expect.stringContaining('another asset')])
  })

  test('that the vault exchanges for a worthless one before it pays out opens the breaker, and counts as lost', async () => {
    const vault = await vaults.oddVault('USDC')
    const world = await openWorld(devnet(), {
      policy: { ...ownPolicy(devnet()), vaults: { [devnet().chainId]: [vault] } },
    })
    worlds.push(world)
    const worthless = await vaults.token('NONE', 6)
    await vaults.transfer(worthless, vault, dollars('1000'))
    await vaults.deposit(vault, world.address('USDC'), dollars('1000'))
    await vaults.transfer(vault, world.wallet, dollars('200'))
    beforeSending(world, 1, () => vaults.setOddity(vault, { falseAsset: worthless }))
    await world.call('vault_withdraw', { vault, amount: '150' })
    world.network.fetch = fetch
    const status = await world.call('check_safety_status')
    expect(status.at('breaker.open')).toBe(true)
    expect(Number(status.at('valueUsd.lossAtMost.used'))).toBeCloseTo(150, 1)
  })

  test('whose worth nobody tells is not put in: no limit could count it', async () => {
    const { vault, world } = await openStrange(18, false)
    expect((await world.refuse('vault_deposit', { vault, amount: '50' })).code).toBe('PRICE_UNAVAILABLE')
  })
})
