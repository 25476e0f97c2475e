import { createWalletProviderServer } from '@svc/test-utils'
import { hexToBytes, parseTransaction, type TransactionSerializable, type TypedDataDefinition } from 'viem'
import { recoverAddress, recoverMessageAddress, recoverTypedDataAddress, keccak256, serializeTransaction } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { recoverAuthorizationAddress } from 'viem/utils'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Signer } from '../signer.ts'
import { WalletError } from '../wallet-error.ts'
import { createLocalSigner } from './local-signer.ts'
import { createManagedSigner } from './managed-signer.ts'
import { startRemoteSigner } from './remote-server.fixture.ts'
import { createRemoteSigner } from './remote-signer.ts'

const key = `0x${'07'.repeat(32)}` as const
const to = '0x00000000000000000000000000000000000000aa'
const closers: (() => Promise<void>)[] = []
const signers = new Map<string, Signer>()

beforeAll(async () => {
  const provider = await createWalletProviderServer()
  const remote = await startRemoteSigner(privateKeyToAccount(key))
  closers.push(provider.close, remote.stop)
  const { walletId, authPrivateKey } = await provider.createWallet()
  const { appId, appSecret, url: apiUrl } = provider
  signers.set('local', createLocalSigner(key))
  signers.set('managed', createManagedSigner({ appId, appSecret, walletId, authPrivateKey, apiUrl }))
  signers.set('remote', createRemoteSigner({ url: remote.url, address: privateKeyToAccount(key).address }))
})

afterAll(async () => {
  for (const close of closers) await close()
})

const delegation = { contractAddress: to, chainId: 31337, nonce: 0 } as const
const accessList = [{ address: to, storageKeys: [`0x${'01'.repeat(32)}`] }] as const
const common = { chainId: 31337, nonce: 0, gas: 21_000n, to, value: 0n } as const
const fees = { maxFeePerGas: 2n * 10n ** 18n, maxPriorityFeePerGas: 0n } as const
const transactions: [string, TransactionSerializable][] = [
  ['of type 0', { ...common, type: 'legacy', gasPrice: 7n }],
  ['of type 1', { ...common, type: 'eip2930', gasPrice: 7n, accessList }],
  ['of type 2 with nothing but zeros', { ...common, type: 'eip1559', ...fees }],
  ['of type 2 without a named type', { ...common, ...fees, data: '0xdeadbeef', value: 10n ** 24n, nonce: 300 }],
  ['of type 2 with an access list', { ...common, type: 'eip1559', ...fees, accessList }],
  [
    'that creates a contract',
    { chainId: 1, nonce: 1, gas: 100_000n, type: 'eip1559', ...fees, data: '0x6000', to: null },
  ],
]

const mail: TypedDataDefinition = {
  domain: { name: 'Mail', version: '1', chainId: 31337n, verifyingContract: to },
  types: {
    Person: [
      { name: 'name', type: 'string' },
      { name: 'wallets', type: 'address[]' },
    ],
    Mail: [
      { name: 'from', type: 'Person' },
      { name: 'amount', type: 'uint256' },
      { name: 'delta', type: 'int24' },
      { name: 'data', type: 'bytes' },
      { name: 'salt', type: 'bytes32' },
      { name: 'isUrgent', type: 'bool' },
    ],
  },
  primaryType: 'Mail',
  message: {
    from: { name: 'Zoë \u{1f984}', wallets: [to] },
    amount: 2n ** 256n - 1n,
    delta: -887_272n,
    data: '0x',
    salt: `0x${'00'.repeat(32)}`,
    isUrgent: false,
  },
}

describe.each(['local', 'managed', 'remote'])('the %s signer', (kind) => {
  const open = async () => {
    const signer = signers.get(kind)!
    return { signer, address: await signer.getAddress() }
  }

  it.each(transactions)('signs a transaction %s', async (_what, transaction) => {
    const { signer, address } = await open()
    const raw = await signer.signTransaction(transaction)
    const { r, s, v, yParity } = parseTransaction(raw)
    const signature = { r: r!, s: s!, yParity: yParity ?? Number((v! + 1n) % 2n) }
    expect(await recoverAddress({ hash: keccak256(serializeTransaction(transaction)), signature })).toBe(address)
    expect(raw).toBe(serializeTransaction(transaction, v === undefined ? signature : { ...signature, v }))
  })

  it.each([['hello'], [''], ['Zoë \u{1f984}'], [{ raw: '0x00ff' }], [{ raw: hexToBytes('0x00ff') }]] as const)(
    'signs the message %j',
    async (message) => {
      const { signer, address } = await open()
      expect(await recoverMessageAddress({ message, signature: await signer.signMessage(message) })).toBe(address)
    },
  )

  it('signs nothing that is malformed', async () => {
    const { signer } = await open()
    const complete = { ...common, type: 'eip1559', ...fees } as const
    for (const sign of [
      () => signer.signMessage({ raw: '0x123' }),
      () => signer.signMessage({ raw: '0xzz' }),
      () => signer.signTransaction({ ...complete, nonce: NaN }),
      () => signer.signTransaction({ ...complete, value: null as never }),
      () => signer.signTransaction({ ...common, type: 'eip1559' }),
    ]) {
      await expect(sign()).rejects.toMatchObject({
        code: 'SIGNING_INPUT_INVALID',
        details: { fields: [expect.any(String)] },
      })
    }
  })

  it('signs typed data with whole numbers beyond those of JSON', async () => {
    const { signer, address } = await open()
    expect(await recoverTypedDataAddress({ ...mail, signature: await signer.signTypedData(mail) })).toBe(address)
  })

  it('signs a transaction that carries authorizations', async () => {
    const { signer } = await open()
    const signed = await privateKeyToAccount(key).signAuthorization({ ...delegation, chainId: 0 })
    const raw = await signer.signTransaction({ ...common, type: 'eip7702', ...fees, authorizationList: [signed] })
    const carried = { address: to, chainId: 0, r: signed.r, s: signed.s }
    expect(parseTransaction(raw)).toMatchObject({ type: 'eip7702', authorizationList: [carried] })
  })

  it('names its kind and address', async () => {
    const { signer, address } = await open()
    expect([signer.kind, signer.address]).toEqual([kind, address])
  })
})

describe.each(['local', 'managed'])('the %s signer', (kind) => {
  it('signs an authorization', async () => {
    const signer = signers.get(kind)!
    const authorization = await signer.signAuthorization(delegation)
    expect(authorization).toMatchObject({ address: to, chainId: 31337, nonce: 0 })
    expect(await recoverAuthorizationAddress({ authorization })).toBe(await signer.getAddress())
  })
})

it('says that a remote signer signs no authorization', async () => {
  const error = await signers
    .get('remote')!
    .signAuthorization(delegation)
    .catch((cause: unknown) => cause)
  expect(error).toBeInstanceOf(WalletError)
  expect(error).toMatchObject({ code: 'SIGNING_UNSUPPORTED' })
})
