import { createPrivateKey, sign } from 'node:crypto'
import canonicalize from 'canonicalize'
import { encodeFunctionData, type Hex, parseAbi, recoverMessageAddress, recoverTransactionAddress } from 'viem'
import { afterEach, describe, expect, it } from 'vitest'
import { createWalletProviderServer, type WalletProviderServer, type WantedWallet } from './index.ts'

const stranger = '0x00000000000000000000000000000000000000cc'
const vault = '0x00000000000000000000000000000000000000aa'
const closers: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

describe('who may sign', () => {
  it('signs for the owner of the wallet, and the signature recovers to its address', async () => {
    const { provider, call, address } = await open()
    expect(await call(message('hello'))).toMatchObject({ status: 200 })
    const { data } = (await call(message('hello'))).body as { data: { signature: Hex } }
    expect(await recoverMessageAddress({ message: 'hello', signature: data.signature })).toBe(address)
    expect(provider.signatures()).toBe(2)
  })

  it('refuses a wrong secret, a wrong app, no signature, another key, a changed body and a passed expiry', async () => {
    let now = 1_800_000_000_000
    const { provider, call } = await open({}, { now: () => now })
    const other = provider.createAuthorizationKey('other').privateKey
    const refused = [
      await call(message('a'), { headers: { authorization: 'Basic d3Jvbmc6d3Jvbmc=' } }),
      await call(message('a'), { headers: { 'privy-app-id': 'another' } }),
      await call(message('a'), { keys: [] }),
      await call(message('a'), { keys: [other] }),
      await call(message('a'), { sent: message('b') }),
      await call(message('a'), { expiry: now }),
    ]
    expect(refused.map(({ status, body }) => [status, (body as { code: string }).code])).toEqual([
      [401, 'invalid_app_credentials'],
      [401, 'invalid_app_credentials'],
      [401, 'invalid_authorization_signature'],
      [401, 'invalid_authorization_signature'],
      [401, 'invalid_authorization_signature'],
      [401, 'request_expired'],
    ])
    expect(await call(message('a'), { expiry: now + 1 })).toMatchObject({ status: 200 })
    now += 1
    expect(await call(message('a'), { expiry: now })).toMatchObject({ status: 401 })
    expect(provider.signatures()).toBe(1)
  })

  it('counts a key of a quorum once, however often it signs', async () => {
    const provider = await serve()
    const keys = ['one', 'two', 'three'].map((name) => provider.createAuthorizationKey(name))
    const quorum = await post(provider, '/v1/key_quorums', {
      public_keys: keys.map(({ publicKey }) => publicKey),
      authorization_threshold: 2,
    })
    const wallet = await post(provider, '/v1/wallets', { chain_type: 'ethereum', owner_id: quorum.id })
    const call = caller(provider, wallet.id, '')
    const [one, two] = keys.map(({ privateKey }) => privateKey)
    expect(await call(message('a'), { keys: [one!, one!] })).toMatchObject({ status: 401 })
    expect(await call(message('a'), { keys: [one!, two!] })).toMatchObject({ status: 200 })
  })

  it('holds an additional signer to its own policy', async () => {
    const provider = await serve()
    const [owner, agent] = ['owner', 'agent'].map((name) => provider.createAuthorizationKey(name))
    const policy = await post(provider, '/v1/policies', policyOf([allow('personal_sign', [])]))
    const quorum = await post(provider, '/v1/key_quorums', { public_keys: [agent!.publicKey] })
    const wallet = await post(provider, '/v1/wallets', {
      chain_type: 'ethereum',
      owner: { public_key: owner!.publicKey },
      additional_signers: [{ signer_id: quorum.id, override_policy_ids: [policy.id] }],
    })
    const call = caller(provider, wallet.id, '')
    const statuses = []
    for (const key of [owner!.privateKey, agent!.privateKey]) {
      statuses.push((await call(message('a'), { keys: [key] })).status)
      statuses.push((await call(transaction({}), { keys: [key] })).status)
    }
    expect(statuses).toEqual([200, 200, 200, 400])
  })
})

