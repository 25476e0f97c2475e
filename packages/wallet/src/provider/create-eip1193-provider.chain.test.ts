import { startFaultProxy, useDevnet } from '@svc/devnet/testing'
import { BrowserProvider } from 'ethers'
import {
  BaseError,
  InsufficientFundsError,
  createPublicClient,
  createTestClient,
  createWalletClient,
  custom,
  http,
  parseEther,
  recoverTypedDataAddress,
  type Hex,
} from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import { beforeEach, expect, test } from 'vitest'
import { createMemoryJournal } from '../memory-journal.ts'
import { ServiceWallet } from '../service-wallet.ts'
import { createEIP1193Provider, type EIP1193Provider } from './create-eip1193-provider.ts'
import { ProviderRpcError } from './provider-rpc-error.ts'

const devnet = useDevnet()
const bob = '0x00000000000000000000000000000000000b0b00'
const other = '0x0000000000000000000000000000000000000001'
const typedData = {
  domain: { name: 'Test', version: '1', chainId: 31337 },
  types: {
    Note: [
      { name: 'text', type: 'string' },
      { name: 'count', type: 'uint256' },
    ],
  },
  primaryType: 'Note',
  message: { text: 'hello', count: 7n },
} as const
const batch = { version: '2.0.0', chainId: '0x7a69', atomicRequired: false }

let wallet: ServiceWallet
let provider: EIP1193Provider
beforeEach(async () => {
  wallet = new ServiceWallet({
    mode: 'local',
    privateKey: generatePrivateKey(),
    chainId: 31337,
    rpcUrls: { 31337: devnet().rpcUrl },
  })
  provider = createEIP1193Provider(wallet)
  await node().setBalance({ address: wallet.address, value: parseEther('1') })
})

test.each<[string, unknown[], unknown]>([
  ['eth_chainId', [], '0x7a69'],
  ['net_version', [], '31337'],
  ['wallet_switchEthereumChain', [{ chainId: '0x7a69' }], null],
  ['wallet_getPermissions', [], [{ parentCapability: 'eth_accounts' }]],
  ['wallet_requestPermissions', [{ eth_accounts: {} }], [{ parentCapability: 'eth_accounts' }]],
])('%s', async (method, params, answer) => {
  expect(await provider.request({ method, params })).toEqual(answer)
})

test('reads go to the chain, with their answers as they are', async () => {
  expect(await provider.request({ method: 'eth_getBalance', params: [wallet.address, 'latest'] })).toBe(
    '0xde0b6b3a7640000',
  )
  expect(await provider.request({ method: 'eth_blockNumber' })).toMatch(/^0x[1-9a-f]/)
})

test('a message is signed whichever of the two comes first, as long as one is an address', async () => {
  const sign = (...params: unknown[]) => provider.request({ method: 'personal_sign', params })
  const expected = await sign('0x68656c6c6f', wallet.address)
  expect(await sign(wallet.address.toLowerCase(), 'hello')).toBe(expected)
  expect(await sign('hello', wallet.address)).toBe(expected)
  // Both look like addresses: then the specification's order counts.
  expect(await code(sign(wallet.address, other))).toBe(4100)
})

test('typed data is taken as JSON as well, with the type of its domain', async () => {
  const message = { text: 'hello', count: '7' }
  const fields = [
    ['name', 'string'],
    ['version', 'string'],
    ['chainId', 'uint256'],
  ]
  const types = { ...typedData.types, EIP712Domain: fields.map(([name, type]) => ({ name, type })) }
  const params = [wallet.address, JSON.stringify({ ...typedData, types, message })]
  const signature = (await provider.request({ method: 'eth_signTypedData_v4', params })) as Hex
  expect(await recoverTypedDataAddress({ ...typedData, signature })).toBe(wallet.address)
})

