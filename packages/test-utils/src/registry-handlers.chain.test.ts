import { awaitReceipt } from '@svc/devnet'
import { useDevnet } from '@svc/devnet/testing'
import { createPublicClient, createWalletClient, encodeFunctionData, http, parseAbi, type Abi, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createTestServer, registryHandlers, type TestServer } from './index.ts'

const devnet = useDevnet()
const rpcUrl = 'https://rpc.example/'

const handleUrl = 'https://rpc.example/handle'

let server: TestServer
beforeEach(() => {
  const { identity, handle } = devnet().registry
  server = createTestServer(
    ...registryHandlers({ rpcUrl, chainId: 31337, registry: identity }),
    ...registryHandlers({ rpcUrl: handleUrl, chainId: 31337, registry: handle, form: 'handle-v0' }),
  )
  server.listen()
})
afterEach(() => server.close())

const abi: Abi = parseAbi([
  'struct MetadataEntry { string metadataKey; bytes metadataValue; }',
  'function register() returns (uint256)',
  'function register(string agentURI) returns (uint256)',
  'function register(string agentURI, MetadataEntry[] metadata) returns (uint256)',
  'function setAgentURI(uint256 agentId, string newURI)',
  'function setMetadata(uint256 agentId, string metadataKey, bytes metadataValue)',
  'function getMetadata(uint256 agentId, string metadataKey) view returns (bytes)',
  'function getAgentWallet(uint256 agentId) view returns (address)',
  'function isAuthorizedOrOwner(address spender, uint256 agentId) view returns (bool)',
  'function ownerOf(uint256 tokenId) view returns (address)',
  'function tokenURI(uint256 tokenId) view returns (string)',
  'function balanceOf(address owner) view returns (uint256)',
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function getVersion() view returns (string)',
  'function nothingOfTheKind(uint256 value)',
])

const entry = (metadataKey: string, metadataValue: Hex) => ({ metadataKey, metadataValue })
const data = (functionName: string, args: readonly unknown[] = []) => encodeFunctionData({ abi, functionName, args })

test('the handlers answer every call as the contract itself does: outputs, refusals, and events in their order', async () => {
  const { address } = account()
  const stranger = '0x00000000000000000000000000000000000000cc'
  const asked = [
    data('register'),
    data('register', ['data:,one']),
    data('register', ['data:,two', [entry('role', '0x1234'), entry('empty', '0x')]]),
    data('register', ['data:,three', [entry('agentWallet', '0x12')]]),
    data('setAgentURI', [1n, 'data:,new']),
    data('setAgentURI', [9n, 'data:,new']),
    data('setMetadata', [2n, 'role', '0xabcd']),
    data('setMetadata', [2n, 'agentWallet', '0xabcd']),
    data('getMetadata', [2n, 'role']),
    data('getMetadata', [9n, 'role']),
    data('getAgentWallet', [2n]),
    data('getAgentWallet', [9n]),
    data('isAuthorizedOrOwner', [address, 0n]),
    data('isAuthorizedOrOwner', [stranger, 0n]),
    data('isAuthorizedOrOwner', [stranger, 9n]),
    ...[0n, 1n, 2n, 9n].flatMap((id) => [data('tokenURI', [id]), data('ownerOf', [id])]),
    data('balanceOf', [address]),
    data('balanceOf', [stranger]),
    data('balanceOf', [`0x${'0'.repeat(40)}`]),
    data('name'),
    data('symbol'),
    data('getVersion'),
    data('nothingOfTheKind', [1n]),
  ]
  const ours = await answersOf(rpcUrl, asked)
  expect(ours).toEqual(await answersOf(devnet().rpcUrl, asked))
  expect(ours.filter(({ logs }) => logs.length > 0)).toHaveLength(5)
})

test('whoever asks from nowhere, or for what is not theirs, is refused as by the contract', async () => {
  const zero = `0x${'0'.repeat(40)}` as const
  const refusals = []
  for (const url of [rpcUrl, devnet().rpcUrl]) {
    await answersOf(url, [data('register', ['data:,one'])])
    const client = createPublicClient({ transport: http(url) })
    for (const [from, asked] of [
      [zero, data('register', ['data:,'])],
      [devnet().accounts[4]!.address, data('setAgentURI', [0n, 'data:,'])],
      [devnet().accounts[4]!.address, data('setMetadata', [0n, 'role', '0x'])],
    ] as const) {
      const params = [{ from, to: devnet().registry.identity, data: asked }, 'latest'] as const
      refusals.push(revertIn(await client.request({ method: 'eth_call', params: [...params] }).catch((error) => error)))
    }
  }
  expect(refusals.slice(0, 3)).toEqual(refusals.slice(3))
  expect(new Set(refusals).size).toBe(2)
  expect(refusals).not.toContain(null)
})

test('a registry of handles is answered for as by its contract too', async () => {
  const handles: Abi = parseAbi([
    'function register(string handle, string metadataURI, uint8 interfaceType) returns (uint256)',
    'function agentIdOf(string handle) view returns (uint256)',
    'function ownerOf(uint256 agentId) view returns (address)',
    'function tokenURI(uint256 agentId) view returns (string)',
    'function handleOf(uint256 agentId) view returns (string)',
    'function interfaceTypeOf(uint256 agentId) view returns (uint8)',
    'function balanceOf(address owner) view returns (uint256)',
  ])
  const ask = (functionName: string, ...args: readonly unknown[]) =>
    encodeFunctionData({ abi: handles, functionName, args })
  const asked = [
    ask('register', 'ada', 'data:,one', 1),
    ask('register', 'ada', 'data:,two', 1),
    ask('register', '', 'data:,two', 1),
    ask('register', 'bob', 'data:,two', 3),
    ask('register', 'bob', '', 0),
    ...['ada', 'bob', 'cy'].map((handle) => ask('agentIdOf', handle)),
    ...[0n, 1n, 2n].flatMap((id) =>
      ['ownerOf', 'tokenURI', 'handleOf', 'interfaceTypeOf'].map((name) => ask(name, id)),
    ),
    ask('balanceOf', account().address),
  ]
  const to = devnet().registry.handle
  const ours = await answersOf(handleUrl, asked, to)
  expect(ours).toEqual(await answersOf(devnet().rpcUrl, asked, to))
  expect(ours.filter(({ logs }) => logs.length > 0)).toHaveLength(2)
})

/** Each call is asked for its answer first, and then sent if it was not refused. */
async function answersOf(url: string, asked: readonly Hex[], to = devnet().registry.identity) {
  const client = createPublicClient({ transport: http(url), cacheTime: 0, pollingInterval: 20 })
  const wallet = createWalletClient({ account: account(), transport: http(url) })
  const answers: { readonly output: unknown; readonly logs: readonly object[] }[] = []
  for (const data of asked) {
    const params = [{ from: account().address, to, data }, 'latest'] as const
    const output = await client.request({ method: 'eth_call', params: [...params] }).catch((error) => ({
      revert: revertIn(error),
    }))
    if (typeof output !== 'string') {
      answers.push({ output, logs: [] })
      continue
    }
    const hash = await wallet.sendTransaction({ to, data, chain: null })
    const { logs, status } = await awaitReceipt(client, hash)
    expect(status).toBe('success')
    answers.push({ output, logs: logs.map(({ address, topics, data: words }) => ({ address, topics, words })) })
  }
  return answers
}

const account = () => privateKeyToAccount(devnet().accounts[3]!.privateKey)

/** The bytes that a call was refused with. */
function revertIn(error: unknown): unknown {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('data' in cause && typeof cause.data === 'string') return cause.data
  }
  return null
}
