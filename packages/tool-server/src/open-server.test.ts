import { expect, it } from 'vitest'
import { parsePolicy } from '../../engine/src/policy/policy.ts'
import { startFacts } from './open-server.ts'
import { startLines } from './run-server.ts'

const wallet = '0x00000000000000000000000000000000000000bb'

it('tells a server in production with a policy of its own', () => {
  const limitsUsd = { perTransaction: '50', perSession: '100', daily: '200' }
  const policy = parsePolicy({ limitsUsd, approvalThresholdUsd: '20' }, { production: true })
  const facts = startFacts({ config: { production: true }, wallet, policyFile: '/data/policy.json', policy })
  expect(facts).toEqual({
    mode: 'production',
    wallet,
    policy: '/data/policy.json',
    limitsUsd: { ...limitsUsd, approvalAbove: '20' },
    allowlist: 'strict',
  })
  expect(startLines(facts)).toBe(
    'mode: production\n' +
      `wallet: ${wallet}\n` +
      'policy: /data/policy.json\n' +
      'limits: 50 USD a transaction, 100 a session, 200 a day; a person is asked above 20; allowlist strict\n',
  )
})

it('tells one in development under the defaults, without a wallet, and one that asks nobody', () => {
  const policy = parsePolicy({}, { production: false })
  const facts = startFacts({ config: { production: false }, wallet: null, policyFile: null, policy })
  expect(facts).toMatchObject({ mode: 'development', wallet: 'none', policy: 'defaults', allowlist: 'lenient' })
  expect(startLines(facts)).toMatch(/^mode: development; .*\nwallet: none, so .*\npolicy: defaults\nlimits: 500 USD/)
  const silent = { ...facts, limitsUsd: { ...facts.limitsUsd, approvalAbove: null } }
  expect(startLines(silent)).toContain('2000 a day; nobody is asked; allowlist lenient')
})
