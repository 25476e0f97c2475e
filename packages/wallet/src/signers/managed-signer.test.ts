import { createPrivateKey, sign } from 'node:crypto'
import { inspect } from 'node:util'
import { createWalletProviderServer, type WantedWallet } from '@svc/test-utils'
import { parseTransaction, type TransactionSerializable } from 'viem'
import { afterEach, describe, expect, it } from 'vitest'
import { Secret } from '../secret.ts'
import { ServiceWallet } from '../service-wallet.ts'
import { WalletError } from '../wallet-error.ts'
import { createManagedSigner, type ManagedSignerConfig } from './managed-signer.ts'

const to = '0x00000000000000000000000000000000000000aa'
const transaction = {
  type: 'eip1559',
  chainId: 31337,
  nonce: 0,
  to,
  value: 0n,
  gas: 21_000n,
  maxFeePerGas: 2n,
  maxPriorityFeePerGas: 1n,
} as const satisfies TransactionSerializable

const closers: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

describe('what it asks for', () => {
  it('sends nonce and value zero, an access list and a type 4 transaction as they are', async () => {
    const { signer, provider } = await open()
    const accessList = [{ address: to, storageKeys: [`0x${'01'.repeat(32)}`] }] as const
    const raw = await signer.signTransaction({ ...transaction, accessList })
    expect(parseTransaction(raw)).toMatchObject({ accessList, chainId: 31337 })
    const delegation = await signer.signAuthorization({ contractAddress: to, chainId: 31337, nonce: 1 })
    const { type: _, ...rest } = transaction
    const delegated = await signer.signTransaction({ ...rest, type: 'eip7702', authorizationList: [delegation] })
    expect(parseTransaction(delegated)).toMatchObject({
      type: 'eip7702',
      authorizationList: [{ address: to, nonce: 1 }],
    })
    const bodies = provider.requests().map(({ body }) => body)
    expect(bodies.find((body) => JSON.stringify(body).includes('access_list'))).toMatchObject({
      method: 'eth_signTransaction',
      params: { transaction: { nonce: 0, value: '0x0', data: '0x' } },
    })
    expect(new Set(bodies.map((body) => (body as { method?: string }).method))).not.toContain('eth_sendTransaction')
  })

  it('refuses a blob transaction and one without a nonce, and asks nobody', async () => {
    const { signer, provider } = await open()
    const asked = provider.requests().length
    const blobs = {
      ...transaction,
      type: 'eip4844',
      blobVersionedHashes: [],
      maxFeePerBlobGas: 1n,
      sidecars: [],
    } as const
    expect(await refusal(signer.signTransaction(blobs))).toMatchObject({ code: 'SIGNING_UNSUPPORTED' })
    const { nonce: _, ...unnumbered } = transaction
    expect(await refusal(signer.signTransaction(unnumbered))).toMatchObject({ code: 'SIGNING_INPUT_INVALID' })
    expect(provider.requests().length).toBe(asked)
  })

  it('mends a slash at the end of the URL, which the provider would sign twice', async () => {
    const { signer } = await open({}, ({ apiUrl }) => ({ apiUrl: `${apiUrl}/` }))
    expect(await signer.signMessage('hello')).toMatch(/^0x/)
  })

  it('lets a function sign, so that the key stays where it is', async () => {
    const payloads: string[] = []
    const { signer } = await open({}, ({ authPrivateKey }) => ({
      authPrivateKey: async (payload) => {
        payloads.push(Buffer.from(payload).toString())
        const key = createPrivateKey({ key: Buffer.from(authPrivateKey, 'base64'), format: 'der', type: 'pkcs8' })
        return sign('sha256', payload, key).toString('base64')
      },
    }))
    expect(await signer.signTransaction(transaction)).toMatch(/^0x02/)
    expect(payloads.map((payload) => JSON.parse(payload))).toMatchObject([{ version: 1, method: 'POST' }])
    const { signer: broken } = await open({}, () => ({
      authPrivateKey: () => Promise.reject(new Error('the KMS is away')),
    }))
    expect(await refusal(broken.signTransaction(transaction))).toMatchObject({ code: 'SIGNER_UNAVAILABLE' })
  })
})

