import { expect, test, vi } from 'vitest'
import { findAgents, getAgent } from './agent/lookup/read-agents.ts'
import { planRegistration } from './agent/registration/plan-registration.ts'
import { registerAgent, updateAgent } from './agent/register-agent.ts'
import { createMemoryJournal } from './memory-journal.ts'
import { createEIP1193Provider } from './provider/create-eip1193-provider.ts'
import { createRemoteSigner } from './signers/remote-signer.ts'
import { ServiceWallet } from './service-wallet.ts'
import type { Signer } from './signer.ts'
import { revokeDelegation } from './user-operation/revoke-delegation.ts'

const owner = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const privateKey = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const identity = owner
const place = { chainId: 31337, rpcUrls: { 31337: 'http://127.0.0.1:9' } }

const asked = vi.fn(() => Promise.reject(new Error('asked')))
const backend: Signer = {
  kind: 'asked',
  address: null,
  getAddress: asked,
  signTransaction: asked,
  signMessage: asked,
  signTypedData: asked,
  signAuthorization: asked,
}
const wallet = new ServiceWallet({ mode: 'local', signer: backend, ...place })

const good = { name: 'Ada', role: 'vault_manager', ipfsMode: 'inline', registry: { identity }, env: {}, fetch: asked }

test.each<[string, unknown, string]>([
  ['an option that there is not', { mcpEndpont: 'https://agent.example' }, 'mcpEndpont'],
  ['an option of another function', { agentId: '31337:0' }, 'agentId'],
  ['a tier that there is not', { gas: { tiers: ['sponsred'] } }, 'gas.tiers[0]'],
  ['a tier that is no list', { gas: { tiers: 'sponsored' } }, 'gas.tiers'],
  ['an option of gas that there is not', { gas: { tier: ['manual'] } }, 'gas.tier'],
  ['a time that is none', { gas: { manualWaitMs: Number.NaN } }, 'gas.manualWaitMs'],
  ['a time as text', { gas: { sponsoredWaitMs: '1' } }, 'gas.sponsoredWaitMs'],
  ['a chain as text', { chainId: '31337' }, 'chainId'],
  ['a token that is none', { resume: 5 }, 'resume'],
  ['a JWT that is none', { ipfsMode: 'pinata', pinningJwt: 5 }, 'pinningJwt'],
  ['an address that is none', { ipfsMode: 'proxy', apiUrl: 'not a url' }, 'apiUrl'],
  ['an address of a file', { pinningUrl: 'file:///etc/passwd' }, 'pinningUrl'],
  ['a form that there is not', { registry: { identity, form: 'v9' } }, 'registry.form'],
  ['a registry that is no address', { registry: { identity: '0x12' } }, 'registry.identity'],
  ['a registry with more to it', { registry: { identity, abi: [] } }, 'registry.abi'],
  ['force as text', { force: 'no' }, 'force'],
  ['a mode that there is not', { ipfsMode: 'ipfs' }, 'ipfsMode'],
  ['a role that there is not', { role: 'king' }, 'role'],
  ['a name that is no text', { name: 5 }, 'name'],
  ['a journal that is none', { journal: {} }, 'journal'],
  ['records that are none', { records: new Map() }, 'records'],
  ['rows that are none', { chains: [5] }, 'chains[0]'],
  ['a signal that is none', { signal: {} }, 'signal'],
  ['a listener that is none', { onProgress: 'yes' }, 'onProgress'],
])('a registration refuses %s by its name, and nobody is asked', async (_what, change, field) => {
  const error = await refusal(() => registerAgent(wallet, { ...good, ...(change as object) } as never))
  expect(error).toMatchObject({ code: 'VALIDATION_CONFIG_INVALID' })
  expect(String(error)).toMatch(new RegExp(`${field.replace(/[[\]]/g, '.')} is (not valid|unknown[^;]*); accepted: `))
  expect(asked).not.toHaveBeenCalled()
})

