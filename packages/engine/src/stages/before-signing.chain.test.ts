import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openDatabase } from '../../../store/src/sqlite/sqlite-engine.ts'
import { useDevnet } from '@svc/devnet/testing'
import { encodeFunctionData, formatEther, parseAbi, parseUnits } from 'viem'
import { describe, expect, it } from 'vitest'
import type { Intent } from '@svc/amm'
import { expectRefused } from '../fixtures/expect-refused.fixture.ts'
import { swapIntent } from '../fixtures/intents.fixture.ts'
import { answering, mangling } from '../fixtures/network.fixture.ts'
import { principalOf } from '../fixtures/pipeline-facts.fixture.ts'
import { usePipelines } from '../fixtures/use-pipelines.fixture.ts'

const devnet = useDevnet()
const { open, forget } = usePipelines(devnet)

describe('what must be there before anything is signed', () => {
  it('the audit log', async () => {
    const pipeline = await open()
    await pipeline.audit.close()
    await expect(pipeline.run(swapIntent(pipeline, '1'))).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
    expect(await pipeline.nonce()).toBe(0)
    expect(await pipeline.store.ledger.open()).toEqual([])
    forget(pipeline)
    await pipeline.store.close()
  })

  it('the note of what will have to be revoked', async () => {
    const pipeline = await open()
    const beside = openDatabase(join(pipeline.dataDir, 'state.db'))
    beside.exec("create trigger full before insert on pending_revocation begin select raise(abort, 'no room'); end")
    const refused = await pipeline.run(swapIntent(pipeline, '1')).catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
    // Neither of them without the other: what is not noted is not signed into the journal, and so it is never sent.
    expect(await pipeline.store.journal.open(pipeline.chain.id, pipeline.wallet)).toEqual([])
    expect(pipeline.trace).not.toContain('rpc eth_sendRawTransaction')
    expect(await pipeline.nonce()).toBe(0)
    expect(await pipeline.store.ledger.open()).toEqual([])
    beside.exec('drop trigger full')
    beside.close()
    await pipeline.run(swapIntent(pipeline, '1'))
    expect(await pipeline.nonce()).toBe(2)
  })

  it('a simulation', async () => {
    const pipeline = await open()
    pipeline.network.fetch = answering('eth_simulateV1', { code: -32000, message: 'internal error' })
    await expectRefused(pipeline, swapIntent(pipeline, '1'), 'SIMULATION_UNAVAILABLE')
    pipeline.network.fetch = mangling('eth_simulateV1', () => [{ calls: [] }])
    await expectRefused(pipeline, swapIntent(pipeline, '1'), 'SIMULATION_UNAVAILABLE')
  })

  it('the right chain, at every write', async () => {
    const pipeline = await open()
    await pipeline.run(swapIntent(pipeline, '1'))
    pipeline.trace.length = 0
    pipeline.network.fetch = mangling('eth_chainId', () => '0x1')
    await expectRefused(pipeline, swapIntent(pipeline, '1'), 'RPC_CHAIN_MISMATCH')
  })

  it('an endpoint', async () => {
    const pipeline = await open()
    pipeline.network.fetch = () => Promise.reject(new TypeError('fetch failed'))
    await expect(pipeline.run(swapIntent(pipeline, '1'))).rejects.toMatchObject({ code: 'RPC_UNAVAILABLE' })
    expect(pipeline.trace).not.toContain('journal recordSigned')
  })

  it('native currency for gas', async () => {
    const pipeline = await open()
    const all = (await pipeline.balance('ETH')) - parseUnits('0.00001', 18)
    const data = encodeFunctionData({ abi: parseAbi(['function deposit() payable']) })
    const wrapped = pipeline.chain.wrappedNative.address
    const intent: Intent = {
      ...swapIntent(pipeline, '1'),
      calls: [{ to: wrapped, data, valueWei: all, label: 'wrap' }],
      spends: [{ token: '0x0000000000000000000000000000000000000000', amount: all }],
      receives: [{ token: wrapped, amount: all }],
      approvals: [],
    }
    await expectRefused(pipeline, intent, 'INSUFFICIENT_BALANCE')
    const more = { ...intent, calls: [{ to: wrapped, data, valueWei: all * 2n, label: 'wrap' }] }
    await expectRefused(pipeline, more, 'INSUFFICIENT_BALANCE')
    const [holds, needs] = [formatEther(await pipeline.balance('ETH')), formatEther(all * 2n)]
    await expect(pipeline.run(more)).rejects.toMatchObject({
      message: `The wallet holds ${holds} ETH where the call needs ${needs}.`,
    })
    await expect(pipeline.run(intent)).rejects.toMatchObject({
      message: expect.stringMatching(
        new RegExp(
          `^The wallet holds ${holds} ETH where the call with its gas needs [0-9.]+\\. ` +
            'Of that 0\\.[0-9]+ is the gas of a removal, kept so that the owner can leave: only what brings funds home may use it\\.$',
        ),
      ),
      details: [{ symbol: 'ETH', holds }],
    })
  })

  it('nobody who paused, at the start or while the plan was simulated', async () => {
    const pipeline = await open()
    await writeFile(join(pipeline.dataDir, 'paused'), '')
    await expectRefused(pipeline, swapIntent(pipeline, '1'), 'SERVER_PAUSED')
    expect((await pipeline.executor.safetyReport(principalOf())).paused).toBe(true)
    await rm(join(pipeline.dataDir, 'paused'))
    pipeline.network.fetch = async (input, init) => {
      if (typeof init?.body === 'string' && init.body.includes('eth_simulateV1')) {
        await writeFile(join(pipeline.dataDir, 'paused'), '')
      }
      return fetch(input, init)
    }
    await expectRefused(pipeline, swapIntent(pipeline, '1'), 'SERVER_PAUSED')
    expect(pipeline.trace.filter((line) => line.startsWith('ledger reserve'))).toEqual([])
  })

  it('nobody who paused at the last moment, after the audit line', async () => {
    const pipeline = await open()
    pipeline.hooks.afterAudit = (event) =>
      event === 'tx.intent' ? writeFile(join(pipeline.dataDir, 'paused'), '') : Promise.resolve()
    await expectRefused(pipeline, swapIntent(pipeline, '1'), 'SERVER_PAUSED')
    expect(pipeline.trace).toContain('ledger release')
  })

  it('the tokens themselves, named with what there is and what it takes', async () => {
    const pipeline = await open()
    const intent = swapIntent(pipeline, '20001')
    await expectRefused(pipeline, intent, 'INSUFFICIENT_BALANCE')
    await expect(pipeline.run(intent)).rejects.toMatchObject({
      message: 'The wallet holds 20000 USDC where the call needs 20001.',
      details: [{ token: pipeline.token('USDC'), symbol: 'USDC', holds: '20000', needs: '20001' }],
    })
  })

  it('a caller who is still there', async () => {
    const pipeline = await open()
    await expect(pipeline.run(swapIntent(pipeline, '1'), { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'CANCELLED',
    })
    const leaving = new AbortController()
    pipeline.network.fetch = async (input, init) => {
      if (typeof init?.body === 'string' && init.body.includes('eth_simulateV1')) leaving.abort()
      return fetch(input, init)
    }
    await expect(pipeline.run(swapIntent(pipeline, '1'), { signal: leaving.signal })).rejects.toMatchObject({
      code: 'CANCELLED',
    })
    expect(await pipeline.nonce()).toBe(0)
    expect(await pipeline.store.ledger.open()).toEqual([])
  })
})

describe('a caller who leaves once signing has begun', () => {
  it('has the whole of it done all the same: mined, settled, and no allowance left', async () => {
    const pipeline = await open()
    const leaving = new AbortController()
    pipeline.network.fetch = async (input, init) => {
      if (typeof init?.body === 'string' && init.body.includes('eth_sendRawTransaction')) leaving.abort()
      return fetch(input, init)
    }
    const intent = swapIntent(pipeline, '1')
    const held = await pipeline.balance('WETH')
    await pipeline.run(intent, { signal: leaving.signal })
    // The approval, during which they left, and the call behind it.
    expect([leaving.signal.aborted, await pipeline.nonce()]).toEqual([true, 2])
    expect(await pipeline.balance('WETH')).toBeGreaterThan(held)
    expect(await pipeline.store.ledger.open()).toEqual([])
    expect(await pipeline.store.journal.open(pipeline.chain.id, pipeline.wallet)).toEqual([])
    expect(await pipeline.allowance('USDC', intent.approvals[0]!.spender)).toBe(0n)
  })
})
