import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPolicySource } from '@svc/engine'
import { expect, test } from 'vitest'
import { createRpcPool } from '@svc/amm/rpc'
import { readConfig } from '../config.ts'
import { untouchedWorld } from '../tools/refusals.fixture.ts'
import { checkSafetyStatus } from '../tools/setup/checks.ts'
import { checkRpc } from './check-chains.ts'
import { createStatus } from './status.ts'

test.each([
  [{}, 'warn', /claim_lp_rewards, migrate_position and submit_uniswapx_order refuse/],
  [{ SVC_ORDER_API_KEY: 'a-key-for-orders' }, 'warn', /claim_lp_rewards and migrate_position refuse/],
  [{ SVC_TRADING_API_KEY: 'a-key-of-the-operator' }, 'pass', /There is a key/],
  [
    { SVC_TRADING_API_KEY: 'a-key-of-the-operator', SVC_TRADING_API_DIALECT: 'lp' },
    'warn',
    /dialect lp .*: claim_lp_rewards and migrate_position refuse/,
  ],
] as const)(
  'which tools refuse without a key for the trading API, or in its newer dialect, is said before one is called: %j',
  async (env, status, says) => {
    const wallet = { WALLET_TYPE: 'local', PRIVATE_KEY: `0x${'11'.repeat(32)}`, SVC_RPC_URL_8453: 'http://127.0.0.1:9' }
    const config = readConfig({ ...wallet, ...env })
    const rpc = createRpcPool({ urls: () => ['http://127.0.0.1:9'], now: Date.now, timeoutMs: 500 })
    const { checks } = await createStatus({ config, ports: { ...untouchedWorld(), rpc }, safety: null }).setup()
    expect(checks.find(({ id }) => id === 'trading-api')).toMatchObject({
      status,
      message: expect.stringMatching(says),
    })
  },
)

test('without a wallet nothing is said of that key', async () => {
  const config = readConfig({ SVC_RPC_URL_8453: 'http://127.0.0.1:9' })
  const rpc = createRpcPool({ urls: () => ['http://127.0.0.1:9'], now: Date.now, timeoutMs: 500 })
  const { checks } = await createStatus({ config, ports: { ...untouchedWorld(), rpc }, safety: null }).setup()
  expect(checks.map(({ id }) => id)).not.toContain('trading-api')
})

test('what is wrong with an endpoint is one sentence with one full stop, and names the setting', async () => {
  // Nothing listens on port 9 of this machine.
  const config = readConfig({ SVC_RPC_URL_8453: 'http://127.0.0.1:9' })
  const rpc = createRpcPool({ urls: () => ['http://127.0.0.1:9'], now: Date.now, timeoutMs: 500 })
  expect(await checkRpc(config, { ...untouchedWorld(), rpc }, 'D')).toEqual([
    {
      id: 'rpc-base',
      status: 'fail',
      message: expect.stringMatching(/^base: The endpoint [^.]+\.$/),
      fix: "Set SVC_RPC_URL_8453 to an endpoint that answers. Run: echo 'SVC_RPC_URL_8453=https://...' >> D/.env",
    },
  ])
})

test('a server without a wallet says of what others have open that it does not know, and not that there is none', async () => {
  const config = readConfig({ SVC_RPC_URL_8453: 'http://127.0.0.1:9' })
  const status = createStatus({ config, ports: untouchedWorld(), safety: null })
  const context = { ...untouchedWorld(), status }
  const shown = checkSafetyStatus.output.parse(await checkSafetyStatus.handle({}, context))
  expect(shown).toMatchObject({
    walletConfigured: false,
    spentUsd: null,
    pendingTransactions: null,
    pendingApprovals: null,
    scheduledOperations: null,
    notes: [expect.stringMatching(/^This server has no wallet: .* does not see\.$/)],
  })
})

test('the policy is as the running server has it: a file that was taken away is no policy of defaults', async () => {
  const config = readConfig({
    SVC_RPC_URL_8453: 'http://127.0.0.1:9',
    SVC_DATA_DIR: await mkdtemp(join(tmpdir(), 'status-')),
  })
  const path = join(config.dataDir, 'policy.json')
  await writeFile(path, '{}', { mode: 0o600 })
  const policies = await openPolicySource(path, config)
  const rpc = createRpcPool({ urls: () => ['http://127.0.0.1:9'], now: Date.now, timeoutMs: 500 })
  const policyNow = () => policies.current()
  const status = createStatus({ config, ports: { ...untouchedWorld(), rpc }, safety: null, policyNow })
  const ofPolicy = async () => (await status.setup()).checks.find(({ id }) => id === 'policy')
  expect(await ofPolicy()).toMatchObject({ status: 'pass', message: 'policy.json is in order.' })
  await rm(path)
  const message = 'The policy file was removed while the server ran.'
  expect(await ofPolicy()).toMatchObject({ status: 'fail', message })
})
