import { inspect } from 'node:util'
import { keccak256, parseTransaction, recoverTransactionAddress, recoverTypedDataAddress } from 'viem'
import { expect, test } from 'vitest'
import { Secret } from './secret.ts'
import { ServiceWallet, type ServiceWalletConfig } from './service-wallet.ts'
import { WalletError } from './wallet-error.ts'

const privateKey = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const address = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'

test('knows its address, whether the key comes bare or wrapped', () => {
  expect(new ServiceWallet({ mode: 'local', privateKey }).address).toBe(address)
  const wallet = new ServiceWallet({ mode: 'local', privateKey: new Secret(privateKey), chainId: 31337 })
  expect(wallet).toMatchObject({ address, chainId: 31337, mode: 'local' })
})

test('signs a transaction that recovers to it, nonce and value zero included', async () => {
  const wallet = new ServiceWallet({ mode: 'local', privateKey })
  const raw = await wallet.signTransaction({
    type: 'eip1559',
    chainId: 31337,
    nonce: 0,
    to: address,
    value: 0n,
    gas: 21_000n,
    maxFeePerGas: 2n,
    maxPriorityFeePerGas: 1n,
  })
  expect(parseTransaction(raw)).toMatchObject({ chainId: 31337, gas: 21_000n, type: 'eip1559' })
  expect(keccak256(raw)).toMatch(/^0x[0-9a-f]{64}$/)
  expect(await recoverTransactionAddress({ serializedTransaction: raw as `0x02${string}` })).toBe(address)
})

test('signs for the chain that the transaction names, as it says, also where its own is another', async () => {
  const wallet = new ServiceWallet({ mode: 'local', privateKey, chainId: 31337 })
  const fees = { gas: 21_000n, maxFeePerGas: 2n, maxPriorityFeePerGas: 1n }
  const raw = await wallet.signTransaction({ type: 'eip1559', chainId: 1, nonce: 0, to: address, ...fees })
  expect(parseTransaction(raw)).toMatchObject({ chainId: 1 })
})

test('signs typed data that recovers to it', async () => {
  const wallet = new ServiceWallet({ mode: 'local', privateKey })
  const typedData = {
    domain: { name: 'Test', version: '1', chainId: 1 },
    types: { Note: [{ name: 'text', type: 'string' }] },
    primaryType: 'Note',
    message: { text: 'hello' },
  } as const
  const signature = await wallet.signTypedData(typedData)
  expect(await recoverTypedDataAddress({ ...typedData, signature })).toBe(address)
})

test('shows the key nowhere', () => {
  const wallet = new ServiceWallet({ mode: 'local', privateKey })
  const shown = [
    inspect(wallet, { showHidden: true, depth: 20, getters: true }),
    inspect({ wallet }, { customInspect: false, showHidden: true, depth: 20 }),
    JSON.stringify({ wallet }),
    String(wallet),
    JSON.stringify(Object.getOwnPropertyDescriptors(wallet)),
  ]
  for (const text of shown) expect(text.toLowerCase()).not.toContain(privateKey.slice(2, 20))
  expect(() => Object.assign(wallet, { address: '0x0000000000000000000000000000000000000001' })).toThrow(TypeError)
})

test('says as text what it is', () => {
  const wallet = new ServiceWallet({ mode: 'local', privateKey })
  expect(String(wallet)).toBe(`ServiceWallet { mode: 'local', address: '${wallet.address}' }`)
  expect(inspect(wallet)).toBe(String(wallet))
})

test.each([
  ['', 'is empty'],
  [privateKey.slice(2), 'lacks its 0x'],
  [`0X${privateKey.slice(2)}`, 'lacks its 0x'],
  [`${privateKey}\n`, 'has a line break in it'],
  [`${privateKey.slice(2)}\r\n`, 'has a line break in it'],
  [` ${privateKey}`, 'has white space in it'],
  [`"${privateKey}"`, 'is in quotes'],
  [privateKey.slice(0, -1), 'has 63 digits'],
  [`${privateKey.slice(0, -1)}g`, 'has other characters than hexadecimal digits'],
  [`0x${'0'.repeat(64)}`, 'is outside the range of secp256k1'],
  [`0x${'f'.repeat(64)}`, 'is outside the range of secp256k1'],
])('refuses the key %j by what is wrong with it, without repeating it', (key, fault) => {
  const error = refusal({ mode: 'local', privateKey: key })
  expect(error).toMatchObject({ code: 'VALIDATION_PRIVATE_KEY_INVALID', details: { field: 'privateKey' } })
  expect(error.cause).toBeUndefined()
  expect(error.message).toBe(
    `privateKey ${fault}; accepted: 0x and 64 hexadecimal digits within the range of secp256k1.`,
  )
  expect(key === '' || !inspect(error).includes(key.trim())).toBe(true)
})

