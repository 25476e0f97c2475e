import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { useDevnet } from '@svc/devnet/testing'
import { encodeFunctionData, formatEther, parseAbi, parseUnits } from 'viem'
import { describe, expect, it } from 'vitest'
import type { Intent } from '../intent.ts'
import { expectRefused } from './expect-refused.fixture.ts'
import { swapIntent } from './intents.fixture.ts'
import { answering, mangling } from './network.fixture.ts'
import { principalOf } from './road-facts.fixture.ts'
import { useRoads } from './use-roads.fixture.ts'

const devnet = useDevnet()
const { open, forget } = useRoads(devnet)

describe('what must be there before anything is signed', () => {
  it('the audit log', async () => {
    const road = await open()
    await road.audit.close()
    await expect(road.run(swapIntent(road, '1'))).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
    expect(await road.nonce()).toBe(0)
    expect(await road.store.ledger.open()).toEqual([])
    forget(road)
    await road.store.close()
  })

  it('a simulation', async () => {
    const road = await open()
    road.network.fetch = answering('eth_simulateV1', { code: -32000, message: 'internal error' })
    await expectRefused(road, swapIntent(road, '1'), 'SIMULATION_UNAVAILABLE')
    road.network.fetch = mangling('eth_simulateV1', () => [{ calls: [] }])
    await expectRefused(road, swapIntent(road, '1'), 'SIMULATION_UNAVAILABLE')
  })

  it('the right chain, at every write', async () => {
    const road = await open()
    await road.run(swapIntent(road, '1'))
    road.trace.length = 0
    road.network.fetch = mangling('eth_chainId', () => '0x1')
    await expectRefused(road, swapIntent(road, '1'), 'RPC_CHAIN_MISMATCH')
  })

  it('an endpoint', async () => {
    const road = await open()
    road.network.fetch = () => Promise.reject(new TypeError('fetch failed'))
    await expect(road.run(swapIntent(road, '1'))).rejects.toMatchObject({ code: 'RPC_UNAVAILABLE' })
    expect(road.trace).not.toContain('journal recordSigned')
  })

  it('native currency for gas', async () => {
    const road = await open()
    const all = (await road.balance('ETH')) - parseUnits('0.00001', 18)
    const data = encodeFunctionData({ abi: parseAbi(['function deposit() payable']) })
    const wrapped = road.chain.wrappedNative.address
    const intent: Intent = {
      ...swapIntent(road, '1'),
      calls: [{ to: wrapped, data, valueWei: all, label: 'wrap' }],
      spends: [{ token: '0x0000000000000000000000000000000000000000', amount: all }],
      receives: [{ token: wrapped, amount: all }],
      approvals: [],
    }
    await expectRefused(road, intent, 'INSUFFICIENT_BALANCE')
    const more = { ...intent, calls: [{ to: wrapped, data, valueWei: all * 2n, label: 'wrap' }] }
    await expectRefused(road, more, 'INSUFFICIENT_BALANCE')
    const [holds, needs] = [formatEther(await road.balance('ETH')), formatEther(all * 2n)]
    await expect(road.run(more)).rejects.toMatchObject({
      message: `The wallet holds ${holds} ETH where the call needs ${needs}.`,
    })
    await expect(road.run(intent)).rejects.toMatchObject({
      message: expect.stringMatching(
        new RegExp(`^The wallet holds ${holds} ETH where the call with its gas needs [0-9.]+\\.$`),
      ),
      details: [{ symbol: 'ETH', holds }],
    })
  })

  it('nobody who paused, at the start or while the plan was simulated', async () => {
    const road = await open()
    await writeFile(join(road.dataDir, 'paused'), '')
    await expectRefused(road, swapIntent(road, '1'), 'SERVER_PAUSED')
    expect((await road.executor.safetyReport(principalOf())).paused).toBe(true)
    await rm(join(road.dataDir, 'paused'))
    road.network.fetch = async (input, init) => {
      if (typeof init?.body === 'string' && init.body.includes('eth_simulateV1')) {
        await writeFile(join(road.dataDir, 'paused'), '')
      }
      return fetch(input, init)
    }
    await expectRefused(road, swapIntent(road, '1'), 'SERVER_PAUSED')
    expect(road.trace.filter((line) => line.startsWith('ledger reserve'))).toEqual([])
  })

  it('nobody who paused at the last moment, after the audit line', async () => {
    const road = await open()
    road.hooks.afterAudit = (event) =>
      event === 'tx.intent' ? writeFile(join(road.dataDir, 'paused'), '') : Promise.resolve()
    await expectRefused(road, swapIntent(road, '1'), 'SERVER_PAUSED')
    expect(road.trace).toContain('ledger release')
  })

  it('the tokens themselves, named with what there is and what it takes', async () => {
    const road = await open()
    const intent = swapIntent(road, '20001')
    await expectRefused(road, intent, 'INSUFFICIENT_BALANCE')
    await expect(road.run(intent)).rejects.toMatchObject({
      message: 'The wallet holds 20000 USDC where the call needs 20001.',
      details: [{ token: road.token('USDC'), symbol: 'USDC', holds: '20000', needs: '20001' }],
    })
  })

  it('a caller who is still there', async () => {
    const road = await open()
    await expect(road.run(swapIntent(road, '1'), { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'CANCELLED',
    })
    const leaving = new AbortController()
    road.network.fetch = async (input, init) => {
      if (typeof init?.body === 'string' && init.body.includes('eth_simulateV1')) leaving.abort()
      return fetch(input, init)
    }
    await expect(road.run(swapIntent(road, '1'), { signal: leaving.signal })).rejects.toMatchObject({
      code: 'CANCELLED',
    })
    expect(await road.nonce()).toBe(0)
    expect(await road.store.ledger.open()).toEqual([])
  })
})
