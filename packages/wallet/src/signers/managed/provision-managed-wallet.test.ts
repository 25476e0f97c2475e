import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { createWalletProviderServer } from '@svc/test-utils'
import { expect, it, onTestFinished } from 'vitest'
import {
  checkManagedWallet,
  createAuthorizationKey,
  provisionManagedWallet,
  readAuthorizationKey,
  readAuthorizationPublicKey,
} from '../../provisioning.ts'
import { ServiceWallet } from '../../service-wallet.ts'

const condition = { field_source: 'ethereum_transaction', field: 'chain_id', operator: 'eq', value: '8453' }
const cap = { field_source: 'reference', field: 'aggregation.native-24h', operator: 'lte', value: '10' }
const policy = {
  version: '1.0',
  name: 'svc test',
  chain_type: 'ethereum',
  rules: [
    { name: 'base', method: 'eth_signTransaction', action: 'ALLOW', conditions: [condition, cap] },
    { name: 'never export', method: 'exportPrivateKey', action: 'DENY', conditions: [] },
  ],
}
const aggregations = [
  {
    name: 'native-24h',
    method: 'eth_signTransaction',
    metric: { field: 'value', field_source: 'ethereum_transaction', function: 'sum' },
    window: { type: 'rolling', seconds: 86_400 },
    conditions: [condition],
  },
]

async function open() {
  const provider = await createWalletProviderServer()
  onTestFinished(() => provider.close())
  const [signer, owner] = [createAuthorizationKey(), createAuthorizationKey()]
  const app = { appId: provider.appId, appSecret: provider.appSecret, apiUrl: provider.url }
  const wanted = { ...app, policy, aggregations, signerPublicKey: signer.publicKey, ownerPublicKey: owner.publicKey }
  return { provider, app, wanted, signer }
}

const transaction = (chainId: number) =>
  ({
    type: 'eip1559',
    chainId,
    nonce: 0,
    gas: 21_000n,
    maxFeePerGas: 2n,
    maxPriorityFeePerGas: 1n,
    to: `0x${'11'.repeat(20)}`,
    value: 5n,
  }) as const

it('makes a wallet that signs what its policy allows and nothing else, owned by a key that does not sign', async () => {
  const { app, wanted, signer, provider } = await open()
  const { walletId, address, policyId } = await provisionManagedWallet(wanted)
  const wallet = new ServiceWallet({ mode: 'managed', ...app, walletId, authPrivateKey: signer.privateKey })
  expect([await wallet.getAddress(), policyId]).toEqual([address, expect.stringMatching(/^policy/)])
  expect(await wallet.signTransaction(transaction(8453))).toMatch(/^0x02/)
  await expect(wallet.signTransaction(transaction(1))).rejects.toMatchObject({ code: 'SIGNER_REFUSED' })
  await expect(wallet.signMessage('hello')).rejects.toMatchObject({ code: 'SIGNER_REFUSED' })
  const bodies = provider.requests().map(({ method, url }) => `${method} ${new URL(url).pathname.split('/')[2]}`)
  expect(bodies.indexOf('POST policies')).toBeLessThan(bodies.indexOf('POST wallets'))
  expect(await checkManagedWallet({ ...app, walletId, policy })).toEqual({ address, policyId, differences: [] })
})

it('gives the wallet that stands under its name back, and makes no second one, whatever was lost of the first answer', async () => {
  const { provider, wanted, app } = await open()
  const named = { ...wanted, externalId: 'svc-one' }
  const first = await provisionManagedWallet(named)
  const again = await provisionManagedWallet(named)
  expect([first.isNew, again]).toEqual([true, { ...first, isNew: false }])
  const made = () => provider.requests().filter(({ method, url }) => method === 'POST' && url.endsWith('/v1/wallets'))
  expect(made()).toHaveLength(1)
  const wider = { ...policy, rules: [...policy.rules, { ...policy.rules[0], name: 'more' }] }
  await expect(provisionManagedWallet({ ...named, policy: wider })).rejects.toMatchObject({
    code: 'SIGNER_REFUSED',
    message: expect.stringContaining(`${first.walletId} at the provider is not as it was asked for`),
  })
  expect(await provisionManagedWallet({ ...wanted, externalId: 'svc-two' })).toMatchObject({ isNew: true })
  expect(made()).toHaveLength(2)
  expect(await checkManagedWallet({ ...app, walletId: 'ext_wal_svc-one', policy })).toMatchObject({ differences: [] })
})

