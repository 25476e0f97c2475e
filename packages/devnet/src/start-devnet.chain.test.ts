import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { erc20Abi, parseEther, parseUnits } from 'viem'
import { expect, test } from 'vitest'
import { devAccounts } from './accounts.ts'
import { connect } from './chain/chain-client.ts'
import { createLayout } from './seed/layout.ts'
import { readPool } from './read-pool.fixture.ts'
import { startDevnet } from './start-devnet.ts'
import { useDevnet } from './use-devnet.ts'

const devnet = useDevnet()
const client = () => connect(devnet().rpcUrl)
const layout = createLayout(devAccounts())

test('fund adds to what an address holds', async () => {
  const address = '0x00000000000000000000000000000000000A11cE'
  await devnet().fund(address, { ETH: '1.5', USDC: '10.25', WETH: '2' })
  await devnet().fund(address, { ETH: '0.5', WBTC: '0.00000001' })
  const balanceOf = async (symbol: string) =>
    await client().readContract({
      address: token(symbol).address,
      abi: erc20Abi,
      functionName: 'balanceOf',
      args: [address],
    })
  const token = (symbol: string) => devnet().tokens.find((each) => each.symbol === symbol)!
  expect(await client().getBalance({ address })).toBe(parseEther('2'))
  expect(await balanceOf('USDC')).toBe(parseUnits('10.25', 6))
  expect(await balanceOf('WETH')).toBe(parseEther('2'))
  expect(await balanceOf('WBTC')).toBe(1n)
})

test('fund refuses what it does not know', async () => {
  const unknown: Readonly<Record<string, string>> = { DOGE: '1' }
  await expect(devnet().fund(devnet().accounts[0]!.address, unknown)).rejects.toThrow('no token DOGE')
})

test('gives new blocks the present time, also after a jump or a long pause was taken back', async () => {
  const now = () => Math.floor(Date.now() / 1_000)
  const age = async () => now() - Number((await client().getBlock()).timestamp)
  expect(Math.abs(await age())).toBeLessThan(60)
  const restore = await devnet().checkpoint()
  await devnet().mineTo(now() + 10_000)
  expect(await age()).toBeLessThan(-9_000)
  await sleep(4_000)
  const before = now()
  await restore()
  await devnet().fund(devnet().accounts[0]!.address, { USDC: '1' })
  const { timestamp } = await client().getBlock()
  // The clock is put to the time at which this was asked for, and goes on from there.
  expect(Number(timestamp)).toBeGreaterThan(before - 3)
  expect(Number(timestamp)).toBeLessThan(now() + 3)
})

test('loads under another chain id and leaves no process when stopped', async () => {
  const other = await startDevnet({ history: false, chainId: 8_453 })
  try {
    expect(other.chain).toMatchObject({ id: 8_453, local: true, sponsored: true })
    expect(devnet().chain).not.toHaveProperty('sponsored')
    expect(await connect(other.rpcUrl).getChainId()).toBe(8_453)
    expect((await readPool(connect(other.rpcUrl), layout, layout.pools[0]!)).price).toBeCloseTo(3_000, 0)
    expect(isRunning(other.pid)).toBe(true)
  } finally {
    await other.stop()
  }
  expect(isRunning(other.pid)).toBe(false)
})

/** A zombie has ended; only its parent has not noticed. */
function isRunning(pid: number): boolean {
  try {
    const state = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]
    return state !== undefined && !state.startsWith('Z')
  } catch {
    return false
  }
}