describe('idempotency', () => {
  it('answers the same key with the same answer, whatever its expiry, and refuses another body', async () => {
    const { provider, call } = await open()
    const [first, second] = await Promise.all([
      call(transaction({}), { idempotencyKey: 'k', expiry: Date.now() + 60_000 }),
      call(transaction({}), { idempotencyKey: 'k', expiry: Date.now() + 90_000 }),
    ])
    expect(second).toEqual(first)
    expect(provider.signatures()).toBe(1)
    expect(await call(transaction({ value: '0x2' }), { idempotencyKey: 'k' })).toMatchObject({
      status: 400,
      body: { code: 'idempotency_key_reused' },
    })
  })
})

describe('the policy language', () => {
  const abi = parseAbi(['function transfer(address to, uint256 amount)'])
  const transfer = (to: Hex, amount: bigint) =>
    encodeFunctionData({ abi, functionName: 'transfer', args: [to, amount] })
  const onTransaction = (field: string, operator: string, value: unknown) => ({
    field_source: 'ethereum_transaction',
    field,
    operator,
    value,
  })
  const onCall = (field: string, operator: string, value: unknown) => ({
    field_source: 'ethereum_calldata',
    abi,
    field,
    operator,
    value,
  })
  const onDomain = (field: string, value: string) => ({
    field_source: 'ethereum_typed_data_domain',
    field,
    operator: 'eq',
    value,
  })
  const permit = {
    Permit: [
      { name: 'spender', type: 'address' },
      { name: 'data', type: 'bytes' },
    ],
  }
  const onMessage = (field: string, operator: string, value: unknown) => ({
    field_source: 'ethereum_typed_data_message',
    typed_data: { primary_type: 'Permit', types: permit },
    field,
    operator,
    value,
  })

  it.each<[string, readonly object[], object, object]>([
    ['value lte', [onTransaction('value', 'lte', '10')], { value: '0xa' }, { value: '0xb' }],
    ['value lt', [onTransaction('value', 'lt', '10')], { value: '0x9' }, { value: '0xa' }],
    ['value gt', [onTransaction('value', 'gt', '0x0a')], { value: '0xb' }, { value: '0xa' }],
    ['value gte', [onTransaction('value', 'gte', '10')], { value: '0xa' }, { value: '0x9' }],
    [
      'to eq, without regard to case',
      [onTransaction('to', 'eq', vault.toUpperCase().replace('X', 'x'))],
      {},
      { to: stranger },
    ],
    ['to in', [onTransaction('to', 'in', [vault])], {}, { to: stranger }],
    ['to in, where there is none', [onTransaction('to', 'in', [vault])], {}, { to: undefined }],
    ['chain_id eq', [onTransaction('chain_id', 'eq', '1')], { chain_id: 1 }, { chain_id: 10 }],
    ['to starts_with', [onTransaction('to', 'starts_with', '0x0000')], {}, { to: `0x11${'0'.repeat(38)}` }],
    ['to ends_with', [onTransaction('to', 'ends_with', 'aa')], {}, { to: stranger }],
    [
      'function_name eq',
      [onCall('function_name', 'eq', 'transfer')],
      { data: transfer(vault, 1n) },
      { data: '0x12345678' },
    ],
    [
      'an argument at its limit',
      [onCall('transfer.amount', 'lte', '5')],
      { data: transfer(vault, 5n) },
      { data: transfer(vault, 6n) },
    ],
    [
      'an argument in a list',
      [onCall('transfer.to', 'in', [vault])],
      { data: transfer(vault, 5n) },
      { data: transfer(stranger, 5n) },
    ],
    ['all conditions', [onTransaction('value', 'lte', '10'), onTransaction('to', 'eq', vault)], {}, { value: '0xb' }],
  ])('%s', async (_what, conditions, passes, fails) => {
    const { call } = await open({ policy: policyOf([allow('eth_signTransaction', conditions)]) })
    expect(await call(transaction(passes))).toMatchObject({ status: 200 })
    expect(await call(transaction(fails))).toMatchObject({ status: 400, body: { code: 'policy_violation' } })
  })

  it('denies what no rule names, and a denial beats what allows', async () => {
    const rules = [
      allow('*', []),
      { ...allow('eth_signTransaction', [onTransaction('to', 'eq', stranger)]), action: 'DENY' },
    ]
    const { call } = await open({ policy: policyOf(rules) })
    expect(await call(transaction({}))).toMatchObject({ status: 200 })
    expect(await call(transaction({ to: stranger }))).toMatchObject({ status: 400 })
    expect(await call({ method: 'secp256k1_sign', params: { hash: `0x${'11'.repeat(32)}` } })).toMatchObject({
      body: { code: 'policy_violation' },
    })
    const { call: strict } = await open({ policy: policyOf([allow('eth_signTypedData_v4', [])]) })
    expect(await strict(transaction({}))).toMatchObject({ status: 400 })
    expect(await strict(message('a'))).toMatchObject({ status: 400 })
  })

  it('reads the domain and the message of typed data, of the very struct the rule names', async () => {
    const conditions = [
      onDomain('chainId', '1'),
      onDomain('verifyingContract', vault),
      onMessage('spender', 'in', [vault]),
      onMessage('data', 'starts_with', '0xB61D27F6'),
    ]
    const { call } = await open({ policy: policyOf([allow('eth_signTypedData_v4', conditions)]) })
    const typed = (change: object, spender = vault, data = '0xb61d27f6aa') => ({
      method: 'eth_signTypedData_v4',
      params: {
        typed_data: {
          domain: { chainId: 1, verifyingContract: vault },
          types: permit,
          primary_type: 'Permit',
          message: { spender, data },
          ...change,
        },
      },
    })
    expect(await call(typed({}))).toMatchObject({ status: 200 })
    expect(await call(typed({ domain: { chainId: '0x1', verifyingContract: vault } }))).toMatchObject({ status: 200 })
    const looksAlike = { Permit: [...permit.Permit, { name: 'more', type: 'uint256' }] }
    for (const refused of [
      typed({ domain: { chainId: 2, verifyingContract: vault } }),
      typed({ domain: { chainId: 1 } }),
      typed({}, stranger),
      typed({}, vault, '0xaa'),
      typed({ types: looksAlike, message: { spender: vault, data: '0xb61d27f6', more: 1 } }),
      typed({ types: { Other: permit.Permit }, primary_type: 'Other' }),
    ]) {
      expect(await call(refused)).toMatchObject({ status: 400, body: { code: 'policy_violation' } })
    }
  })

  it('reads messages, authorizations, the clock and condition sets', async () => {
    let now = 1_800_000_000_000
    const provider = await serve({ now: () => now })
    const set = await post(provider, '/v1/condition_sets', { name: 'implementations' })
    await post(provider, `/v1/condition_sets/${set.id}/items`, [{ value: vault }])
    const rules = [
      allow('personal_sign', [
        { field_source: 'message', field: 'content', operator: 'contains', value: 'please' },
        { field_source: 'message', field: 'byte_length', operator: 'lte', value: '10' },
      ]),
      allow('eth_sign7702Authorization', [
        { field_source: 'ethereum_7702_authorization', field: 'contract', operator: 'in_condition_set', value: set.id },
        { field_source: 'system', field: 'current_unix_timestamp', operator: 'lt', value: `${now / 1000 + 60}` },
      ]),
    ]
    const { walletId, authPrivateKey } = await provider.createWallet({ policy: policyOf(rules) })
    const call = caller(provider, walletId, authPrivateKey)
    const delegate = (contract: string) =>
      call({ method: 'eth_sign7702Authorization', params: { contract, chain_id: 1, nonce: 0 } }, { expiry: now + 1000 })
    const say = (text: string) => call(message(text), { expiry: now + 1000 })
    expect((await say('please')).status).toBe(200)
    expect((await say('hello')).status).toBe(400)
    expect((await say('please, please')).status).toBe(400)
    expect(await delegate(vault)).toMatchObject({
      body: { data: { authorization: { contract: vault.replace('aa', 'AA') } } },
    })
    expect((await delegate(stranger)).status).toBe(400)
    now += 60_000
    expect((await delegate(vault)).status).toBe(400)
  })

  it('sums a rolling window, by group, and forgets what has left it', async () => {
    let now = 1_800_000_000_000
    const provider = await serve({ now: () => now })
    const aggregation = {
      name: 'spent',
      method: 'eth_signTransaction',
      metric: { field: 'value', field_source: 'ethereum_transaction', function: 'sum' },
      window: { type: 'rolling', seconds: 3_600 },
      conditions: [onTransaction('chain_id', 'eq', '1')],
      group_by: [{ field: 'to', field_source: 'ethereum_transaction' }],
    }
    const cap = { field_source: 'reference', field: 'aggregation.spent', operator: 'lte', value: '10' }
    const { walletId, authPrivateKey } = await provider.createWallet({
      policy: policyOf([allow('eth_signTransaction', [cap])]),
      aggregations: [aggregation],
    })
    const call = caller(provider, walletId, authPrivateKey)
    const spend = async (value: number, to = vault, chain_id = 1) =>
      (await call(transaction({ value: `0x${value.toString(16)}`, to, chain_id }), { expiry: now + 1000 })).status
    expect(await spend(7)).toBe(200)
    expect(await spend(4)).toBe(400)
    expect(await spend(3)).toBe(200)
    expect(await spend(1)).toBe(400)
    expect(await spend(10, stranger)).toBe(200)
    expect(await spend(1, vault, 10)).toBe(400)
    now += 3_600_000
    expect(await spend(10)).toBe(200)
    expect(await spend(1)).toBe(400)
  })

  it.each([
    [{ version: '2.0' }, 'version'],
    [{ rules: [{ name: 'r', method: 'eth_signEverything', action: 'ALLOW', conditions: [] }] }, 'rules.0.method'],
    [{ rules: [{ name: 'r', method: '*', action: 'PERMIT', conditions: [] }] }, 'rules.0.action'],
    [{ rules: [allow('*', [onTransaction('from', 'eq', vault)])] }, 'rules.0.conditions.0.field'],
    [{ rules: [allow('*', [onTransaction('to', 'is', vault)])] }, 'rules.0.conditions.0.operator'],
    [{ rules: [allow('*', [onTransaction('to', 'in', vault)])] }, 'rules.0.conditions.0.value'],
    [{ extra: 1 }, 'policy.extra'],
  ])('refuses a policy that breaks its shape: %j', async (change, named) => {
    const provider = await serve()
    await expect(post(provider, '/v1/policies', { ...policyOf([]), ...change })).rejects.toThrow(named)
  })
})