test.each<[string, string, unknown, number]>([
  ['another sender', 'eth_sendTransaction', [{ from: other, to: bob }], 4100],
  ['another chain', 'eth_sendTransaction', [{ to: bob, chainId: '0x1' }], 4901],
  ['data and input that differ', 'eth_sendTransaction', [{ to: bob, data: '0x01', input: '0x02' }], -32602],
  ['gas and gasLimit that differ', 'eth_sendTransaction', [{ to: bob, gas: '0x1', gasLimit: '0x2' }], -32602],
  ['a padded quantity', 'eth_sendTransaction', [{ to: bob, value: '0x01' }], -32602],
  ['a number for a quantity', 'eth_sendTransaction', [{ to: bob, value: 1 }], -32602],
  ['an unknown field', 'eth_sendTransaction', [{ to: bob, too: other }], -32602],
  ['a list that would be ignored', 'eth_sendTransaction', [{ to: bob, accessList: [{}] }], -32602],
  ['no transaction', 'eth_sendTransaction', [], -32602],
  ['a nonce out of turn', 'eth_sendTransaction', [{ to: bob, nonce: '0x63' }], -32602],
  ['a nonce that is none', 'eth_sendTransaction', [{ to: bob, nonce: 'abc' }], -32602],
  ['a number for a nonce', 'eth_sendTransaction', [{ to: bob, nonce: 0 }], -32602],
  ['a nonce in a batch', 'wallet_sendCalls', [{ ...batch, calls: [{ to: bob, nonce: '0x0' }] }], -32602],
  ['fees of type 2 in type 0', 'eth_sendTransaction', [{ to: bob, type: '0x0', maxFeePerGas: '0x77359400' }], -32602],
  ['a tip in type 1', 'eth_sendTransaction', [{ to: bob, type: '0x1', maxPriorityFeePerGas: '0x1' }], -32602],
  ['a price in type 2', 'eth_sendTransaction', [{ to: bob, type: '0x2', gasPrice: '0x77359400' }], -32602],
  ['two kinds of fee', 'eth_sendTransaction', [{ to: bob, gasPrice: '0x1', maxFeePerGas: '0x1' }], -32602],
  ['blobs', 'eth_sendTransaction', [{ to: bob, type: '0x3' }], -32602],
  ['neither a recipient nor code', 'eth_sendTransaction', [{ value: '0x1' }], -32602],
  [
    'a transaction that reverts',
    'eth_sendTransaction',
    () => [{ to: devnet().registry.identity, data: '0x12345678' }],
    3,
  ],
  ['more than there is', 'eth_sendTransaction', [{ to: bob, value: '0xffffffffffffffffffff', gas: '0x5208' }], -32003],
  [
    'typed data of another chain',
    'eth_signTypedData_v4',
    () => [wallet.address, { ...typedData, domain: { chainId: 1 }, message: {} }],
    -32602,
  ],
  [
    'typed data with a domain of other fields',
    'eth_signTypedData_v4',
    () => [wallet.address, { ...typedData, types: { ...typedData.types, EIP712Domain: [] } }],
    -32602,
  ],
  ['typed data that is none', 'eth_signTypedData_v4', () => [wallet.address, '{'], -32602],
  ['typed data for another', 'eth_signTypedData_v4', () => [other, typedData], 4100],
  ['eth_sign', 'eth_sign', () => [wallet.address, '0x00'], 4200],
  ['a chain it is not on', 'wallet_switchEthereumChain', [{ chainId: '0x1' }], 4902],
  ['a new chain', 'wallet_addEthereumChain', [{ chainId: '0x1' }], 4200],
  ['what clients try after a failure', 'wallet_sendTransaction', [{}], -32601],
  ['the accounts of the node', 'eth_signTransaction', [{}], 4200],
  ['the accounts of the node', 'personal_unlockAccount', [], 4200],
  ['what nobody knows', 'eth_nothing', [], 4200],
  ['a read in other letters', 'ETH_BLOCKNUMBER', [], 4200],
  ['a member of every object', 'toString', [], 4200],
  ['a balance out of nothing', 'anvil_setBalance', [bob, '0x1'], 4200],
  ['a block', 'anvil_mine', ['0x1'], 4200],
  ['a block', 'evm_mine', [], 4200],
  ['the state of before', 'evm_snapshot', [], 4200],
  ['the account of another', 'hardhat_impersonateAccount', [bob], 4200],
  ['the pool', 'txpool_content', [], 4200],
  ['the miner', 'miner_start', [], 4200],
  ['a trace', 'debug_traceBlockByNumber', ['latest', {}], 4200],
  ['a trace', 'trace_block', ['latest'], 4200],
  ['consensus', 'engine_getPayloadV1', ['0x0000000000000001'], 4200],
  ['consensus', 'clique_getSigners', [], 4200],
  ['peers', 'admin_peers', [], 4200],
  ['no method', '', [], 4200],
  ['params of no kind', 'eth_chainId', 'latest', -32602],
])('%s is refused with an integer code: %s', async (_what, method, params, expected) => {
  const before = await client().getTransactionCount({ address: wallet.address })
  const words = typeof params === 'function' ? params() : params
  expect(await code(provider.request({ method, params: words }))).toBe(expected)
  expect(await client().getTransactionCount({ address: wallet.address })).toBe(before)
})

test('a client that sends again with the nonce of what is out does not pay twice, and is told what to use', async () => {
  const journal = createMemoryJournal({ now: Date.now })
  const own = createEIP1193Provider(wallet, { journal })
  const viem = createWalletClient({ account: wallet.address, transport: custom(own) })
  const payment = { chain: null, to: bob, value: 1n, gas: 21_000n } as const
  await node().setAutomine(false)
  try {
    const first = await viem.sendTransaction({ ...payment, nonce: 0 })
    const faster = { from: wallet.address, to: bob, value: '0x1', gas: '0x5208', nonce: '0x0' }
    const again = own.request({ method: 'eth_sendTransaction', params: [faster] })
    await expect(again).rejects.toMatchObject({
      code: -32602,
      message: expect.stringMatching(/^nonce: .*the next is 1; leave it out.*replace or cancel of createSender\.$/),
    })
    expect((await journal.open(31337, wallet.address)).map(({ hash }) => hash)).toEqual([first])
    // Of two that name the next, one gets it.
    const both = await Promise.allSettled([1, 1].map((nonce) => viem.sendTransaction({ ...payment, nonce })))
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect((await journal.open(31337, wallet.address)).map(({ nonce }) => nonce)).toEqual([0, 1])
  } finally {
    await node().mine({ blocks: 1 })
    await node().setAutomine(true)
  }
  expect(await client().getTransactionCount({ address: wallet.address })).toBe(2)
})

