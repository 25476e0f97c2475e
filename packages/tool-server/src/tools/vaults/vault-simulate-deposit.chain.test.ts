import { useDevnet } from '@svc/devnet/testing'
import { vaultAbi } from '@svc/amm/abis'
import { type Address, encodeFunctionData, formatUnits, maxUint256, parseAbi, parseUnits } from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { hostileName } from '../../../../devnet/src/seed/token-specs.ts'
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

const simulate = (vault: Address, amount: string, args: object = {}) =>
  world.call('vault_simulate_deposit', { vault, amount, ...args })
const seeded = (label: string) => devnet().vaults.find((vault) => vault.label === label)!.address
const dollars = (amount: string) => parseUnits(amount, 6)

/** A vault of dollars without protection in which somebody else has 1,000. */
async function oddVault(): Promise<Address> {
  const vault = await vaults.oddVault('USDC')
  await vaults.deposit(vault, world.address('USDC'), dollars('1000'))
  return vault
}

describe('vault_simulate_deposit', () => {
  test('says to the last share what the same deposit then does, and sends nothing itself', async () => {
    const [vault, owner] = [seeded('Agent USDC vault'), vaults.account]
    const before = await world.balance('USDC', owner)
    const nonce = await world.client.getTransactionCount({ address: owner })
    const answer = await simulate(vault, '12345.678901', { owner })
    expect(await world.balance('USDC', owner)).toBe(before)
    expect(await world.client.getTransactionCount({ address: owner })).toBe(nonce)
    expect(answer.data).toMatchObject({
      owner,
      assetSymbol: 'USDC',
      shareSymbol: 'avUSDC',
      success: true,
      amountUsd: expect.closeTo(12_345.68, 0),
      balance: formatUnits(before, 6),
      allowance: '0',
      roundTripLossBps: 0,
      notes: ['Its shares have 12 decimals, the asset has 6.'],
    })
    await vaults.deposit(vault, world.address('USDC'), dollars('12345.678901'))
    const shares = await world.balance(vault, owner)
    expect(answer.text('receivedShares')).toBe(formatUnits(shares, 12))
    expect(answer.text('previewShares')).toBe(answer.text('receivedShares'))
    const supply = await world.client.readContract({ address: vault, abi: vaultAbi, functionName: 'totalSupply' })
    expect(answer.number('shareOfVaultPct')).toBeCloseTo((Number(shares) / Number(supply)) * 100, 3)
    const held = await world.balance('USDC', owner)
    await vaults.call(vault, 'function redeem(uint256 shares, address receiver, address owner)', [shares, owner, owner])
    expect(answer.text('redeemsFor')).toBe(formatUnits((await world.balance('USDC', owner)) - held, 6))
  })

  test('measures what a fee takes that no preview tells, on the way in and on the way out', async () => {
    const vault = await oddVault()
    await vaults.setOddity(vault, { depositFeeBps: 50n })
    const paidIn = await simulate(vault, '100')
    expect(paidIn.data).toMatchObject({ success: true, previewShares: '100', receivedShares: '99.5' })
    // What is kept stays in the vault, and a part of it is theirs.
    expect(paidIn.number('roundTripLossBps')).toBeCloseTo(45.5, 0)
    expect(paidIn.at('notes')).toContainEqual(expect.stringMatching(/^The preview is not kept: 50 bps fewer shares/))
    await vaults.setOddity(vault, { redeemFeeBps: 200n })
    const paidOut = await simulate(vault, '100')
    expect(paidOut.data).toMatchObject({ previewShares: '100', receivedShares: '100', redeemsFor: '98' })
    expect(paidOut.number('roundTripLossBps')).toBe(200)
    expect(paidOut.at('notes')).toEqual([expect.stringMatching(/^Going in and out at once loses 200 bps/)])
  })

  test.each([
    [20_000n, '200', ['The preview is not kept: 5000 bps fewer shares come than it says']],
    [5_000n, '50', ['The preview is not what comes: 10000 bps more shares come than it says']],
    [0n, '0', []],
  ])('believes no preview: of %i / 10000 of the truth', async (previewBps, previewShares, notes) => {
    const vault = await oddVault()
    await vaults.setOddity(vault, { previewBps })
    const answer = await simulate(vault, '100')
    expect(answer.data).toMatchObject({ previewShares, receivedShares: '100', redeemsFor: '100', roundTripLossBps: 0 })
    expect(answer.at('notes')).toEqual(notes.map((note) => expect.stringContaining(note)))
  })

  test('counts what arrives of a token that keeps a part of each transfer', async () => {
    const vault = await vaults.oddVault('FOT')
    await vaults.deposit(vault, world.address('FOT'), parseUnits('100', 18))
    const answer = await simulate(vault, '100')
    // One percent on each way, and a vault that counts the whole of what it was sent.
    expect(answer.number('roundTripLossBps')).toBeGreaterThan(100)
    expect(answer.at('notes')).toContainEqual(expect.stringMatching(/^Going in and out at once loses \d+/))
  })

  test('shows what an inflated share takes of a deposit, and that a million virtual shares prevent it', async () => {
    const plain = await vaults.oddVault('USDC')
    const own = await vaults.agentVault('USDC')
    for (const vault of [plain, own]) {
      await vaults.deposit(vault, world.address('USDC'), 1n)
      await vaults.transfer(world.address('USDC'), vault, dollars('10000'))
    }
    const robbed = await simulate(plain, '15000')
    // Two shares and one of the vault's own stand beside the thief's: 12,500 of 15,000 come back.
    expect(robbed.data).toMatchObject({ success: true, receivedShares: '0.000002', previewShares: '0.000002' })
    expect(Number(robbed.text('redeemsFor'))).toBeCloseTo(12_500, 2)
    expect(robbed.number('roundTripLossBps')).toBeCloseTo(1666.66, 1)
    expect(robbed.at('notes')).toEqual([
      expect.stringMatching(/^Going in and out at once loses 1666/),
      expect.stringContaining('inflation attack'),
    ])
    const nothing = await simulate(plain, '5000')
    expect(nothing.data).toMatchObject({ success: true, receivedShares: '0' })
    expect(nothing.at('notes')).toContainEqual(expect.stringMatching(/^No share comes of it/))
    const safe = await simulate(own, '15000')
    expect(safe.number('roundTripLossBps')).toBeLessThan(1)
    expect(safe.at('notes')).not.toContainEqual(expect.stringContaining('loses'))
  })

  test('says of a deposit beyond the cap, or into a vault that is paused, that it fails and why', async () => {
    const vault = await vaults.agentVault('USDC', dollars('100'))
    const beyond = await simulate(vault, '100.000001')
    expect(beyond.data).toMatchObject({ success: false, maxDeposit: '100', receivedShares: null, redeemsFor: null })
    expect(beyond.at('notes')).toEqual([
      'The deposit reverted with ERC4626ExceededMaxDeposit.',
      'The vault takes at most 100 USDC from this owner now (maxDeposit).',
      expect.stringContaining('decimals'),
    ])
    expect((await simulate(vault, '100')).at('success')).toBe(true)
    await vaults.call(vault, 'function setPaused(bool isPaused)', [true])
    const paused = await simulate(vault, '1')
    expect(paused.data).toMatchObject({ success: false, maxDeposit: '0' })
    expect(paused.at('notes')).toContainEqual('The vault says that it is paused.')
  })

  test('refuses an asynchronous vault by its name, and says of one that nobody leaves what holds the shares', async () => {
    const vault = await oddVault()
    await vaults.setOddity(vault, { isClosed: true })
    const closed = await simulate(vault, '100')
    expect(closed.data).toMatchObject({
      success: true,
      receivedShares: '100',
      redeemsFor: null,
      roundTripLossBps: null,
    })
    expect(closed.at('notes')).toEqual(['The shares cannot be redeemed at once: it reverted with the text "closed".'])
    await vaults.setOddity(vault, { isAsync: true })
    const other = await openWorld(devnet())
    const refusal = await other.refuse('vault_simulate_deposit', { vault, amount: '100' })
    await other.close()
    expect(refusal).toMatchObject({ code: 'VAULT_NOT_SUPPORTED', message: expect.stringContaining('ERC-7540') })
  })

  test('borrows of a pool what the owner lacks, says so, and where no pool has it simulates nothing', async () => {
    const vault = seeded('Agent USDC vault')
    const owner = '0x00000000000000000000000000000000000000aa'
    const lent = await simulate(vault, '1000', { owner })
    expect(lent.data).toMatchObject({ success: true, balance: '0', roundTripLossBps: 0 })
    expect(lent.at('notes')).toContainEqual(
      'The owner holds 0 USDC; the rest was borrowed from a pool for the simulation.',
    )
    const asset = await vaults.token('LONELY', 18)
    const lonely = await vaults.oddVault(asset)
    const untried = await simulate(lonely, '1', { owner })
    expect(untried.data).toMatchObject({ success: null, previewShares: '1', receivedShares: null, gasEstimate: null })
    expect(untried.at('notes')).toContainEqual(expect.stringMatching(/no pool could stand in.*nothing was simulated/))
    expect((await simulate(lonely, '1', { owner: vaults.account })).at('success')).toBe(true)
  })

  test('measures through an asset that enters the vault a second time while it is paid', async () => {
    const asset = await vaults.token('ENTERS', 18)
    const vault = await vaults.oddVault(asset)
    const one = parseUnits('1', 18)
    await vaults.deposit(vault, asset, 100n * one)
    const honest = await simulate(vault, '100', { owner: vaults.account })
    expect(honest.data).toMatchObject({ receivedShares: '100', roundTripLossBps: 0 })
    // In the midst of the deposit, and before its tokens arrive, the token deposits what it was given.
    await vaults.call(asset, 'function mint(address to, uint256 value)', [asset, 50n * one])
    await vaults.call(asset, 'function approveFor(address owner, address spender, uint256 value)', [
      asset,
      vault,
      maxUint256,
    ])
    const again = encodeFunctionData({
      abi: parseAbi(['function deposit(uint256 assets, address receiver)']),
      args: [50n * one, asset],
    })
    await vaults.call(asset, 'function setHook(address hook, bytes data)', [vault, again])
    const entered = await simulate(vault, '100', { owner: vaults.account })
    expect(entered.data).toMatchObject({ success: true, receivedShares: '100' })
    expect(entered.number('roundTripLossBps')).toBe(0)
    // One that calls what fails keeps the deposit from going through, and that is what is said.
    await vaults.call(asset, 'function setHook(address hook, bytes data)', [vault, '0x00000000'])
    const broken = await simulate(vault, '100', { owner: vaults.account })
    expect(broken.data).toMatchObject({ success: false, receivedShares: null })
    expect(broken.at('notes')).toContainEqual('The deposit reverted with the text "hook".')
  })

  test('quotes what a stranger says of a refusal short and escaped', async () => {
    const vault = await oddVault()
    await vaults.setOddity(vault, { refusal: hostileName })
    const { data } = await simulate(vault, '100')
    expect(data).toMatchObject({
      success: false,
      notes: [expect.stringMatching(/^The deposit reverted with the text "/)],
    })
    expect(JSON.stringify(data)).not.toMatch(/\p{C}|\p{Zl}|\p{Zp}|\p{sc=Cyrillic}/u)
    expect((data as { readonly notes: readonly string[] }).notes[0]!.length).toBeLessThan(200)
  })

  test('takes an amount with the digits of the asset, and names what is missing where the endpoint cannot simulate', async () => {
    const vault = seeded('Agent USDC vault')
    const finer = await world.refuse('vault_simulate_deposit', { vault, amount: '0.0000001' })
    expect(finer).toMatchObject({ code: 'VALIDATION_FAILED', details: [{ field: 'amount' }] })
    const truth = world.network.fetch
    world.network.fetch = async (input, init) => {
      const body = typeof init?.body === 'string' ? init.body : ''
      if (!body.includes('eth_simulateV1')) return await truth(input, init)
      const calls = [JSON.parse(body) as { readonly id: number }].flat()
      const error = { code: -32601, message: 'the method eth_simulateV1 does not exist' }
      const answers = calls.map(({ id }) => ({ jsonrpc: '2.0', id, error }))
      return Response.json(body.startsWith('[') ? answers : answers[0])
    }
    const refusal = await world.refuse('vault_simulate_deposit', { vault, amount: '1' })
    world.network.fetch = truth
    expect(refusal).toMatchObject({
      code: 'SIMULATION_UNAVAILABLE',
      suggestion: expect.stringContaining('get_vault_info'),
    })
  })
})