it('shows the configuration of its app to anybody, and of no other', async () => {
  const provider = await serve()
  const config = await fetch(`${provider.url}/api/v1/apps/${provider.appId}/config`)
  expect([config.status, await config.json()]).toEqual([200, expect.objectContaining({ id: provider.appId })])
  expect((await fetch(`${provider.url}/api/v1/apps/another/config`)).status).toBe(404)
})

it('gives the same wallets and keys for the same seed', async () => {
  const [first, second, other] = [await open(), await open(), await open({}, { seed: 'other' })]
  expect(second.address).toBe(first.address)
  expect(other.address).not.toBe(first.address)
  const [one, two] = [await first.call(transaction({})), await second.call(transaction({}))]
  expect(two).toEqual(one)
  const { data } = one.body as { data: { signed_transaction: `0x02${string}` } }
  expect(await recoverTransactionAddress({ serializedTransaction: data.signed_transaction })).toBe(first.address)
})

describe('faults', () => {
  it('fails before or after it signs, for as often as it is told', async () => {
    const { provider, call } = await open()
    provider.setFaults([
      { fault: 'error', times: 1 },
      { fault: 'error', status: 503, after: true, times: 1 },
      { fault: 'rate-limit', retryAfterSeconds: 7, times: 1 },
    ])
    const statuses = []
    for (let count = 0; count < 4; count += 1) statuses.push((await call(message('a'))).status)
    expect(statuses).toEqual([500, 503, 429, 200])
    expect(provider.signatures()).toBe(2)
  })

  it('drops a reply after it has signed', async () => {
    const { provider, call } = await open()
    provider.setFaults([{ fault: 'drop', after: true, times: 1 }])
    await expect(call(message('a'))).rejects.toThrow('fetch failed')
    expect(provider.signatures()).toBe(1)
  })
})