describe('retries', () => {
  it('makes one signature out of two failures and a second call', async () => {
    const { signer, provider } = await open()
    provider.setFaults([{ fault: 'error', times: 2 }])
    expect(await refusal(signer.signTransaction(transaction))).toMatchObject({ code: 'SIGNER_UNAVAILABLE' })
    expect(provider.signatures()).toBe(0)
    const raw = await signer.signTransaction(transaction)
    expect([provider.signatures(), await signer.signTransaction(transaction)]).toEqual([1, raw])
    expect(provider.signatures()).toBe(1)
  })

  it.each([
    ['answers 500 twice after it signed', { fault: 'error', after: true, times: 2 }],
    ['drops two replies after it signed', { fault: 'drop', after: true, times: 2 }],
  ] as const)('makes one signature when the provider %s', async (_what, fault) => {
    const { signer, provider } = await open()
    provider.setFaults([fault])
    expect(await refusal(signer.signTransaction(transaction))).toMatchObject({ code: 'SIGNER_UNAVAILABLE' })
    expect(await signer.signTransaction(transaction)).toMatch(/^0x02/)
    expect([provider.signatures(), rpcs(provider)]).toEqual([1, 3])
  })

  it('gets over one lost reply unnoticed', async () => {
    const { signer, provider } = await open()
    provider.setFaults([{ fault: 'drop', after: true, times: 1 }])
    expect(await signer.signMessage('hello')).toMatch(/^0x/)
    expect([provider.signatures(), rpcs(provider)]).toEqual([1, 2])
  })

  it('tries a refusal and a rate limit once, and says when to come back', async () => {
    const { signer, provider } = await open()
    provider.setFaults([{ fault: 'rate-limit', retryAfterSeconds: 7, times: 5 }])
    expect(await refusal(signer.signMessage('hello'))).toMatchObject({
      code: 'SIGNER_RATE_LIMITED',
      details: { retryAfterSeconds: 7 },
    })
    expect(rpcs(provider)).toBe(1)
  })

  it('takes another key for another request, even under the same key of the caller', async () => {
    const { signer, provider } = await open()
    const options = { idempotencyKey: 'slot 0' }
    await signer.signTransaction(transaction, options)
    await signer.signTransaction({ ...transaction, value: 1n }, options)
    await signer.signTransaction(transaction, options)
    expect(provider.signatures()).toBe(2)
  })

  it('gives up when it is told to', async () => {
    const { signer, provider } = await open()
    provider.setFaults([{ fault: 'delay', delayMs: 60_000 }])
    const stop = new AbortController()
    const answer = refusal(signer.signMessage('hello', { signal: stop.signal }))
    stop.abort()
    expect(await answer).toMatchObject({ code: 'ABORTED', cause: stop.signal.reason })
  })
})

describe('what comes back', () => {
  it.each(['signTransaction', 'signMessage', 'signTypedData', 'signAuthorization'] as const)(
    'refuses a signature of %s by another key, over another thing, and nonsense',
    async (what) => {
      const { signer, provider } = await open()
      const ask = (salt: number) =>
        ({
          signTransaction: () => signer.signTransaction({ ...transaction, nonce: salt }),
          signMessage: () => signer.signMessage(`hello ${salt}`),
          signTypedData: () => signer.signTypedData(noteOf(`${salt}`)),
          signAuthorization: () => signer.signAuthorization({ contractAddress: to, chainId: 1, nonce: salt }),
        })[what]()
      provider.setFaults([{ fault: 'other-key', times: 1 }])
      expect(await refusal(ask(1))).toMatchObject({ code: 'WALLET_ADDRESS_MISMATCH' })
      provider.setFaults([{ fault: 'altered', times: 1 }])
      const altered = await refusal(ask(2))
      expect(altered.code).toBe(what === 'signTransaction' ? 'SIGNER_UNAVAILABLE' : 'WALLET_ADDRESS_MISMATCH')
      provider.setFaults([{ fault: 'nonsense', times: 1 }])
      expect(await refusal(ask(3))).toMatchObject({ code: 'SIGNER_UNAVAILABLE' })
      expect(await ask(4)).toBeDefined()
    },
  )

  it('reads the address where none is given, and refuses a wallet of another address', async () => {
    const { address, provider, signer } = await open({}, () => ({ address: undefined }))
    expect(signer.address).toBeNull()
    expect(await signer.signMessage('hello')).toMatch(/^0x/)
    expect([signer.address, await signer.getAddress()]).toEqual([address, address])
    provider.setFaults([{ fault: 'other-key', methods: ['wallets'] }])
    expect(await refusal(signer.getAddress())).toMatchObject({ code: 'WALLET_ADDRESS_MISMATCH' })
  })
})