it('refuses a wallet whose policy comes back without a rule, and names the rule', async () => {
  const { provider, wanted } = await open()
  provider.setFaults([{ fault: 'altered', methods: ['policies'], times: 2 }])
  await expect(provisionManagedWallet(wanted)).rejects.toMatchObject({
    code: 'SIGNER_REFUSED',
    message: expect.stringMatching(/lacks the rule "never export".*Send nothing/),
  })
})

it('names what is not as it should be with a wallet that others made', async () => {
  const { provider, app, wanted } = await open()
  const free = await provider.createWallet()
  expect(await checkManagedWallet({ ...app, walletId: free.walletId, policy })).toMatchObject({
    differences: [expect.stringContaining('no policy')],
  })
  const own = await provider.createWallet({ policy, aggregations })
  const { differences } = await checkManagedWallet({ ...app, walletId: own.walletId, policy })
  expect(differences).toEqual(['its policy has another owner than the wallet', '0 keys sign beside its owner, not one'])
  const { walletId } = await provisionManagedWallet(wanted)
  const [, ...rest] = policy.rules
  const other = { rules: [{ ...policy.rules[0], conditions: [condition] }, ...rest] }
  expect((await checkManagedWallet({ ...app, walletId, policy: other })).differences).toEqual([
    'its policy lacks the rule "base"',
    'its policy has another rule "base"',
  ])
})

it('tells credentials, a provider that is away and one that answers nonsense apart, and shows no secret', async () => {
  const { provider, wanted } = await open()
  const outcome = (change: object) => provisionManagedWallet({ ...wanted, ...change }).catch((error: unknown) => error)
  expect(await outcome({ appSecret: 'another-secret' })).toMatchObject({ code: 'SIGNER_UNAUTHORIZED' })
  provider.setFaults([{ fault: 'rate-limit', retryAfterSeconds: 1, times: 1 }])
  expect(await outcome({})).toMatchObject({ code: 'SIGNER_RATE_LIMITED' })
  provider.setFaults([{ fault: 'nonsense', times: 1 }])
  expect(await outcome({})).toMatchObject({ code: 'SIGNER_UNAVAILABLE' })
  provider.setFaults([])
  expect(await outcome({ policy: { ...policy, version: '9' } })).toMatchObject({ code: 'SIGNER_REFUSED' })
  const away = await outcome({ apiUrl: 'http://127.0.0.1:9' })
  expect(away).toMatchObject({ code: 'SIGNER_UNAVAILABLE' })
  expect(JSON.stringify(away)).not.toContain(provider.appSecret)
})

it('reads keys as PEM and as base64 of DER, and refuses other curves, halves and texts', () => {
  const { privateKey, publicKey } = createAuthorizationKey()
  const pem = createPrivateKey({ key: Buffer.from(privateKey, 'base64'), format: 'der', type: 'pkcs8' })
    .export({ format: 'pem', type: 'pkcs8' })
    .toString()
  for (const text of [privateKey, `wallet-auth:${privateKey}`, pem, `${privateKey}\n`]) {
    expect(readAuthorizationKey(text, 'key')).toEqual({ privateKey, publicKey })
    expect(readAuthorizationPublicKey(text, 'key')).toBe(publicKey)
  }
  expect(readAuthorizationPublicKey(publicKey, 'key')).toBe(publicKey)
  expect(() => readAuthorizationKey(publicKey, 'key')).toThrow('private')
  const other = generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey
  for (const text of ['', 'nonsense', other.export({ format: 'der', type: 'pkcs8' }).toString('base64')]) {
    expect(() => readAuthorizationKey(text, 'key')).toThrow('P-256')
  }
})
