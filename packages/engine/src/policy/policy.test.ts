import { chmod, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { principalId } from '../../../tool-server/src/auth/credentials.ts'
import { devnetPolicy, loadPolicy, parsePolicy, usdMicros } from './policy.ts'

const address = '0xC36442b4a4522E871399CD717aBDD847Ab11FE88'

describe('the policy', () => {
  it('has the published defaults', async () => {
    expect(await loadPolicy(undefined, { production: false })).toEqual({
      version: 1,
      limitsUsd: { perTransaction: '500', perSession: '1000', daily: '2000' },
      approvalThresholdUsd: '250',
      slippageBps: { default: 50, cap: 500 },
      maxLossBps: 100,
      maxPoolDeviationBps: 200,
      maxPriceImpactBps: 300,
      maxPriceBandBps: 1_000,
      unnamedSales: 'ask',
      valueRules: { tools: {}, pools: {} },
      priceSources: {},
      deadlineSeconds: { default: 600, cap: 600 },
      allowlist: { mode: 'lenient', tokens: {} },
      contracts: {},
      twammHooks: {},
      vaults: {},
      recipients: {},
      spenders: {},
      privateSubmission: {},
      proxyDelay: false,
      delaySeconds: { routine: 0, standard: 600, elevated: 3600, critical: 86_400 },
      approvals: { channels: ['operator', 'client'], expirySeconds: 3600, maxWaiting: 20 },
      planExpirySeconds: 600,
      batchDelegate: {},
      breaker: {
        maxConsecutiveFailures: 5,
        maxFailuresInWindow: 10,
        windowMinutes: 60,
        maxBalanceDropPct: 20,
        maxSimulationDriftPct: 10,
      },
      principals: {},
      signIn: { wallets: {}, agents: {}, services: {} },
      operators: {},
      rateLimits: { unauthenticatedPerIp: 120, perIp: 1_200, perToken: 600 },
    })
  })

  it('is strict about tokens and keeps delays in production', async () => {
    const policy = await loadPolicy(undefined, { production: true })
    expect(policy.allowlist.mode).toBe('strict')
    expect(policy.proxyDelay).toBe(true)
    expect(parsePolicy({ proxyDelay: false }, { production: true }).proxyDelay).toBe(true)
    expect(parsePolicy({ allowlist: { mode: 'lenient' } }, { production: true }).allowlist.mode).toBe('lenient')
  })

  it('for the local chain asks nobody and allows 50,000, 100,000 and 250,000 dollars', () => {
    expect(parsePolicy(devnetPolicy(), { production: false })).toMatchObject({
      limitsUsd: { perTransaction: '50000', perSession: '100000', daily: '250000' },
      approvalThresholdUsd: null,
      rateLimits: { unauthenticatedPerIp: 12_000, perIp: 120_000, perToken: 60_000 },
    })
  })

  it.each([
    [{ limitsUsd: { perTransacton: '1' } }, 'limitsUsd.perTransacton'],
    [{ unknown: 1 }, 'unknown'],
    [{ principals: { local: { limitUsd: {} } } }, 'principals.local.limitUsd'],
    [{ version: 2 }, 'version'],
    [{ limitsUsd: { daily: 2000 } }, 'limitsUsd.daily'],
    [{ limitsUsd: { daily: '2e3' } }, 'limitsUsd.daily'],
    [{ limitsUsd: { daily: ' 2000' } }, 'limitsUsd.daily'],
    [{ limitsUsd: { daily: '-1' } }, 'limitsUsd.daily'],
    [{ slippageBps: { cap: 10_001 } }, 'slippageBps.cap'],
    [{ allowlist: { mode: 'off' } }, 'allowlist.mode'],
    [{ allowlist: { tokens: { base: [address] } } }, 'allowlist.tokens.base'],
    [{ contracts: { 1: [address.toLowerCase().replace('c', 'C')] } }, 'contracts.1.0'],
    [{ recipients: { 1: ['0x12'] } }, 'recipients.1.0'],
    [{ twammHooks: { 1: [{ hook: '0x12', pools: [] }] } }, 'twammHooks.1.0.hook'],
    [{ vaults: { 1: ['0x12'] } }, 'vaults.1.0'],
    [{ twammHooks: { 1: [{ hook: address, pools: ['0x12'] }] } }, 'twammHooks.1.0.pools.0'],
    [{ twammHooks: { 1: [{ hook: address }] } }, 'twammHooks.1.0.pools'],
    [{ contracts: { 1: [{ address, selectors: [] }] } }, 'contracts.1.0.selectors'],
    [{ contracts: { 1: [{ address, selectors: ['0xA9059CBB'] }] } }, 'contracts.1.0.selectors.0'],
    [{ contracts: { 1: [{ address, selector: '0xa9059cbb' }] } }, 'contracts.1.0.selectors'],
    [{ contracts: { 1: [{ address, selector: '0xa9059cbb' }] } }, 'contracts.1.0.selector'],
    [{ version: '1' }, 'version'],
    [{ version: null, unknown: 1 }, 'version'],
    [
      { principals: { local: { limitsUsd: { perTransaction: '500.01' } } } },
      'principals.local.limitsUsd.perTransaction',
    ],
    [{ principals: { local: { limitsUsd: { perSession: '1001' } } } }, 'principals.local.limitsUsd.perSession'],
    [{ principals: { local: { limitsUsd: { daily: '2001' } } } }, 'principals.local.limitsUsd.daily'],
    [{ principals: { local: { approvalThresholdUsd: '251' } } }, 'principals.local.approvalThresholdUsd'],
    [{ principals: { local: { tools: ['Execute Swap'] } } }, 'principals.local.tools.0'],
    [{ principals: { bob: {} } }, 'principals.bob'],
    [{ principals: { 'api-key:XYZ': {} } }, 'principals.api-key:XYZ'],
    [{ principals: { 'api-key:00112233445566778': {} } }, 'principals.api-key:00112233445566778'],
    [{ principals: { 'bearer:AAAAAAAAAAAAAAAA': {} } }, 'principals.bearer:AAAAAAAAAAAAAAAA'],
    [{ principals: { Local: {} } }, 'principals.Local'],
    [
      { principals: { 'siwe:0x940181a94a35a4569e4529a3cdfb74e38fd98631': {} } },
      'principals.siwe:0x940181a94a35a4569e4529a3cdfb74e38fd98631',
    ],
    [
      { principals: { 'siwe:0x940181A94a35A4569E4529A3CDfB74e38FD98631': {} } },
      'principals.siwe:0x940181A94a35A4569E4529A3CDfB74e38FD98631',
    ],
    [
      { signIn: { wallets: { '0x940181a94a35a4569e4529a3cdfb74e38fd98631': [] } } },
      'signIn.wallets.0x940181a94a35a4569e4529a3cdfb74e38fd98631',
    ],
    [{ signIn: { agents: { '8453:017': [] } } }, 'signIn.agents.8453:017'],
    [{ operators: { ada: { passkeys: [] } } }, 'operators.ada.passkeys'],
    [{ signIn: { agents: { '8453:17': ['read:market'] } } }, 'signIn.agents.8453:17.0'],
    [{ breaker: { maxConsecutiveFailures: 0 } }, 'breaker.maxConsecutiveFailures'],
    [{ limitsUsd: { perTransaction: '1001' } }, 'limitsUsd.perTransaction'],
    [{ limitsUsd: { perSession: '2001' } }, 'limitsUsd.perSession'],
    [{ slippageBps: { default: 600 } }, 'slippageBps.default'],
    [{ deadlineSeconds: { default: 601 } }, 'deadlineSeconds.default'],
    [[], ''],
    ['policy', ''],
  ])('refuses %j naming %s', (written, field) => {
    expect(() => parsePolicy(written, { production: false })).toThrow(
      expect.objectContaining({
        code: 'VALIDATION_FAILED',
        details: expect.arrayContaining([expect.objectContaining({ field })]),
      }),
    )
  })

  it('names every accepted member where one is misspelt, and the accepted version', () => {
    const refused = (written: unknown) => {
      try {
        parsePolicy(written, { production: false })
      } catch (error) {
        return error
      }
      return null
    }
    expect(refused({ limitsUsd: { perTransacton: '1' } })).toMatchObject({
      details: [
        {
          message:
            'there is no such member; did you mean perTransaction? Accepted here: perTransaction, perSession, daily',
        },
      ],
    })
    expect(refused({ principals: { bob: {} } })).toMatchObject({
      details: [
        { field: 'principals.bob', message: expect.stringMatching(/^accepted: local, or api-key: or bearer: /) },
      ],
    })
    expect(refused({ recipients: { local: [address] } })).toMatchObject({
      details: [{ field: 'recipients.local', message: expect.stringMatching(/^accepted: a chain id/) }],
    })
    expect(refused({ version: 2 })).toMatchObject({ details: [{ message: expect.stringContaining('accepted: 1') }] })
  })

  it('takes every form of id that a caller can have', () => {
    const ids = ['local', principalId('api-key', 'secret'), principalId('bearer', 'secret')]
    const written = { principals: Object.fromEntries(ids.map((id) => [id, { tools: [] }])) }
    expect(Object.keys(parsePolicy(written, { production: false }).principals)).toEqual(ids)
  })

  it('tells everything that contradicts itself at once', () => {
    const written = { limitsUsd: { perTransaction: '3000', perSession: '2500' }, slippageBps: { default: 501 } }
    expect(() => parsePolicy(written, { production: false })).toThrow(
      expect.objectContaining({
        details: ['limitsUsd.perTransaction', 'limitsUsd.perSession', 'slippageBps.default'].map((field) =>
          expect.objectContaining({ field }),
        ),
      }),
    )
  })

  it.each([
    [
      { daily: '50' },
      [
        ['perTransaction', 'is 500 (default), above limitsUsd.daily, 50: write at most 50'],
        ['perSession', 'is 1000 (default), above limitsUsd.daily, 50: write at most 50'],
      ],
    ],
    [
      { perTransaction: '1000', daily: '50' },
      [
        ['perTransaction', 'is 1000, above limitsUsd.daily, 50: write at most 50'],
        ['perSession', 'is 1000 (default), above limitsUsd.daily, 50: write at most 50'],
      ],
    ],
    [
      { perTransaction: '1500' },
      [
        [
          'perTransaction',
          'is 1500, above limitsUsd.perSession, 1000 (default): write at most 1000, or raise limitsUsd.perSession',
        ],
      ],
    ],
  ])('says of limits %j which are in the way, and what to write', (limitsUsd, problems) => {
    const details = problems.map(([name, message]) => ({ field: `limitsUsd.${name}`, message }))
    expect(() => parsePolicy({ limitsUsd }, { production: false })).toThrow(expect.objectContaining({ details }))
  })

  it('may name its schema and a lower threshold where nobody is asked otherwise', () => {
    const written = {
      $schema: './policy.schema.json',
      approvalThresholdUsd: null,
      principals: { local: { approvalThresholdUsd: '9999' } },
    }
    const policy = parsePolicy(written, { production: false })
    expect(policy).not.toHaveProperty('$schema')
    expect(policy.principals['local']?.approvalThresholdUsd).toBe('9999')
  })

  it('counts dollars in millionths', () => {
    expect(usdMicros('500')).toBe(500_000_000n)
    expect(usdMicros('0.000001')).toBe(1n)
  })
})

describe('the policy file', () => {
  const inFile = async (text: string, mode = 0o600) => {
    const path = join(await mkdtemp(join(tmpdir(), 'policy-')), 'policy.json')
    await writeFile(path, text)
    await chmod(path, mode)
    return path
  }
  const options = { production: false }

  it('overrides what it names', async () => {
    const path = await inFile(JSON.stringify({ limitsUsd: { daily: '5000.5' } }), 0o644)
    const { limitsUsd } = await loadPolicy(path, options)
    expect(limitsUsd).toEqual({ perTransaction: '500', perSession: '1000', daily: '5000.5' })
  })

  it('may be absent', async () => {
    expect((await loadPolicy('/no/such/policy.json', options)).limitsUsd.daily).toBe('2000')
  })

  it('is refused when it is not JSON, or when others may write it', async () => {
    await expect(loadPolicy(await inFile('{'), options)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' })
    const twice = await inFile('{"version":1,"approvalThresholdUsd":"250",\n"approvalThresholdUsd":null}')
    await expect(loadPolicy(twice, options)).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      message: expect.stringContaining('line 2, column 1: approvalThresholdUsd stands twice'),
    })
    await expect(loadPolicy(await inFile('{}', 0o620), options)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' })
    await expect(loadPolicy(await inFile('{}', 0o602), options)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' })
  })
})
