import { chmod, mkdtemp, rename, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { useDevnet } from '@svc/devnet/testing'
import { createWalletClient, http, parseUnits } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { createCircuitBreaker } from '../switches/circuit-breaker.ts'
import { swapIntent } from '../fixtures/intents.fixture.ts'
import { pause } from '../switches/kill-switch.ts'
import { afterSending, methodsIn } from '../fixtures/network.fixture.ts'
import type { Pipeline } from '../fixtures/open-pipeline.fixture.ts'
import { parsePolicy } from '../policy/policy.ts'
import { openPolicySource } from '../policy/policy-source.ts'
import { used } from '../fixtures/pipeline-facts.fixture.ts'
import { storeEngines } from '../fixtures/store-engines.fixture.ts'
import { usePipelines } from '../fixtures/use-pipelines.fixture.ts'

const devnet = useDevnet()

const methodsOf = (init?: RequestInit) => methodsIn(typeof init?.body === 'string' ? init.body : '')
const later = (pipeline: Pipeline) => void (pipeline.clock.offsetMs += 20_000)
const breakerOf = ({ dataDir }: Pipeline) =>
  createCircuitBreaker({ dataDir, limits: () => parsePolicy({}, { production: false }).breaker, now: Date.now })

/** The approval and its end, not the swap; and nothing of the limits stays taken. */
async function expectUnspent(pipeline: Pipeline): Promise<void> {
  expect(await pipeline.nonce()).toBe(2)
  expect(await pipeline.balance('USDC')).toBe(parseUnits('20000', 6))
  expect(await pipeline.allowance('USDC', pipeline.chain.amm.v3!.swapRouter02)).toBe(0n)
  expect(await used(pipeline)).toBe(0n)
}

describe.each(storeEngines)('on $engine', ({ usePlaces }) => {
  const { open } = usePipelines(devnet, usePlaces())

  describe('G9: a breaker that opens while a call is on its way', () => {
    it('lets nothing more be signed, though it opens after the last look and while the rest is played again', async () => {
      const pipeline = await open()
      let [simulated, sent] = [0, 0]
      pipeline.network.fetch = async (input, init) => {
        if (methodsOf(init).includes('eth_simulateV1') && ++simulated === 2) await breakerOf(pipeline).trip('a drop')
        const response = await fetch(input, init)
        if (methodsOf(init).includes('eth_sendRawTransaction') && ++sent === 1) later(pipeline)
        return response
      }
      await expect(pipeline.run(swapIntent(pipeline, '100'))).rejects.toMatchObject({ code: 'CIRCUIT_BREAKER_OPEN' })
      expect(simulated).toBe(2)
      await expectUnspent(pipeline)
    })
  })

  describe('G9: a breaker that opens between two signatures', () => {
    it.each(['failures', 'drift'] as const)('stops what is no way home before its next line: %s', async (openedBy) => {
      const pipeline = await open()
      afterSending(pipeline, 1, async () => void (await breakerOf(pipeline).trip('a drop', openedBy)))
      await expect(pipeline.run(swapIntent(pipeline, '100'))).rejects.toMatchObject({ code: 'CIRCUIT_BREAKER_OPEN' })
      const labels = (await pipeline.auditLines()).flatMap(({ event, transaction }) =>
        event === 'tx.intent' ? [Object(transaction).kind] : [],
      )
      expect(labels).toEqual(['approve', 'revoke'])
      await expectUnspent(pipeline)
    })
  })

  describe('G9: a breaker that opens when everything is asked and the line before the signature is written', () => {
    it.each(['failures', 'drift'] as const)('lets nothing be signed that is no way home: %s', async (openedBy) => {
      const pipeline = await open()
      let intents = 0
      pipeline.hooks.afterAudit = async (event) => {
        if (event === 'tx.intent' && ++intents === 2) await breakerOf(pipeline).trip('a drop', openedBy)
      }
      await expect(pipeline.run(swapIntent(pipeline, '100'))).rejects.toMatchObject({ code: 'CIRCUIT_BREAKER_OPEN' })
      await expectUnspent(pipeline)
    })
  })

  describe('G12: a pause while the sender waits for its endpoint', () => {
    it('lets nothing be signed: the switch is looked up after the last wait', async () => {
      const pipeline = await open()
      // The chain counts one more than the journal, so the sender reads the count again, and alone.
      const account = privateKeyToAccount(pipeline.privateKey)
      const elsewhere = createWalletClient({ account, transport: http(pipeline.devnet.rpcUrl) })
      await elsewhere.sendTransaction({ chain: null, to: account.address, value: 1n })
      let isPaused = false
      pipeline.network.fetch = async (input, init) => {
        const methods = methodsOf(init)
        if (!isPaused && methods.includes('eth_getTransactionCount') && !methods.includes('eth_getBalance')) {
          isPaused = true
          await pause(pipeline, { by: 'operator:ada', at: new Date().toISOString(), reason: null })
        }
        return fetch(input, init)
      }
      await expect(pipeline.run(swapIntent(pipeline, '100'), { requestId: 'paused' })).rejects.toMatchObject({
        code: 'SERVER_PAUSED',
      })
      expect(isPaused).toBe(true)
      expect(await pipeline.store.journal.byRequest('paused')).toEqual([])
      expect(await pipeline.store.ledger.open()).toEqual([])
    })
  })

  describe('a policy that is tightened while a call is on its way', () => {
    const limitsUsd = { perTransaction: '200' }

    it.each([
      ['limit of one transaction', { limitsUsd: { perTransaction: '1' } }, 'SPENDING_LIMIT_EXCEEDED'],
      [
        'limit of a day',
        { limitsUsd: { perTransaction: '50', perSession: '50', daily: '50' } },
        'SPENDING_LIMIT_EXCEEDED',
      ],
      ['gas of a day', { limitsUsd, maxDailyGasUsd: '0.000001' }, 'SPENDING_LIMIT_EXCEEDED'],
      [
        'list of tools',
        { limitsUsd, principals: { 'api-key:7e57000000000000': { tools: ['add_liquidity'] } } },
        'PRINCIPAL_NOT_GRANTED',
      ],
      ['cap of slippage', { limitsUsd, slippageBps: { default: 10, cap: 20 } }, 'SLIPPAGE_TOO_HIGH'],
      ['threshold for a person', { limitsUsd, approvalThresholdUsd: '50' }, 'APPROVAL_REQUIRED'],
      ['delay of its tier', { limitsUsd, proxyDelay: true, delaySeconds: { routine: 600 } }, 'DELAY_REQUIRED'],
      ['file, which cannot be read any more', null, 'POLICY_INVALID'],
    ])('holds for its next signature: the %s, whether the simulation is fresh or not', async (_what, next, code) => {
      for (const isFresh of [true, false]) {
        const path = join(await mkdtemp(join(tmpdir(), 'policy-file-')), 'policy.json')
        const write = async (text: string) => {
          await writeFile(`${path}.new`, text)
          await chmod(`${path}.new`, 0o600)
          await rename(`${path}.new`, path)
        }
        await write(JSON.stringify({ limitsUsd }))
        const policies = await openPolicySource(path, { production: false })
        const pipeline = await open({ engine: { policy: policies.started, policies } })
        afterSending(pipeline, 1, async () => {
          await write(next === null ? '{"limitsUsd":' : JSON.stringify(next))
          if (!isFresh) later(pipeline)
        })
        await expect(pipeline.run(swapIntent(pipeline, '100'))).rejects.toMatchObject({ code })
        await expectUnspent(pipeline)
      }
    })
  })

  describe('a reservation that the sweep finds without a signature', () => {
    it('is left to the chain it is for: it may be that of a write that has just begun', async () => {
      const pipeline = await open()
      const limits = { perTransaction: 9n, perSession: 9n, daily: 9n }
      const asked = {
        principal: 'api-key:7e57000000000000',
        chainId: 1,
        amountUsdMicros: 5n,
        limits,
        sessionIdleMs: 1_000,
      }
      await pipeline.store.ledger.reserve({ ...asked, id: 'r', requestId: 'begins' })
      await pipeline.executor.reconcile()
      expect(await pipeline.store.ledger.open()).toMatchObject([{ id: 'r' }])
    })
  })

  describe('a price that rises while a call is on its way', () => {
    it('over the threshold above which a person must say yes: refused, and nothing is stored to wait', async () => {
      const usd: Record<string, number | null> = {}
      const limits = { perTransaction: '1000', perSession: '1000', daily: '1000' }
      const pipeline = await open({ usd, policy: { limitsUsd: limits, approvalThresholdUsd: '400' } })
      afterSending(pipeline, 1, () => {
        later(pipeline)
        Object.assign(usd, { USDC: 1.5, WETH: 4_500 })
        return Promise.resolve()
      })
      await expect(pipeline.run(swapIntent(pipeline, '300'))).rejects.toMatchObject({
        code: 'APPROVAL_REQUIRED',
        details: [
          { thresholdUsd: '400', askedUsd: '450' },
          { txHash: expect.any(String) },
          { message: 'take back an allowance' },
        ],
      })
      expect((await pipeline.auditLines()).map(({ event }) => event)).not.toContain('tx.approval.requested')
      await expectUnspent(pipeline)
    })
  })
})
