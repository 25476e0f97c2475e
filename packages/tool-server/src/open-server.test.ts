import { expect, it } from 'vitest'
import { parsePolicy } from '../../engine/src/policy/policy.ts'
import { startFacts } from './open-server.ts'
import { pauseLine, startLines, stoppedLine, stoppingLine } from './run-server.ts'

const wallet = '0x00000000000000000000000000000000000000bb'

it('tells a server in production with a policy of its own', () => {
  const limitsUsd = { perTransaction: '50', perSession: '100', daily: '200' }
  const policy = parsePolicy({ limitsUsd, approvalThresholdUsd: '20' }, { production: true })
  const facts = startFacts({
    config: { production: true },
    wallet,
    policyFile: '/data/policy.json',
    policy,
    pause: null,
    role: null,
  })
  expect(facts).toEqual({
    mode: 'production',
    wallet,
    policy: '/data/policy.json',
    limitsUsd: { ...limitsUsd, approvalAbove: '20' },
    mostLostUsd: { trades: '4', gas: '4', homeGas: '12', total: '20', lastHomeGas: '50' },
    allowlist: 'strict',
    pause: null,
  })
  expect(startLines(facts)).toBe(
    'mode: production\n' +
      `wallet: ${wallet}\n` +
      'policy: /data/policy.json\n' +
      'limits: 50 USD a transaction, 100 a session, 200 a day; a person is asked above 20; allowlist strict\n' +
      'lost at most in any 24 hours: 20 USD (4 in trades worse than trusted prices, 4 of gas, 12 of gas of bringing funds home), ' +
      'beside what the market does; docs/policy.md says what else is not in it\n',
  )
})

it('tells one in development under the defaults, without a wallet, and one that asks nobody', () => {
  const policy = parsePolicy({}, { production: false })
  const facts = startFacts({
    config: { production: false },
    wallet: null,
    policyFile: null,
    policy,
    pause: null,
    role: null,
  })
  expect(facts).toMatchObject({ mode: 'development', wallet: 'none', policy: 'defaults', allowlist: 'lenient' })
  expect(startLines(facts)).toMatch(/^mode: development; .*\nwallet: none, so .*\npolicy: defaults\nlimits: 500 USD/)
  const silent = { ...facts, limitsUsd: { ...facts.limitsUsd, approvalAbove: null } }
  expect(startLines(silent)).toContain('2000 a day; no amount needs a person; allowlist lenient')
  expect(startLines({ ...facts, role: 'leader', leader: 'us' })).not.toContain('role:')
  expect(startLines({ ...facts, role: 'follower', leader: 'process 1 on a\u202e' })).toContain(
    'role: follower of process 1 on a\\u202e: answers reads, and writes once that one has ended\n',
  )
})

it('says of a pause that stands what its file says, and nothing where there is none', () => {
  const directory = { dataDir: '/data' }
  expect(pauseLine({ pause: null }, directory)).toBe('')
  const since = '2026-01-31T08:00:00.000Z'
  expect(pauseLine({ pause: { since, by: null, reason: null } }, directory)).toBe(
    `signing: PAUSED since ${since}. Go on with: svc resume --data-dir /data\n`,
  )
  expect(pauseLine({ pause: { since, by: 'operator:ada', reason: 'odd \u202e' } }, directory)).toContain(
    'by operator:ada, because "odd \\u202e". Go on',
  )
})

it('who ends a server reads how many writes it waits for, and afterwards what is kept', () => {
  expect(stoppingLine(0, 10)).toBe('Stopping. No write is on its way.\n')
  expect(stoppingLine(1, 10)).toMatch(/^Stopping\. One write .* waited for, at most 10 s; nothing more is signed\. /)
  expect(stoppingLine(3, 2)).toMatch(/^Stopping\. 3 writes .* at most 2 s; /)
  const place = { dataDir: '/data', databaseUrl: null }
  expect(stoppedLine(0, place)).toBe('Stopped. What the next start goes on with is kept in /data.\n')
  expect(stoppedLine(2, place)).toMatch(
    /^Stopped\. 2 writes are not finished: what was signed stands in the journal in \/data, nothing is signed twice, /,
  )
})
