import { expect, test } from 'vitest'
import { createRpcPool } from '@svc/amm/rpc'
import { readConfig } from '../config.ts'
import { untouchedWorld } from '../tools/refusals.fixture.ts'
import { checkRpc, createStatus } from './status.ts'

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
  expect(await checkRpc(config, { ...untouchedWorld(), rpc })).toEqual([
    {
      id: 'rpc-base',
      status: 'fail',
      message: expect.stringMatching(/^base: The endpoint [^.]+\.$/),
      fix: 'Set SVC_RPC_URL_8453 to an endpoint that answers.',
    },
  ])
})