test.each([
  [{ mode: 'managed', privateKey }, 'VALIDATION_CONFIG_INVALID', 'privateKey'],
  [{ mode: 'managed', appId: 'a', appSecret: 'b', walletId: 'c' }, 'VALIDATION_CONFIG_INVALID', 'authPrivateKey'],
  [{ mode: 'managed', appSecret: 'b', walletId: 'c', authPrivateKey: 'd' }, 'VALIDATION_CONFIG_INVALID', 'appId'],
  [{ mode: 'local', privateKey, walletId: 'c' }, 'VALIDATION_CONFIG_INVALID', 'walletId'],
  [{ mode: 'remote', privateKey }, 'VALIDATION_CONFIG_INVALID', 'mode'],
  [{ mode: 'local', privateKey, chainID: 1 }, 'VALIDATION_CONFIG_INVALID', 'chainID'],
  [{ mode: 'local', privateKey, chainId: 0 }, 'VALIDATION_CONFIG_INVALID', 'chainId'],
  [{ mode: 'local', privateKey, chainId: '1' }, 'VALIDATION_CONFIG_INVALID', 'chainId'],
  [{ mode: 'local', privateKey, rpcUrls: { 1: 'nowhere' } }, 'VALIDATION_CONFIG_INVALID', 'rpcUrls'],
  [{ mode: 'local', privateKey, rpcUrls: { base: 'http://127.0.0.1' } }, 'VALIDATION_CONFIG_INVALID', 'rpcUrls'],
])('refuses a wrong configuration %#', (config, code, named) => {
  const error = refusal(config as ServiceWalletConfig)
  expect(error.code).toBe(code)
  expect(error.message).toContain(named)
})

test.each([{ privateKey }, { appId: 'a', appSecret: 'b', walletId: 'c', authPrivateKey: 'd' }])(
  'of a mode that is none it refuses the mode and nothing else %#',
  (rest) => {
    const { message } = refusal({ mode: 'lokal', ...rest } as never)
    expect(message).toBe('mode is not valid; accepted: managed or local.')
  },
)

test.each([
  [{ privateKey }, 'mode'],
  [{ mode: 'managed', appSecret: 'b', walletId: 'c', authPrivateKey: 'd' }, 'appId'],
])('says of a field that is missing that it is missing %#', (config, field) => {
  expect(refusal(config as never).message).toMatch(new RegExp(`^${field} is missing; accepted: `))
})

test('of a managed wallet names every field that is missing or empty, at once', () => {
  const { message, details } = refusal({
    mode: 'managed',
    appId: '',
    appSecret: '',
    authPrivateKey: new Secret(''),
  } as never)
  expect(message.match(/\w+ is (missing|empty)/g)).toEqual([
    'appId is empty',
    'appSecret is empty',
    'walletId is missing',
    'authPrivateKey is empty',
  ])
  expect(details).toMatchObject({ fields: { length: 4 } })
})

test.each(['ws://127.0.0.1:8545', 'file:///dev/null', '127.0.0.1:8545', 5])(
  'refuses the endpoint %s by its chain',
  (url) => {
    const rpcUrls = { 1: 'https://rpc.example', 31337: url }
    const { message, details } = refusal({ mode: 'local', privateKey, rpcUrls } as never)
    expect(message).toBe('rpcUrls.31337 is not valid; accepted: a URL with http or https.')
    expect(details).toMatchObject({ fields: [{ field: 'rpcUrls.31337' }] })
  },
)

function refusal(config: ServiceWalletConfig): WalletError {
  try {
    return expect.fail(`accepted as ${new ServiceWallet(config).address}`)
  } catch (error) {
    if (error instanceof WalletError) return error
    throw error
  }
}
