import { expect, test } from 'vitest'
import { createRpcPool } from '@svc/amm/rpc'
import { readConfig } from '../config.ts'
import { untouchedWorld } from '../tools/refusals.fixture.ts'
import { checkRpc } from './status.ts'

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
