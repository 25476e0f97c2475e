import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { devAccounts } from '../accounts.ts'
import { connect } from '../chain/chain-client.ts'
import { createLayout } from './layout.ts'
import { readPool } from '../read-pool.fixture.ts'
import { useDevnet } from '../use-devnet.ts'

const devnet = useDevnet()
const client = () => connect(devnet().rpcUrl)
const layout = createLayout(devAccounts())
const readAll = async () => await Promise.all(layout.pools.map(async (pool) => await readPool(client(), layout, pool)))

test('trades are real swaps by others, the same for the same seed and state', async () => {
  const before = await readAll()
  const restore = await devnet().checkpoint()
  await devnet().trade(12, 'a')
  const first = await readAll()
  await restore()
  expect(await readAll()).toEqual(before)
  const again = await devnet().checkpoint()
  await devnet().trade(12, 'a')
  expect(await readAll()).toEqual(first)
  await again()
  await devnet().trade(12, 'b')
  expect(await readAll()).not.toEqual(first)
})

test('each trade is mined with its swap, and pools of a pair stay together', async () => {
  const start = await client().getBlockNumber()
  await devnet().trade(25, 1)
  const logs = await client().getLogs({ fromBlock: start + 1n })
  const swapTopics = new Set([
    '0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67',
    '0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822',
    '0x40e9cecb9f5f1f1c5b9c97dec2917b7ee92e57ba5563708daca94dd84ad7112f',
  ])
  const swaps = logs.filter((log) => swapTopics.has(log.topics[0] ?? ''))
  expect(swaps.length).toBeGreaterThanOrEqual(25)
  const prices = (await readAll()).slice(0, 7).map(({ price }) => price)
  expect(Math.max(...prices) / Math.min(...prices)).toBeLessThan(1.01)
})

test('trades keep to the pools that were named', async () => {
  const before = await readAll()
  await devnet().trade(5, 1, [layout.pools[1]!.id])
  const after = await readAll()
  expect(after[1]).not.toEqual(before[1])
  expect(after.filter((_, index) => index !== 1)).toEqual(before.filter((_, index) => index !== 1))
  await expect(devnet().trade(1, 1, ['0x00'])).rejects.toThrow('no pool 0x00')
})

test('a trader goes on until it is stopped, beside others who use the chain', async () => {
  const trader = devnet().startTrader({ seed: 7, intervalMs: 5 })
  const start = await client().getBlockNumber()
  while (trader.trades() < 4) {
    await devnet().fund(devnet().accounts[0]!.address, { USDC: '1' })
    await sleep(5)
  }
  await trader.stop()
  const [trades, stopped] = [trader.trades(), await client().getBlockNumber()]
  expect(stopped - start).toBeGreaterThanOrEqual(BigInt(trades * 2))
  await sleep(50)
  expect(trader.trades()).toBe(trades)
  expect(await client().getBlockNumber()).toBe(stopped)
})

test('a trader trades no more often than is said while something is done, and goes on after it', async () => {
  const trader = devnet().startTrader({ seed: 8, intervalMs: 1 })
  const traded = await trader.atMost(2, async () => {
    const before = trader.trades()
    while (trader.trades() < before + 2) await sleep(5)
    for (let calls = 0; calls < 10; calls += 1) await devnet().fund(devnet().accounts[0]!.address, { USDC: '1' })
    return trader.trades() - before
  })
  // The one that was under way when it was said may still be mined.
  expect([2, 3]).toContain(traded)
  const after = trader.trades()
  while (trader.trades() < after + 2) await sleep(5)
  await trader.stop()
})
