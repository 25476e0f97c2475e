import { expect, test } from 'vitest'
import type { SetupReport } from '../../tool-context.ts'
import { describeRefusals, untouchedWorld } from '../refusals.fixture.ts'
import { checkSetupHealth } from './checks.ts'

describeRefusals(checkSetupHealth, {}, { verbose: 'flag' })

const checks: SetupReport['checks'] = [
  { id: 'node-version', status: 'pass', message: 'Node 20.20.2', fix: null },
  { id: 'rpc-base', status: 'warn', message: 'The endpoint is slow.', fix: 'Configure another.' },
]

async function health(args: Record<string, unknown>, rows: SetupReport['checks'] = checks) {
  const report = { profile: 'data', version: '0.2.0', checks: rows }
  const status = { setup: async () => report, safety: () => Promise.reject(new Error('not asked for')) }
  const input = checkSetupHealth.input.parse(args)
  return checkSetupHealth.output.parse(await checkSetupHealth.handle(input, { ...untouchedWorld(), status }))
}

test('check_setup_health shows what wants mending and counts the rest', async () => {
  expect(await health({})).toMatchObject({ ok: true, profile: 'data', passed: 1, checks: [checks[1]] })
  expect(await health({ verbose: true })).toMatchObject({ passed: 1, checks })
})

test('check_setup_health is not ok once a check fails', async () => {
  const failing = [...checks, { id: 'wallet', status: 'fail' as const, message: 'No wallet.', fix: 'Set one.' }]
  expect(await health({}, failing)).toMatchObject({ ok: false, passed: 1 })
})