async function serve(options: Parameters<typeof createWalletProviderServer>[0] = {}): Promise<WalletProviderServer> {
  const provider = await createWalletProviderServer(options)
  closers.push(provider.close)
  return provider
}

async function open(wanted: WantedWallet = {}, options: Parameters<typeof createWalletProviderServer>[0] = {}) {
  const provider = await serve(options)
  const { walletId, address, authPrivateKey } = await provider.createWallet(wanted)
  return { provider, address, call: caller(provider, walletId, authPrivateKey) }
}

/** Signs a request by the provider's documented scheme and sends it. */
function caller(provider: WalletProviderServer, walletId: string, authPrivateKey: string) {
  return async (body: object, options: CallOptions = {}): Promise<{ status: number; body: unknown }> => {
    const url = `${provider.url}/v1/wallets/${walletId}/rpc`
    const { keys = [authPrivateKey], idempotencyKey, expiry, sent = body } = options
    const own = {
      'privy-app-id': provider.appId,
      ...(idempotencyKey === undefined ? {} : { 'privy-idempotency-key': idempotencyKey }),
      ...(expiry === undefined ? {} : { 'privy-request-expiry': `${expiry}` }),
    }
    const payload = Buffer.from(canonicalize({ version: 1, method: 'POST', url, body, headers: own })!)
    const signatures = keys.map((key) =>
      sign('sha256', payload, createPrivateKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'pkcs8' })),
    )
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: basic(provider),
        'privy-authorization-signature': signatures.map((one) => one.toString('base64')).join(','),
        ...own,
        ...options.headers,
      },
      body: JSON.stringify(sent),
    })
    return { status: response.status, body: await response.json() }
  }
}

