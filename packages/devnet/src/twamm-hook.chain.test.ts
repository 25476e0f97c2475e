import { encodeFunctionData, erc20Abi, getAbiItem, type Hex } from 'viem'
import { expect, test } from 'vitest'
import { devAccounts } from './accounts.ts'
import { awaitReceipt, connect } from './chain/chain-client.ts'
import { twammHook } from './contracts.gen.ts'
import { openWallet } from './open-wallet.fixture.ts'
import { poolKey } from './seed/pool-calls.ts'
import { createLayout } from './seed/layout.ts'
import { useDevnet } from './use-devnet.ts'

const devnet = useDevnet()
const client = () => connect(devnet().rpcUrl)
const layout = createLayout(devAccounts())
const key = poolKey(layout.twamm.pool)
const hook = { address: layout.twamm.hook, abi: twammHook.abi } as const
const { WETH, USDC } = layout.tokens
const sellsWeth = WETH === key.currency0

/** Two people's accounts, by their place among the test accounts. */
async function send(account: number, to: `0x${string}`, data: Hex): Promise<void> {
  const wallet = openWallet(devnet(), devnet().accounts[account]!.privateKey)
  // In each new second the hook has more to do than an estimate saw.
  const receipt = await awaitReceipt(client(), await wallet.sendTransaction({ to, data, gas: 5_000_000n }))
  expect(receipt.status).toBe('success')
}

async function submit(account: number, zeroForOne: boolean, amount: bigint, expiration: bigint) {
  const owner = devnet().accounts[account]!.address
  const approve = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [hook.address, amount] })
  await send(account, zeroForOne ? key.currency0 : key.currency1, approve)
  const args = [key, { owner, expiration, zeroForOne }, amount] as const
  await send(account, hook.address, encodeFunctionData({ abi: hook.abi, functionName: 'submitOrder', args }))
}

async function owed(account: number, zeroForOne: boolean, expiration: bigint) {
  const { address: owner } = devnet().accounts[account]!
  const args = [key, { owner, expiration, zeroForOne }, 0n] as const
  return (await client().simulateContract({ ...hook, functionName: 'updateOrder', args, account: owner })).result
}

const wethOf = ([owed0, owed1]: readonly [bigint, bigint]) => (sellsWeth ? owed0 : owed1)
const usdcOf = ([owed0, owed1]: readonly [bigint, bigint]) => (sellsWeth ? owed1 : owed0)

async function hourFromNow(hours: number): Promise<bigint> {
  const { timestamp } = await client().getBlock()
  return (timestamp / 3_600n + BigInt(hours)) * 3_600n
}

test("from the start on a stranger's order sells over a day", async () => {
  const event = getAbiItem({ abi: hook.abi, name: 'SubmitOrder' })
  const [order, ...others] = await client().getLogs({ address: hook.address, event, fromBlock: 0n, strict: true })
  expect(others).toEqual([])
  const { timestamp } = await client().getBlock({ blockNumber: order!.blockNumber })
  const seconds = order!.args.expiration - timestamp
  expect([seconds >= 24n * 3_600n, seconds <= 25n * 3_600n]).toEqual([true, true])
  expect([order!.args.zeroForOne, order!.args.poolId]).toEqual([sellsWeth, layout.twamm.pool.id])
  await devnet().mineTo(Number(timestamp) + 6 * 3_600)
  const { owner, expiration, zeroForOne } = order!.args
  const args = [key, { owner, expiration, zeroForOne }, 0n] as const
  const { result } = await client().simulateContract({ ...hook, functionName: 'updateOrder', args, account: owner })
  // A quarter of 24,000 dollars, less the pool's 0.3 % and what selling into it takes.
  expect(Number(usdcOf(result)) / 1e6).toBeGreaterThan(5_600)
  expect(Number(usdcOf(result)) / 1e6).toBeLessThan(6_000)
})