test.each<[string, () => unknown, readonly string[]]>([
  ['updateAgent', () => updateAgent(wallet, { agenId: '1:1', descripton: '' } as never), ['agenId', 'descripton']],
  ['updateAgent with force', () => updateAgent(wallet, { agentId: '31337:1', force: true } as never), ['force']],
  ['planRegistration', () => planRegistration({ ...good, ...place, pins: true } as never), ['pins', 'owner']],
  ['planRegistration for no app', () => planRegistration({ ...good, ...place, owner, appId: '' } as never), ['appId']],
  ['getAgent', () => getAgent({ agentId: '31337:0', gateway: 'https://gateway.example' } as never), ['gateway']],
  ['getAgent through no client', () => getAgent({ agentId: '31337:0', client: {} } as never), ['client']],
  ['findAgents', () => findAgents({ owner: 'me', rpcUrl: '' } as never), ['rpcUrl', 'chainId', 'owner']],
  ['sendUserOp', () => wallet.sendUserOp({ target: owner, data: 'x', payMaster: '' } as never), ['payMaster', 'data']],
  ['revokeDelegation', () => revokeDelegation(wallet, { timeoutMs: -1 }), ['timeoutMs']],
  ['the provider', () => createEIP1193Provider(wallet, { jurnal: {}, batches: {} } as never), ['jurnal', 'batches']],
  [
    'the provider for a sponsor',
    () => createEIP1193Provider(wallet, { sponsor: { url: '' } } as never),
    ['sponsor.url'],
  ],
  ['a wallet', () => new ServiceWallet({ mode: 'local', signer: {} } as never), ['signer']],
])('%s refuses what it does not know, and nobody is asked', async (_what, call, fields) => {
  const error = await refusal(call)
  expect(error).toMatchObject({ code: 'VALIDATION_CONFIG_INVALID' })
  const { details } = error as { readonly details: { readonly fields: readonly { readonly field: string }[] } }
  expect(details.fields.map(({ field }) => field)).toEqual(expect.arrayContaining([...fields]))
  expect(asked).not.toHaveBeenCalled()
})

test.each<[string, () => unknown, string]>([
  ['registerAgent without options', () => Reflect.apply(registerAgent, null, [wallet]), 'options'],
  ['registerAgent without a wallet', () => Reflect.apply(registerAgent, null, [undefined, good]), 'wallet'],
  ['updateAgent without options', () => Reflect.apply(updateAgent, null, [wallet]), 'options'],
  ['planRegistration without options', () => Reflect.apply(planRegistration, null, []), 'options'],
  ['getAgent without options', () => Reflect.apply(getAgent, null, []), 'options'],
  ['findAgents of null', () => Reflect.apply(findAgents, null, [null]), 'options'],
  ['sendUserOp without options', () => Reflect.apply(wallet.sendUserOp.bind(wallet), null, []), 'options'],
  ['a provider without a wallet', () => Reflect.apply(createEIP1193Provider, null, []), 'wallet'],
  ['revokeDelegation of nothing', () => Reflect.apply(revokeDelegation, null, [null]), 'wallet'],
  ['a wallet without a configuration', () => Reflect.construct(ServiceWallet, []), 'config'],
  ['a wallet of a list', () => Reflect.construct(ServiceWallet, [[]]), 'config'],
])('%s is refused like any other input', async (_what, call, named) => {
  const error = await refusal(call)
  expect(error).toMatchObject({ name: 'WalletError', code: 'VALIDATION_CONFIG_INVALID' })
  expect(String(error)).toContain(`${named} is not valid; accepted: `)
})