describe('refusals', () => {
  const onlyTo = (address: string) => ({
    version: '1.0',
    name: 'test',
    chain_type: 'ethereum',
    rules: [
      {
        name: 'one address',
        method: 'eth_signTransaction',
        action: 'ALLOW',
        conditions: [{ field_source: 'ethereum_transaction', field: 'to', operator: 'eq', value: address }],
      },
    ],
  })

  it('names the policy when it denies', async () => {
    const { signer } = await open({ policy: onlyTo(to) })
    expect(await signer.signTransaction(transaction)).toMatch(/^0x02/)
    const other = { ...transaction, to: '0x00000000000000000000000000000000000000bb' } as const
    expect(await refusal(signer.signTransaction(other))).toMatchObject({
      code: 'SIGNER_REFUSED',
      details: { status: 400, providerCode: 'policy_violation' },
    })
    expect(await refusal(signer.signMessage('hello'))).toMatchObject({ code: 'SIGNER_REFUSED' })
  })

  it('tells wrong credentials, an unknown wallet and a wrong clock apart from a provider that is away', async () => {
    const { signer: wrongSecret } = await open({}, () => ({ appSecret: 'wrong-secret' }))
    expect(await refusal(wrongSecret.signTransaction(transaction))).toMatchObject({ code: 'SIGNER_UNAUTHORIZED' })
    const { signer: wrongKey } = await open({}, ({ provider }) => ({
      authPrivateKey: provider.createAuthorizationKey('other').privateKey,
    }))
    expect(await refusal(wrongKey.signTransaction(transaction))).toMatchObject({ code: 'SIGNER_UNAUTHORIZED' })
    const { signer: unknown } = await open({}, () => ({ walletId: 'wallet-of-nobody' }))
    expect((await refusal(unknown.signTransaction(transaction))).suggestion).toContain('walletId')
    const { signer: late } = await open({}, () => ({ now: () => Date.now() - 600_000 }))
    expect((await refusal(late.signTransaction(transaction))).suggestion).toContain('clock')
    const { signer: away, provider } = await open()
    await provider.close()
    const { host } = new URL(provider.url)
    const message = `The wallet provider at ${host} does not answer.`
    const unavailable = { code: 'SIGNER_UNAVAILABLE', message, details: { host } }
    expect(await refusal(away.signTransaction(transaction))).toMatchObject(unavailable)
  })

  it.each<[string, Partial<ManagedSignerConfig>]>([
    ['appId', { appId: 'a/b' }],
    ['walletId', { walletId: '../policies' }],
    ['authPrivateKey', { authPrivateKey: 'no key' }],
    ['authPrivateKey', { authPrivateKey: Buffer.alloc(120).toString('base64') }],
    ['apiUrl', { apiUrl: 'http://provider.example' }],
    ['apiUrl', { apiUrl: 'https://user:password@provider.example' }],
    ['address', { address: '0x12' }],
  ])('refuses a wrong %s without repeating it', async (field, change) => {
    const error = await refusal(open({}, () => change))
    expect(error).toMatchObject({ code: 'VALIDATION_CONFIG_INVALID' })
    expect(error.message).toContain(field)
    expect(error.cause).toBeUndefined()
  })
})

it('shows no secret, printed or in an error', async () => {
  const { signer, provider, config } = await open({}, () => ({ appSecret: new Secret('an-app-secret-for-tests') }))
  const shown = [inspect(signer, { showHidden: true, depth: 20, getters: true }), JSON.stringify(signer)]
  provider.setFaults([
    { fault: 'error', times: 2 },
    { fault: 'error', status: 401, times: 1 },
    { fault: 'drop', times: 2 },
  ])
  for (let count = 0; count < 3; count += 1) {
    shown.push(inspect(await refusal(signer.signTransaction(transaction)), { showHidden: true, depth: 20 }))
  }
  const secrets = ['an-app-secret-for-tests', btoa(`${provider.appId}:an-app-secret-for-tests`), config.authPrivateKey]
  for (const text of shown) for (const secret of secrets) expect(text).not.toContain(secret)
})

it('is what a managed wallet signs with', async () => {
  const { config, address } = await open()
  const { appId, appSecret, walletId, authPrivateKey, apiUrl } = config
  const wallet = new ServiceWallet({
    mode: 'managed',
    appId,
    appSecret,
    walletId,
    authPrivateKey,
    apiUrl,
    chainId: 31337,
  })
  expect(() => wallet.address).toThrow(WalletError)
  expect([await wallet.getAddress(), wallet.address, wallet.kind, wallet.appId]).toEqual([
    address,
    address,
    'managed',
    appId,
  ])
  expect(await wallet.signTransaction(transaction)).toMatch(/^0x02/)
  expect(inspect(wallet, { showHidden: true, depth: 20 })).not.toContain('an-app-secret')
})

type Changed = { [K in keyof ManagedSignerConfig]?: ManagedSignerConfig[K] | undefined }
type Opened = {
  provider: Awaited<ReturnType<typeof createWalletProviderServer>>
  apiUrl: string
  authPrivateKey: string
}

async function open(wanted: WantedWallet = {}, change: (opened: Opened) => Changed = () => ({})) {
  const provider = await createWalletProviderServer()
  closers.push(provider.close)
  const { walletId, address, authPrivateKey } = await provider.createWallet(wanted)
  const { appId, appSecret, url: apiUrl } = provider
  const config = { appId, appSecret, walletId, authPrivateKey, apiUrl, address }
  const changed = { ...config, ...change({ provider, apiUrl, authPrivateKey }) }
  const present = Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== undefined))
  return { provider, address, config, signer: createManagedSigner(present as ManagedSignerConfig) }
}

function rpcs(provider: Opened['provider']): number {
  return provider.requests().filter(({ url }) => url.endsWith('/rpc')).length
}

function noteOf(text: string) {
  return {
    domain: { name: 'Test', version: '1', chainId: 1 },
    types: { Note: [{ name: 'text', type: 'string' }] },
    primaryType: 'Note',
    message: { text },
  } as const
}

async function refusal(answer: Promise<unknown>): Promise<WalletError> {
  const error = await answer.then(
    (value) => expect.fail(`accepted: ${inspect(value)}`),
    (cause: unknown) => cause,
  )
  if (error instanceof WalletError) return error
  throw error
}