test.each([{ type: '0x0', gasPrice: '0x77359400' }, { type: '0x2', maxFeePerGas: '0x77359400' }, { type: '0x2' }])(
  'a type beside fees that go with it is taken: %j',
  async (fees) => {
    const params = [{ to: bob, value: '0x1', nonce: '0x0', ...fees }]
    expect(await provider.request({ method: 'eth_sendTransaction', params })).toMatch(/^0x[0-9a-f]{64}$/)
  },
)

test('an endpoint that is away is code 4900, one of another chain 4901', async () => {
  const key = generatePrivateKey()
  const away = new ServiceWallet({
    mode: 'local',
    privateKey: key,
    chainId: 31337,
    rpcUrls: { 31337: 'http://127.0.0.1:1' },
  })
  expect(await code(createEIP1193Provider(away).request({ method: 'eth_blockNumber' }))).toBe(4900)
  await expect(createEIP1193Provider(away).request({ method: 'eth_blockNumber' })).rejects.toMatchObject({
    message: expect.stringMatching(/^The endpoint of the chain does not answer \(127\.0\.0\.1:\d+: .+\)\.$/),
    data: { code: 'RPC_UNAVAILABLE' },
  })
  const astray = new ServiceWallet({ mode: 'local', privateKey: key, chainId: 1, rpcUrls: { 1: devnet().rpcUrl } })
  const send = { method: 'eth_sendTransaction', params: [{ to: bob }] }
  expect(await code(createEIP1193Provider(astray).request(send))).toBe(4901)
})

test('what a node says to a transaction that it declines is the cause', async () => {
  const params = [{ to: bob, gas: '0x4e20' }]
  const sent = provider.request({ method: 'eth_sendTransaction', params })
  const error: unknown = await sent.catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: -32_003, message: 'The endpoint declined the transaction; nothing is out.' })
  expect(Object(error).cause).toMatchObject({ details: expect.stringMatching(/intrinsic gas too low/) })
})

test('a node gets no request for a method that is refused', async () => {
  const proxy = await startFaultProxy({ target: devnet().rpcUrl })
  try {
    const rpcUrls = { 31337: proxy.url }
    const own = new ServiceWallet({ mode: 'local', privateKey: generatePrivateKey(), chainId: 31337, rpcUrls })
    const watched = createEIP1193Provider(own, { chains: [devnet().chain] })
    // The local chain would obey: only the provider is in the way.
    const refused = [
      'anvil_mine',
      'evm_mine',
      'hardhat_mine',
      'txpool_status',
      'debug_traceTransaction',
      'eth_accounts2',
    ]
    for (const method of refused) expect(await code(watched.request({ method, params: [] }))).toBe(4200)
    expect(proxy.methods()).toEqual(new Map())
    expect(await code(watched.request({ method: 'eth_blockNumber' }))).toBeNull()
    expect(proxy.methods()).toEqual(new Map([['eth_blockNumber', 1]]))
  } finally {
    await proxy.stop()
  }
})

test('JSON.stringify of a refusal shows its message', async () => {
  const error: unknown = await provider.request({ method: 'evm_mine' }).catch((thrown: unknown) => thrown)
  const message = 'The provider does not offer evm_mine.'
  expect(JSON.parse(JSON.stringify(error))).toEqual({ name: 'ProviderRpcError', code: 4200, message })
})

async function code(answer: Promise<unknown>): Promise<number | null> {
  const error = await answer.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  if (error === null) return null
  expect(error).toBeInstanceOf(ProviderRpcError)
  return (error as ProviderRpcError).code
}

const client = () => createPublicClient({ transport: http(devnet().rpcUrl), cacheTime: 0 })
const node = () => createTestClient({ mode: 'anvil', transport: http(devnet().rpcUrl) })

test('a client with too little is told so in the words it knows, and nothing is signed', async () => {
  const poor = new ServiceWallet({
    mode: 'local',
    privateKey: generatePrivateKey(),
    chainId: 31337,
    rpcUrls: { 31337: devnet().rpcUrl },
  })
  const journal = createMemoryJournal({ now: Date.now })
  const bare = createEIP1193Provider(poor, { journal })
  const viem = createWalletClient({ account: poor.address, transport: custom(bare) })
  const byViem = await viem.sendTransaction({ chain: null, to: bob, gas: 21_000n }).catch((error: unknown) => error)
  if (!(byViem instanceof BaseError)) throw new Error(String(byViem))
  expect(byViem.walk((error) => error instanceof InsufficientFundsError)).not.toBeNull()
  const signer = await new BrowserProvider(bare).getSigner()
  await expect(signer.sendTransaction({ to: bob, gasLimit: 21_000n })).rejects.toMatchObject({
    code: 'INSUFFICIENT_FUNDS',
  })
  expect(await journal.open(31337, poor.address)).toEqual([])
})