type CallOptions = {
  keys?: readonly string[]
  idempotencyKey?: string
  expiry?: number
  headers?: Record<string, string>
  /** Instead of what was signed. */
  sent?: object
}

async function post(provider: WalletProviderServer, path: string, body: unknown): Promise<{ id: string }> {
  const response = await fetch(`${provider.url}${path}`, {
    method: 'POST',
    headers: { authorization: basic(provider), 'privy-app-id': provider.appId, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const answer = (await response.json()) as { id: string; error: string }
  if (!response.ok) throw new Error(answer.error)
  return answer
}

function basic({ appId, appSecret }: WalletProviderServer): string {
  return `Basic ${Buffer.from(`${appId}:${appSecret}`).toString('base64')}`
}

function message(text: string) {
  return { method: 'personal_sign', params: { message: text, encoding: 'utf-8' }, chain_type: 'ethereum' }
}

function transaction(change: object) {
  const fees = { gas_limit: '0x5208', max_fee_per_gas: '0x2', max_priority_fee_per_gas: '0x1' }
  return {
    method: 'eth_signTransaction',
    params: {
      transaction: { type: 2, chain_id: 1, nonce: 0, to: vault, value: '0x0', data: '0x', ...fees, ...change },
    },
  }
}

function policyOf(rules: readonly unknown[]) {
  return { version: '1.0', name: 'test', chain_type: 'ethereum', rules }
}

function allow(method: string, conditions: readonly object[]) {
  return { name: `allow ${method}`, method, action: 'ALLOW', conditions }
}