test.each<[string, () => unknown, string]>([
  ['role', () => registerAgent(wallet, { ...good, role: undefined } as never), 'vault_participant'],
  ['chainId', () => findAgents({ owner } as never), 'a positive integer'],
  ['owner', () => findAgents({ chainId: 1 } as never), 'an address'],
  ['agentId', () => getAgent({} as never), '<chainId>:<tokenId>'],
  [
    'chainId',
    () => registerAgent(new ServiceWallet({ mode: 'local', privateKey }), good as never),
    'a positive integer',
  ],
  ['chainId', () => createEIP1193Provider(new ServiceWallet({ mode: 'local', privateKey })), 'a positive integer'],
])('%s that is needed and not given is said to be missing: %#', async (field, call, accepted) => {
  const error = await refusal(call)
  expect(error).toMatchObject({ code: 'VALIDATION_CONFIG_INVALID' })
  expect(String(error)).toMatch(new RegExp(`${field} is missing; accepted: ${accepted}`))
})

test.each<[object, string]>([
  [{ mcpEndpont: '' }, 'mcpEndpont is unknown, did you mean mcpEndpoint; accepted: only name, '],
  [{ mcpendpoint: '' }, 'mcpendpoint is unknown, did you mean mcpEndpoint; accepted: only '],
  [{ gas: { teirs: [] } }, 'gas.teirs is unknown, did you mean gas.tiers; accepted: only tiers, '],
  [{ theme: 'dark' }, 'theme is unknown; accepted: only '],
  [
    { gas: { tiers: 'wallet' } },
    'gas.tiers is not valid; accepted: a list of at most 4 of sponsored, wallet, faucet, manual.',
  ],
])('what may be meant by %j is said', async (change, said) => {
  expect(String(await refusal(() => registerAgent(wallet, { ...good, ...change } as never)))).toContain(said)
})

test('the form of an id is said to who gives a number', async () => {
  const error = await refusal(() => getAgent({ agentId: 0 } as never))
  expect(String(error)).toContain('agentId is not valid; accepted: <chainId>:<tokenId>, such as 8453:17.')
})

test('where an endpoint is to be named depends on who has it', async () => {
  const registry = { identity }
  const reading = await refusal(() => getAgent({ agentId: '31337:0', registry }))
  expect(String(reading)).toContain('Chain 31337 has no public endpoint; name one in the option rpcUrls')
  const own = new ServiceWallet({ mode: 'local', privateKey, chainId: 31337 })
  const registering = await refusal(() => registerAgent(own, good as never))
  expect(String(registering)).toContain("name one in the wallet's rpcUrls")
})

test.each([{}, { chainId: 10 }, { chainId: 31337, rpcUrls: {} }])(
  'a token of nothing is refused as that, whatever the chain of the wallet (%j)',
  async (own) => {
    const lost = new ServiceWallet({ mode: 'local', privateKey, ...own })
    const error = await refusal(() => registerAgent(lost, { resume: 'nothing' }))
    expect(error).toMatchObject({ code: 'RESUME_TOKEN_INVALID' })
    expect(String(error)).toMatch(/token of resume/)
    expect(String(error)).not.toMatch(/chain/i)
  },
)

test('what is undefined counts as missing', () => {
  const options = { chainId: undefined, journal: undefined, sponsor: { bundlerUrl: undefined } }
  expect(createEIP1193Provider(wallet, options as never)).toHaveProperty('request')
  expect(createMemoryJournal()).toHaveProperty('recordSigned')
})

test('a URL that is not there is called missing', async () => {
  const own = new ServiceWallet({ mode: 'local', privateKey, ...place })
  const call = { target: zero, data: '0x', env: {} } as const
  const away = 'http://127.0.0.1:9'
  for (const [act, words] of [
    [() => own.sendUserOp({ ...call, paymaster: away }), /bundlerUrl is missing; .*SVC_BUNDLER_URL_31337/],
    [() => own.sendUserOp({ ...call, bundlerUrl: away }), /paymaster is missing; .*SVC_PAYMASTER_URL_31337/],
    [() => createRemoteSigner({ address: zero } as never), /url is missing; accepted: an https URL/],
  ] as const) {
    expect(String(await refusal(act))).toMatch(words)
  }
})

