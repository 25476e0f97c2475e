import { createPublicClient, custom, RpcRequestError } from 'viem'
import { expect, test } from 'vitest'
import { identityRegistryAbi as abi, readAgent } from './identity-registry.ts'

const nonexistent = `0x7e273289${'0'.repeat(63)}7`
const address = '0x00000000000000000000000000000000000000aa'

test.each([
  ['a revert with data', { code: 3, message: 'execution reverted', data: nonexistent }, 'AGENT_NOT_FOUND'],
  ['a revert without data', { code: 3, message: 'execution reverted' }, 'AGENT_NOT_FOUND'],
  ['a revert as an internal error', { code: -32_603, message: 'reverted', data: nonexistent }, 'AGENT_NOT_FOUND'],
  ['an internal error', { code: -32_603, message: 'Internal error' }, 'RPC_UNAVAILABLE'],
  ['a limit', { code: -32_005, message: 'limit exceeded' }, 'RPC_UNAVAILABLE'],
])('%s of the endpoint is told apart', async (_what, error, code) => {
  const request = () => Promise.reject(new RpcRequestError({ body: {}, error, url: 'http://127.0.0.1' }))
  const client = createPublicClient({ transport: custom({ request }, { retryCount: 0 }) })
  const read = () => client.readContract({ address, abi, functionName: 'ownerOf', args: [7n] })
  const place = { chain: { id: 8453 }, registry: address, client } as const
  await expect(readAgent(place, 7n, read)).rejects.toMatchObject({ code })
})
