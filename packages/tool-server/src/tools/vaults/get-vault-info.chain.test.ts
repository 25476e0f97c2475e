import { useDevnet } from '@svc/devnet/testing'
import { vaultAbi } from '@svc/amm/abis'
import { type Address, formatUnits, parseUnits } from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { hostileName, hostileSymbol } from '../../../../devnet/src/seed/token-specs.ts'
import { openWorld, type World } from '../chain-world.fixture.ts'
import { openVaultWorld } from './vault-world.fixture.ts'

const devnet = useDevnet()
let world: World
let vaults: ReturnType<typeof openVaultWorld>

// Anew for each test: another contract stands then where one of the test before stood.
beforeEach(async () => {
  world = await openWorld(devnet())
  vaults = openVaultWorld(devnet())
})
afterEach(() => world.close())

const info = (vault: Address, args: object = {}, of = world) => of.call('get_vault_info', { vault, ...args })
const seeded = (label: string) => devnet().vaults.find((vault) => vault.label === label)!.address
const read = (address: Address, functionName: 'totalAssets' | 'totalSupply') =>
  world.client.readContract({ address, abi: vaultAbi, functionName })

describe('get_vault_info', () => {
  test('says what a vault says, in whole tokens, with its strategies and what it is worth', async () => {
    const vault = seeded('Agent USDC vault')
    const answer = await info(vault)
    expect(answer.data).toMatchObject({
      kind: 'erc4626',
      name: 'Agent USDC vault',
      asset: world.address('USDC'),
      assetSymbol: 'USDC',
      shareSymbol: 'avUSDC',
      shareDecimals: 12,
      totalAssets: formatUnits(await read(vault, 'totalAssets'), 6),
      totalSupply: formatUnits(await read(vault, 'totalSupply'), 12),
      sharePrice: '1.034999',
      paused: false,
      cap: '2000000',
      strategies: [{ vault: seeded('USDC lending'), targetBps: 6000, assets: '317499.999999' }],
      wallet: world.wallet,
      shares: '0',
      balance: '100000',
      maxRedeem: '0',
      blockNumber: Number(await world.client.getBlockNumber()),
    })
    expect(answer.number('totalAssetsUsd')).toBeCloseTo(517_500, -2)
    expect(Number(answer.text('maxDeposit'))).toBeCloseTo(2_000_000 - 517_500, 0)
    const weth = await info(seeded('Agent WETH vault'))
    expect(weth.data).toMatchObject({ shareDecimals: 24, totalAssets: '121.5', cap: 'unlimited', strategies: [] })
    expect(weth.number('totalAssetsUsd')).toBeCloseTo(121.5 * devnet().market.prices().WETH, -3)
  })

  test('says what a wallet has in it, and of none where there is none', async () => {
    const vault = await vaults.agentVault('USDC')
    await vaults.deposit(vault, world.address('USDC'), parseUnits('250', 6))
    await vaults.transfer(world.address('USDC'), vault, parseUnits('25', 6))
    expect((await info(vault, { wallet: vaults.account })).data).toMatchObject({
      wallet: vaults.account,
      shares: '250',
      worth: '274.999999',
      maxWithdraw: '274.999999',
      maxRedeem: '250',
    })
  })

  test('says how the price of a share went, where the endpoint has the older block', async () => {
    const daily = await openWorld(devnet(), { chain: { blockTimeSeconds: 86_400 } })
    const vault = await vaults.agentVault('USDC')
    await vaults.deposit(vault, world.address('USDC'), parseUnits('1000', 6))
    const start = Number((await world.client.getBlock()).timestamp)
    for (let day = 1; day < 30; day += 1) await devnet().mineTo(start + day * 86_400)
    await vaults.transfer(world.address('USDC'), vault, parseUnits('10', 6))
    await devnet().mineTo(start + 30 * 86_400)
    const answer = await info(vault, { days: 30 }, daily)
    expect(answer.data).toMatchObject({ pastSharePrice: '1' })
    // Thirty-one blocks, of which one came within seconds.
    const days = (start + 30 * 86_400 - Date.parse(answer.text('pastAt')) / 1000) / 86_400
    expect(days).toBeCloseTo(29, 1)
    expect(answer.number('apyPct')).toBeCloseTo((1.01 ** (365 / days) - 1) * 100, 2)
    const unknown = await info(vault, { days: 365 }, daily)
    expect([unknown.at('pastSharePrice'), unknown.at('apyPct')]).toEqual([null, null])
    expect(unknown.at('notes')).toContainEqual(expect.stringMatching(/^The price of a share 365 days ago is not known/))
    await daily.close()
  })

  test.each([0, 6, 18, 24])('says amounts of an asset with %i decimals as they are', async (decimals) => {
    const asset = await vaults.token(`D${decimals}`, decimals)
    const vault = await vaults.oddVault(asset)
    await vaults.deposit(vault, asset, parseUnits('300', decimals))
    await vaults.transfer(asset, vault, parseUnits('150', decimals))
    const answer = await info(vault, { wallet: vaults.account })
    expect(answer.data).toMatchObject({ totalAssets: '450', totalSupply: '300', shares: '300', balance: '550' })
    expect(Number(answer.text('sharePrice'))).toBeCloseTo(decimals === 0 ? 1 : 1.5, 5)
    expect(Number(answer.text('worth'))).toBeCloseTo(decimals === 0 ? 449 : 450, decimals === 0 ? 0 : 3)
    expect(answer.at('notes')).toContainEqual(expect.stringMatching(/^No trustworthy USD price/))
  })

  test('shows text of strangers short and escaped', async () => {
    const asset = await vaults.token('HOSTILE', 18, hostileSymbol)
    const vault = await vaults.oddVault(asset, hostileName)
    const { data } = await info(vault)
    expect(JSON.stringify(data)).not.toMatch(/\p{C}|\p{Zl}|\p{Zp}|\p{sc=Cyrillic}/u)
    const { name, shareSymbol } = data as { readonly name: string; readonly shareSymbol: string }
    expect([name.length <= 64, shareSymbol.length <= 64]).toEqual([true, true])
  })

  test('says that one is paused, full, keeps a part of what is paid out, or is asynchronous', async () => {
    const vault = await vaults.agentVault('USDC', 0n)
    expect(await info(vault)).toMatchObject({ data: { cap: '0', maxDeposit: '0' } })
    await vaults.call(vault, 'function setPaused(bool isPaused)', [true])
    expect((await info(vault)).at('notes')).toEqual(
      expect.arrayContaining(['The vault says that it is paused.', expect.stringContaining('takes no deposit')]),
    )
    const odd = await vaults.oddVault('USDC')
    await vaults.setOddity(odd, { isAsync: true })
    const asked = await info(odd)
    expect(asked.data).toMatchObject({ kind: 'erc7540', manager: null, paused: null, cap: null, strategies: null })
    expect(asked.at('notes')).toContainEqual(expect.stringMatching(/^Deposits of this vault are requests.*ERC-7540/))
  })

  test('takes no figure that cannot be, and refuses what no amount can be said of', async () => {
    const vault = await vaults.oddVault('USDC')
    await vaults.setOddity(vault, { falseTotal: 2n ** 200n })
    const answer = await info(vault)
    expect(answer.data).toMatchObject({ totalAssets: null, totalAssetsUsd: null, sharePrice: null })
    expect(answer.at('notes')).toContainEqual(
      'The vault does not tell totalAssets, sharePrice, or tells what cannot be.',
    )
    await vaults.setOddity(vault, { falseDecimals: 77 })
    // What was known of it is no longer so, and then it is looked at anew.
    for (const [message, retryable] of [
      [/other decimals, than a moment ago/, true],
      [/tell 77 decimals/, false],
    ] as const) {
      expect(await world.refuse('get_vault_info', { vault })).toMatchObject({
        code: 'VAULT_NOT_SUPPORTED',
        message: expect.stringMatching(message),
        retryable,
      })
    }
    const noAsset = await vaults.oddVault(vaults.account)
    await vaults.setOddity(noAsset, { falseTotal: 1n })
    const refusal = await world.refuse('get_vault_info', { vault: noAsset })
    expect(refusal).toMatchObject({ code: 'VAULT_NOT_SUPPORTED', message: expect.stringContaining('is no token') })
  })

  test('says of what is no vault what it is', async () => {
    for (const [vault, message] of [
      [devnet().accounts[0]!.address, 'No contract stands'],
      [devnet().chain.multicall3, 'is no ERC-4626 vault'],
      [world.address('USDC'), 'A token stands'],
    ] as const) {
      const refusal = await world.refuse('get_vault_info', { vault })
      expect(refusal).toMatchObject({ code: 'VAULT_NOT_FOUND', details: [{ field: 'vault' }] })
      expect(refusal.message).toContain(message)
      expect(refusal.suggestion).toMatch(/^Use the vault's own address.*get_token_info/)
    }
  })
})