test('orders of both directions cross at the price of the pool and pay no fee on what crosses', async () => {
  const expiration = await hourFromNow(3)
  await submit(0, !sellsWeth, 9_000n * 10n ** 6n, expiration)
  await submit(1, sellsWeth, 3n * 10n ** 18n, expiration)
  await devnet().mineTo(Number(expiration) + 600)
  const [buyer, seller] = await Promise.all([owed(0, !sellsWeth, expiration), owed(1, sellsWeth, expiration)])
  const usd = devnet().market.prices().WETH
  // Both within a thousandth of the market: one that was swapped would miss 0.3 % and more.
  expect(Math.abs(Number(wethOf(buyer)) / 1e18 / (9_000 / usd) - 1)).toBeLessThan(0.001)
  expect(Number(usdcOf(seller)) / 1e6 / (3 * usd)).toBeGreaterThan(0.997)
})

test('the hook holds what it owes: an order that ran, one that was cancelled, and one that others outlived', async () => {
  const expiration = await hourFromNow(2)
  await submit(0, sellsWeth, 2n * 10n ** 18n, expiration)
  await submit(1, !sellsWeth, 5_000n * 10n ** 6n, await hourFromNow(4))
  const start = (await client().getBlock()).timestamp
  await devnet().mineTo(Number(expiration))
  const ended = await owed(0, sellsWeth, expiration)
  await devnet().mineTo(Number(expiration) + 3_600)
  // What another one goes on to earn is none of its own.
  expect(await owed(0, sellsWeth, expiration)).toEqual(ended)
  const update = (account: number, zeroForOne: boolean, until: bigint, delta: bigint) => {
    const { address: owner } = devnet().accounts[account]!
    const args = [key, { owner, expiration: until, zeroForOne }, delta] as const
    return send(account, hook.address, encodeFunctionData({ abi: hook.abi, functionName: 'updateOrder', args }))
  }
  const until = (start / 3_600n + 4n) * 3_600n
  await update(0, sellsWeth, expiration, 0n)
  await update(1, !sellsWeth, until, -1n)
  for (const account of [0, 1]) {
    for (const token of [WETH, USDC]) {
      const { address } = devnet().accounts[account]!
      const balance = () =>
        client().readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [address] })
      const waits = await client().readContract({ ...hook, functionName: 'tokensOwed', args: [token, address] })
      const before = await balance()
      const args = [token, address, 0n] as const
      await send(account, hook.address, encodeFunctionData({ abi: hook.abi, functionName: 'claimTokens', args }))
      expect((await balance()) - before).toBe(waits)
      expect(waits > 0n).toBe(account === 1 || token === USDC)
    }
  }
})

test('an order is its of its owner alone, ends with an hour, and is not placed twice', async () => {
  const [{ address: owner }, { address: stranger }] = [devnet().accounts[0]!, devnet().accounts[1]!]
  const expiration = await hourFromNow(2)
  const ask = (account: `0x${string}`, until: bigint, amount: bigint) =>
    client().simulateContract({
      ...hook,
      functionName: 'submitOrder',
      args: [key, { owner, expiration: until, zeroForOne: sellsWeth }, amount],
      account,
    })
  await expect(ask(stranger, expiration, 10n ** 18n)).rejects.toThrow('MustBeOwner')
  await expect(ask(owner, expiration + 1n, 10n ** 18n)).rejects.toThrow('ExpirationNotOnInterval')
  await expect(ask(owner, expiration - 7_200n, 10n ** 18n)).rejects.toThrow('ExpirationLessThanBlocktime')
  await expect(ask(owner, expiration, 100n)).rejects.toThrow('SellRateCannotBeZero')
  await submit(0, sellsWeth, 10n ** 18n, expiration)
  await expect(ask(owner, expiration, 10n ** 18n)).rejects.toThrow('OrderAlreadyExists')
  const update = (account: `0x${string}`, delta: bigint) =>
    client().simulateContract({
      ...hook,
      functionName: 'updateOrder',
      args: [key, { owner, expiration, zeroForOne: sellsWeth }, delta],
      account,
    })
  await expect(update(stranger, -1n)).rejects.toThrow('MustBeOwner')
  await expect(update(owner, 5n)).rejects.toThrow('InvalidAmountDelta')
  await devnet().mineTo(Number(expiration))
  await expect(update(owner, -1n)).rejects.toThrow('CannotModifyCompletedOrder')
})