test('what cannot be signed has a code, and the message says which part is wrong and what is accepted', async () => {
  const local = new ServiceWallet({ mode: 'local', privateKey, ...place })
  const types = { Note: [{ name: 'to', type: 'address' }] }
  const wrong: [() => Promise<unknown>, RegExp][] = [
    [() => local.signTypedData({} as never), /types is not valid; accepted: an object/],
    [() => local.signTypedData({ types, primaryType: 'Note', message: { to: 'x' } }), /Address "x" is invalid/],
    [() => local.signMessage(undefined as never), /message is not valid; accepted: text, or/],
    [() => local.signMessage({ raw: '0x123' }), /accepted: text, or \{ raw \} with bytes or bytes as hex/],
    [() => local.signMessage({ raw: '0xzz' }), /message is not valid/],
    [() => local.signAuthorization({ chainId: 1 } as never), /contractAddress is not valid; accepted: an address/],
    [() => local.signAuthorization({ contractAddress: zero, chainId: 1, nonce: NaN }), /nonce is not valid/],
  ]
  for (const [sign, words] of wrong) {
    const error = await refusal(sign)
    expect(error).toMatchObject({ name: 'WalletError', code: 'SIGNING_INPUT_INVALID' })
    expect(String(error)).toMatch(words)
  }
})

test('a transaction that is not complete is not signed: without its chain anybody could send it on another', async () => {
  const local = new ServiceWallet({ mode: 'local', privateKey, ...place })
  const complete = { chainId: 1, nonce: 0, gas: 21_000n, gasPrice: 1n } as const
  expect(await local.signTransaction(complete)).toMatch(/^0x/)
  for (const field of ['chainId', 'nonce', 'gas'] as const) {
    const error = await refusal(() => local.signTransaction({ ...complete, [field]: undefined }))
    expect(error).toMatchObject({ code: 'SIGNING_INPUT_INVALID', details: { fields: [field] } })
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({ message: expect.stringContaining(`no ${field}`) })
  }
  // A type that is named stands for no fee.
  for (const [type, fee] of [
    ['eip1559', 'maxFeePerGas'],
    ['eip7702', 'maxFeePerGas'],
    ['legacy', 'gasPrice'],
    ['eip2930', 'gasPrice'],
  ] as const) {
    const { gasPrice: _, ...free } = complete
    const error = await refusal(() => local.signTransaction({ ...free, type, authorizationList: [] } as never))
    expect(error).toMatchObject({ code: 'SIGNING_INPUT_INVALID', details: { fields: [fee] } })
  }
})

test.each([
  ['chainId', 0, NaN, '1', 1n, null],
  ['nonce', NaN, -1, 0.5, '0', 0n, null],
  ['gas', NaN, 21_000, '0x5208', -1n, 2n ** 64n, null],
  ['value', NaN, null, false, 0, '1', -1n, 2n ** 256n],
  ['gasPrice', NaN, null, 1, '0x1'],
  ['data', '0x1', '0xzz', 'ff', null, NaN],
  ['to', 'nowhere', '', '0x', false, NaN],
  ['type', 'eip155', '0x2', 2, null],
])('a transaction whose %s is malformed is not signed: the library would take most for 0', async (field, ...values) => {
  const local = new ServiceWallet({ mode: 'local', privateKey, ...place })
  const complete = { type: 'legacy', chainId: 1, nonce: 0, gas: 21_000n, gasPrice: 1n }
  for (const value of values) {
    const error = await refusal(() => local.signTransaction({ ...complete, [field]: value } as never))
    expect(error).toMatchObject({
      code: 'SIGNING_INPUT_INVALID',
      message: expect.stringContaining(`${field} is not valid; accepted: `),
      details: { what: 'transaction', fields: [field], accepted: { [field]: expect.any(String) } },
    })
  }
})

const zero = `0x${'0'.repeat(40)}` as const

async function refusal(call: () => unknown): Promise<unknown> {
  try {
    await call()
  } catch (error) {
    return error
  }
  return expect.fail('It was accepted.')
}
