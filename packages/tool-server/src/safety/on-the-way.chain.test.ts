import { chmod, mkdtemp, rename, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { useDevnet } from '@svc/devnet/testing'
import { createWalletClient, http, parseUnits } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { createCircuitBreaker } from './circuit-breaker.ts'
import { swapIntent } from './intents.fixture.ts'
import { pause } from './kill-switch.ts'
import { afterSending, methodsIn } from './network.fixture.ts'
import type { Road } from './open-road.fixture.ts'
import { parsePolicy } from './policy.ts'
import { openPolicySource } from './policy-source.ts'
import { used } from './road-facts.fixture.ts'
import { storeEngines } from './store-engines.fixture.ts'
import { useRoads } from './use-roads.fixture.ts'

const devnet = useDevnet()

const methodsOf = (init?: RequestInit) => methodsIn(typeof init?.body === 'string' ? init.body : '')
const later = (road: Road) => void (road.clock.offsetMs += 20_000)
const breakerOf = ({ dataDir }: Road) =>
  createCircuitBreaker({ dataDir, limits: () => parsePolicy({}, { production: false }).breaker, now: Date.now })

/** The approval and its end, not the swap; and nothing of the limits stays taken. */
async function expectUnspent(road: Road): Promise<void> {
  expect(await road.nonce()).toBe(2)
  expect(await road.balance('USDC')).toBe(parseUnits('20000', 6))
  expect(await road.allowance('USDC', road.chain.amm.v3!.swapRouter02)).toBe(0n)
  expect(await used(road)).toBe(0n)
}

describe.each(storeEngines)('on $engine', ({ usePlaces }) => {
  const { open } = useRoads(devnet, usePlaces())

  describe('G9: a breaker that opens while a call is on its way', () => {
    it('lets nothing more be signed, though it opens after the last look and while the rest is played again', async () => {
      const road = await open()
      let [simulated, sent] = [0, 0]
      road.network.fetch = async (input, init) => {
        if (methodsOf(init).includes('eth_simulateV1') && ++simulated === 2) await breakerOf(road).trip('a drop')
        const response = await fetch(input, init)
        if (methodsOf(init).includes('eth_sendRawTransaction') && ++sent === 1) later(road)
        return response
      }
      await expect(road.run(swapIntent(road, '100'))).rejects.toMatchObject({ code: 'CIRCUIT_BREAKER_OPEN' })
      expect(simulated).toBe(2)
      await expectUnspent(road)
    })
  })

  describe('G9: a breaker that opens between two signatures', () => {
    it.each(['failures', 'drift'] as const)('stops what is no way home before its next line: %s', async (openedBy) => {
      const road = await open()
      afterSending(road, 1, async () => void (await breakerOf(road).trip('a drop', openedBy)))
      await expect(road.run(swapIntent(road, '100'))).rejects.toMatchObject({ code: 'CIRCUIT_BREAKER_OPEN' })
      const labels = (await road.auditLines()).flatMap(({ event, transaction }) =>
        event === 'tx.intent' ? [Object(transaction).kind] : [],
      )
      expect(labels).toEqual(['approve', 'revoke'])
      await expectUnspent(road)
    })
  })

  describe('G9: a breaker that opens when everything is asked and the line before the signature is written', () => {
    it.each(['failures', 'drift'] as const)('lets nothing be signed that is no way home: %s', async (openedBy) => {
      const road = await open()
      let intents = 0
      road.hooks.afterAudit = async (event) => {
        if (event === 'tx.intent' && ++intents === 2) await breakerOf(road).trip('a drop', openedBy)
      }
      await expect(road.run(swapIntent(road, '100'))).rejects.toMatchObject({ code: 'CIRCUIT_BREAKER_OPEN' })
      await expectUnspent(road)
    })
  })

  describe('G12: a pause while the sender waits for its endpoint', () => {
    it('lets nothing be signed: the switch is looked up after the last wait', async () => {
      const road = await open()
      // The chain counts one more than the journal, so the sender reads the count again, and alone.
      const account = privateKeyToAccount(road.privateKey)
      const elsewhere = createWalletClient({ account, transport: http(road.devnet.rpcUrl) })
      await elsewhere.sendTransaction({ chain: null, to: account.address, value: 1n })
      let isPaused = false
      road.network.fetch = async (input, init) => {
        const methods = methodsOf(init)
        if (!isPaused && methods.includes('eth_getTransactionCount') && !methods.includes('eth_getBalance')) {
          isPaused = true
          await pause(road.dataDir, { by: 'operator:ada', at: new Date().toISOString(), reason: null })
        }
        return fetch(input, init)
      }
      await expect(road.run(swapIntent(road, '100'), { requestId: 'paused' })).rejects.toMatchObject({
        code: 'SERVER_PAUSED',
      })
      expect(isPaused).toBe(true)
      expect(await road.store.journal.byRequest('paused')).toEqual([])
      expect(await road.store.ledger.open()).toEqual([])
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
        const road = await open({ engine: { policy: policies.started, policies } })
        afterSending(road, 1, async () => {
          await write(next === null ? '{"limitsUsd":' : JSON.stringify(next))
          if (!isFresh) later(road)
        })
        await expect(road.run(swapIntent(road, '100'))).rejects.toMatchObject({ code })
        await expectUnspent(road)
      }
    })
  })

  describe('a reservation that the sweep finds without a signature', () => {
    it('is left to the chain it is for: it may be that of a write that has just begun', async () => {
      const road = await open()
      const limits = { perTransaction: 9n, perSession: 9n, daily: 9n }
      const asked = {
        principal: 'api-key:7e57000000000000',
        chainId: 1,
        amountUsdMicros: 5n,
        limits,
        sessionIdleMs: 1_000,
      }
      await road.store.ledger.reserve({ ...asked, id: 'r', requestId: 'begins' })
      await road.executor.reconcile()
      expect(await road.store.ledger.open()).toMatchObject([{ id: 'r' }])
    })
  })

  describe('a price that rises while a call is on its way', () => {
    it('over the threshold above which a person must say yes: refused, and nothing is stored to wait', async () => {
      const usd: Record<string, number | null> = {}
      const limits = { perTransaction: '1000', perSession: '1000', daily: '1000' }
      const road = await open({ usd, policy: { limitsUsd: limits, approvalThresholdUsd: '400' } })
      afterSending(road, 1, () => {
        later(road)
        Object.assign(usd, { USDC: 1.5, WETH: 4_500 })
        return Promise.resolve()
      })
      await expect(road.run(swapIntent(road, '300'))).rejects.toMatchObject({
        code: 'APPROVAL_REQUIRED',
        details: [{ thresholdUsd: '400', askedUsd: '450' }, { txHash: expect.any(String) }],
      })
      expect((await road.auditLines()).map(({ event }) => event)).not.toContain('tx.approval.requested')
      await expectUnspent(road)
    })
  })
})
